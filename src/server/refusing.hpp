#pragma once
#include <type_traits>

#include "base/error.hpp"
#include "base/result.hpp"

namespace semel::server {

/// The boundary at which a fault of a store becomes a refusal.
template <typename Act>
auto refusing(const Act& act) -> Result<decltype(act())> {
  try {
    if constexpr (std::is_void_v<decltype(act())>) return act(), Result<void>{};
    else return act();
  } catch (const StoreFault& fault) {
    return refuse(ErrorCode::unavailable, "{}", fault.what());
  }
}

}  // namespace semel::server
