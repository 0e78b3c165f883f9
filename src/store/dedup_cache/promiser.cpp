#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "store/dedup_cache/redis_dedup_cache.hpp"

/// The thread that asks the store for promises, for all that are wanted together, and for the time.
namespace semel::store {
namespace {

constexpr std::size_t promises_at_once = 500;
constexpr Duration time_asked_every = StoreTime::known_for / 3;

}  // namespace

Duration RedisDedupCache::make_promises() {
  std::vector<Wanted> wanted;
  bool is_more = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min(wanted_.size(), promises_at_once);
    const auto end = wanted_.begin() + static_cast<std::ptrdiff_t>(count);
    wanted.assign(std::make_move_iterator(wanted_.begin()), std::make_move_iterator(end));
    wanted_.erase(wanted_.begin(), end);
    is_more = !wanted_.empty();
  }
  std::vector<Holding> holdings;
  for (const auto& [entry, queue] : wanted) {
    const domain::Holder& holder = entry.held.holder;
    holdings.push_back({entry.identity.tenant, entry.identity.hash, holder.id, holder.closed_at, queue});
  }
  const Clock::time_point asked_at = Clock::now();
  try {
    const Promised answer = promises_.promise(holdings, options_.life, options_.grace);
    time_.told(answer.now, asked_at);
    promised(std::move(wanted), answer, asked_at);
  } catch (const StoreFault& fault) {
    log::debug("nothing was promised to the dedup cache: {}", fault.what());
    for (const Wanted& each : wanted) near_.asked_in_vain(each.entry.identity, asked_at);
  }
  return is_more ? Duration{0} : time_asked_every;
}

void RedisDedupCache::promised(std::vector<Wanted> wanted, const Promised& answer, Clock::time_point asked_at) {
  std::vector<SharedEntry> entries;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!answer.until[i]) {
      near_.asked_in_vain(wanted[i].entry.identity, asked_at);
      continue;
    }
    wanted[i].entry.until = *answer.until[i];
    entries.push_back(std::make_shared<const CacheEntry>(std::move(wanted[i].entry)));
    near_.put(entries.back(), asked_at + options_.life);
  }
  if (entries.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    std::move(entries.begin(), entries.end(), std::back_inserter(far_work_.entries));
  }
  far_.wake();
}

}  // namespace semel::store
