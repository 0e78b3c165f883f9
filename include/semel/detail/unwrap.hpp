#pragma once
#include <type_traits>

#include "semel/detail/closing.hpp"
#include "semel/json.hpp"

namespace semel::detail {

/// The value of what has completed; throws ExecutionFailed for all else.
template <typename T>
T unwrap(const Closing& closing) {
  if (closing.status != Status::completed) throw ExecutionFailed(closing.status, closing.error);
  if constexpr (!std::is_void_v<T>) return decode<T>(closing.result ? std::string_view(*closing.result) : "null");
}

}  // namespace semel::detail
