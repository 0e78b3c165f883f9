#pragma once
#include <future>
#include <memory>
#include <utility>

#include "embedded/convert.hpp"

namespace semel::embedded {

/// Asks the engine, and waits for its answer.
template <typename T, typename Ask>
T wait_for(const Ask& ask) {
  const auto promise = std::make_shared<std::promise<T>>();
  std::future<T> answer = promise->get_future();
  ask([promise](T value) { promise->set_value(std::move(value)); });
  return answer.get();
}

/// What the engine answers, as the SDK says it.
template <typename T, typename From>
sdk::Reply<T> reply_of(const Result<From>& result, const auto& convert) {
  if (!result) return tl::unexpected(refusal_of(result.error()));
  return convert(*result);
}

}  // namespace semel::embedded
