#pragma once
#include <type_traits>
#include <utility>

#include "sdk/testing/memory_backend.hpp"

namespace semel::sdk {

template <typename F>
auto MemoryBackend::locked(F&& act) {
  std::vector<std::function<void()>> calls;
  const auto call_all = [&] {
    for (const auto& call : calls) call();
  };
  std::unique_lock lock(mutex_);
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    act();
    calls = std::exchange(calls_, {});
    lock.unlock();
    changed_.notify_all();
    call_all();
  } else {
    auto result = act();
    calls = std::exchange(calls_, {});
    lock.unlock();
    changed_.notify_all();
    call_all();
    return result;
  }
}

}  // namespace semel::sdk
