#include "store/dedup_cache/redis_link.hpp"

#include <algorithm>

namespace semel::store {

std::optional<Duration> RedisLink::rest() const {
  if (is_up_) return std::nullopt;
  return std::max(Duration{0}, std::chrono::ceil<Duration>(next_try_ - Clock::now()));
}

void RedisLink::try_again(bool now) {
  if (is_up_ || (!now && Clock::now() < next_try_)) return;
  use([](Redis& redis) { redis.ping(); });
}

void RedisLink::succeeded() {
  pause_ = options_.pause_min;
  if (!is_up_.exchange(true)) log::info("the dedup cache answers again");
}

void RedisLink::failed(const RedisFault& fault) {
  ++faults_;
  next_try_ = Clock::now() + pause_;
  pause_ = std::min(2 * pause_, options_.pause_max);
  if (is_up_.exchange(false))
    log::warn("the dedup cache is left alone until it answers: {}; PostgreSQL is asked meanwhile", fault.what());
}

}  // namespace semel::store
