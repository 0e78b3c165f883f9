#pragma once
#include "store/common/finding.hpp"
#include "store/dedup_cache/redis_target.hpp"

namespace semel::store {

/// What a look at a Redis from outside finds that is to be a dedup cache.
Findings examine_cache(const RedisTarget& target);

}  // namespace semel::store
