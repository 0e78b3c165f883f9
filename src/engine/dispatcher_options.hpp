#pragma once
#include <string>

#include "domain/retry.hpp"
#include "ports/dispatch_target.hpp"

namespace semel::engine {

struct DispatcherOptions {
  DispatchTargets* targets =
      nullptr;  // without, nothing is pushed, and no queue may have a target; outlives the engine
  Duration token_lifetime = std::chrono::hours(24 * 7);
  /// Between sends of one dispatch, and before a target that had nothing gets new ones.
  domain::RetryPolicy again{1, domain::Backoff::exponential, 1s, 1min, 50};
};

}  // namespace semel::engine
