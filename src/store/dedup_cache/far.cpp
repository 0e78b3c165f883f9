#include <algorithm>
#include <utility>

#include "store/dedup_cache/redis_dedup_cache.hpp"

/// The thread that talks to Redis: whatever waits when it comes round goes there together.
namespace semel::store {
namespace {

constexpr std::size_t keys_at_once = 1'000;
constexpr std::string_view released_mark = "released";

}  // namespace

Duration RedisDedupCache::work_far() {
  FarWork work;
  {
    const std::lock_guard lock(mutex_);
    work.is_closed = far_work_.is_closed;
    work = std::exchange(far_work_, FarWork{{}, {}, {}, work.is_closed});
    keys_waiting_ = 0;
  }
  link_.try_again(!work.forgettings.empty());
  forget_far(work.forgettings);
  for (std::size_t begin = 0; begin < work.look_ups.size();) {
    std::size_t end = begin;
    for (std::size_t keys = 0; end < work.look_ups.size() && keys < keys_at_once; ++end)
      keys += work.look_ups[end].missing.size();
    look_far(std::span(work.look_ups).subspan(begin, end - begin));
    begin = end;
  }
  add_far(work.entries);
  return link_.rest().value_or(Loop::until_woken);
}

/// The mark stays until every entry that could be found, here or in a copy of this Redis, is over.
void RedisDedupCache::forget_far(std::vector<Forgetting>& forgettings) {
  for (Forgetting& each : forgettings) {
    const Redis::Value mark{each.key, std::string(released_mark), options_.life + options_.grace};
    each.done(link_.use([&](Redis& redis) { redis.set(mark); }));
  }
}

void RedisDedupCache::look_far(std::span<LookUp> look_ups) {
  std::vector<std::string> keys;
  for (const LookUp& each : look_ups) {
    for (const std::size_t place : each.missing) keys.push_back(codec_.key_of(each.identities[place].hash));
  }
  std::vector<std::optional<std::string>> values;
  if (link_.is_up()) link_.use([&](Redis& redis) { values = redis.get(keys); });
  values.resize(keys.size());
  std::size_t next = 0;
  for (LookUp& each : look_ups) {
    for (const std::size_t place : each.missing) {
      const std::optional<std::string>& value = values[next++];
      if (value && *value != released_mark) take(each, place, *value);
    }
    finish(each);
  }
}

/// Whether it is over is judged after it was read: however long that took, it was true since the request came.
void RedisDedupCache::take(LookUp& look_up, std::size_t place, const std::string& bytes) {
  std::optional<CacheEntry> entry = codec_.decode(look_up.identities[place], bytes);
  if (!entry) {
    ++bad_entries_;
    return;
  }
  const Clock::time_point now = Clock::now();
  const Time store_time = store_now();
  if (entry->until <= store_time || !time_.is_known(now)) return;
  ++hits_far_;
  look_up.found[place] = entry->held;
  const Duration left = std::min<Duration>(entry->until - store_time, options_.life);
  near_.put(std::make_shared<const CacheEntry>(*std::move(entry)), now + left);
}

void RedisDedupCache::add_far(const std::vector<SharedEntry>& entries) {
  std::vector<Redis::Value> values;
  const Time now = store_now();
  for (const SharedEntry& each : entries) {
    const Duration left = each->until - now;
    if (left > Duration{0}) values.push_back({codec_.key_of(each->identity.hash), codec_.encode(*each), left});
  }
  if (!values.empty() && link_.is_up()) link_.use([&](Redis& redis) { redis.add(values); });
}

}  // namespace semel::store
