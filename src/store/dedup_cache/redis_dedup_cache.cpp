#include "store/dedup_cache/redis_dedup_cache.hpp"

#include <algorithm>
#include <utility>

namespace semel::store {
namespace {

constexpr std::size_t keys_waiting_max = 10'000;

}  // namespace

RedisDedupCache::RedisDedupCache(Promises& promises, DedupCacheOptions options)
    : promises_(promises),
      options_(std::move(options)),
      codec_(promises.secret()),
      near_(options_.near),
      link_({options_.target, options_.patience}),
      far_("dedup cache", [this] { return work_far(); }),
      promiser_("promises", [this] { return make_promises(); }) {}

RedisDedupCache::~RedisDedupCache() { close(); }

void RedisDedupCache::close() {
  {
    const std::lock_guard lock(mutex_);
    far_work_.is_closed = true;
    wanted_.clear();
  }
  promiser_.stop();
  far_.wake();  // a loop finishes the pass that it was woken for
  far_.stop();
}

void RedisDedupCache::look_up(std::vector<Identity> identities, std::function<void(Found)> found) {
  LookUp look_up{std::move(identities), {}, {}, std::move(found)};
  const Time now = store_now();
  for (std::size_t i = 0; i < look_up.identities.size(); ++i) {
    const SharedEntry entry = near_.find(look_up.identities[i], now, Clock::now());
    look_up.found.push_back(entry ? std::optional(entry->held) : std::nullopt);
    if (!entry) look_up.missing.push_back(i);
  }
  hits_near_ += look_up.identities.size() - look_up.missing.size();
  if (!wait_for_far(look_up)) finish(look_up);
}

/// False when there is nothing to wait for.
bool RedisDedupCache::wait_for_far(LookUp& look_up) {
  if (look_up.missing.empty() || !link_.is_up() || !time_.is_known(Clock::now())) return false;
  {
    const std::lock_guard lock(mutex_);
    if (far_work_.is_closed || keys_waiting_ + look_up.missing.size() > keys_waiting_max) return false;
    keys_waiting_ += look_up.missing.size();
    far_work_.look_ups.push_back(std::move(look_up));
  }
  far_.wake();
  return true;
}

void RedisDedupCache::finish(LookUp& look_up) {
  for (const std::optional<Held>& each : look_up.found) misses_ += each ? 0 : 1;
  look_up.done(std::move(look_up.found));
}

void RedisDedupCache::met(const Identity& identity, const Held& held) {
  if (!is_kept(held, options_.entry_bytes_max) || !near_.met(identity, Clock::now())) return;
  bool is_wanted = false;
  {
    const std::lock_guard lock(mutex_);
    is_wanted = !far_work_.is_closed && wanted_.size() < keys_waiting_max;
    if (is_wanted) wanted_.push_back({entry_of(identity, held), held.execution->spec.queue});
  }
  if (is_wanted) promiser_.wake();
  else near_.asked_in_vain(identity, Clock::now());
}

void RedisDedupCache::forget(Identity identity, std::function<void(bool)> done) {
  near_.forget(identity);
  {
    const std::lock_guard lock(mutex_);
    if (!far_work_.is_closed) {
      far_work_.forgettings.push_back({codec_.key_of(identity.hash), std::move(done)});
      done = nullptr;
    }
  }
  if (done) return done(false);
  far_.wake();
}

DedupCache::Counts RedisDedupCache::counts() const {
  return {hits_near_, hits_far_, misses_, bad_entries_ + link_.faults(), link_.is_up()};
}

}  // namespace semel::store
