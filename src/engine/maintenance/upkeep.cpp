#include "base/log.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

constexpr std::size_t tallies_a_commit = 200;

std::optional<Time> earlier(std::optional<Time> left, std::optional<Time> right) {
  if (!left || !right) return left ? left : right;
  return std::min(*left, *right);
}

/// Runs `done` when the last copy of it goes.
std::shared_ptr<void> when_over(std::function<void()> done) {
  return {nullptr, [done = std::move(done)](void*) { done(); }};
}

}  // namespace

void Engine::maintain(std::function<void()> done) {
  const std::shared_ptr<void> over = when_over(std::move(done));
  if (store_.leads()) do_for_all(over);
  turns_.wake(store_.now());
  if (dispatcher_) dispatcher_->expect(store_.now());
  if (std::optional<CommitQueue::Entry> flush = duplicates_to_flush()) {
    flush->done = [restore = std::move(flush->done), over](Committed committed) { restore(std::move(committed)); };
    if (!commits_.push(std::move(flush->command), flush->done)) flush->done({store_.now(), pass_on(overloaded())});
  }
}

/// What one of all servers does for everybody.
void Engine::do_for_all(const std::shared_ptr<void>& over) {
  commit<LeasesExpired>(ExpireLeases{}, [this, over](Result<LeasesExpired> expired) {
    if (expired && expired->more) maintenance_.wake();
  });
  commit<Promoted>(PromoteDue{}, [this, over](Result<Promoted> promoted) {
    if (promoted && promoted->more) maintenance_.wake();
  });
  fire_schedules(over);
  if (to_ms(store_.now()) >= next_sweep_ms_) sweep(over);
}

/// A small batch at a time, so that others are not held up.
void Engine::sweep(const std::shared_ptr<void>& over) {
  next_sweep_ms_ = to_ms(store_.now() + options_.swept_every);
  commit<Swept>(Sweep{}, [this, over](const Result<Swept>& swept) {
    if (!swept) return;
    metrics_.swept(swept->executions, swept->tombstones);
    if (swept->more && !stopping_) sweep(over);
  });
}

/// A step at a time: timers are not to wait for it.
void Engine::archive() {
  if (to_ms(store_.now()) < next_archive_ms_) return;
  bool more = false;
  try {
    more = store_.archive();
  } catch (const StoreFault& fault) {
    log::warn("what has closed cannot be put away now, trying again later: {}", fault.what());
  }
  next_archive_ms_ = to_ms(store_.now() + (more ? Duration{0} : options_.archived_every));
}

/// Sleeps until the next lease ends, the next task or schedule is due, or counts should be flushed; woken when one
/// comes earlier.
Duration Engine::maintenance_pass() {
  maintain([] {});
  if (store_.is_shared() && (settings_are_stale_ || to_ms(store_.now()) >= next_look_ms_)) look_again();
  if (settings_are_stale_) return 1s;
  std::optional<Time> next = turns_.next();
  if (store_.leads()) {
    try {
      next = earlier(next, store_.next_timer());
      next = earlier(next, next_firing_round());
    } catch (const StoreFault& fault) {
      log::warn("cannot read the next timer, trying again soon: {}", fault.what());
      return 1s;
    }
    next_timer_ms_ = next ? to_ms(*next) : std::numeric_limits<std::int64_t>::max();
    archive();
    next = earlier(next, earlier(from_ms(next_sweep_ms_), from_ms(next_archive_ms_)));
  }
  if (store_.is_shared()) next = earlier(next, from_ms(next_look_ms_));
  const Duration until_flush = options_.duplicates_flushed_after;
  return next ? std::clamp<Duration>(*next - store_.now(), Duration{1}, until_flush) : until_flush;
}

void Engine::expect_timer(Time due) {
  std::int64_t known = next_timer_ms_.load();
  while (to_ms(due) < known) {
    if (!next_timer_ms_.compare_exchange_weak(known, to_ms(due))) continue;
    maintenance_.wake();
    return;
  }
}

/// Counts go with a commit that happens anyway. A shared store looks for duplicates only in the commit itself, so that
/// a batch may be nothing but duplicates, which cost no write: there they wait for a commit of their own.
std::optional<CommitQueue::Entry> Engine::riding_duplicates() {
  return store_.is_shared() ? std::nullopt : duplicates_to_flush();
}

std::optional<CommitQueue::Entry> Engine::duplicates_to_flush() {
  std::vector<DuplicateTally> tallies = duplicates_.take(tallies_a_commit);
  if (tallies.empty()) return std::nullopt;
  auto kept = std::make_shared<std::vector<DuplicateTally>>(tallies);
  return CommitQueue::Entry{RecordDuplicates{std::move(tallies)}, [this, kept](Committed committed) {
                              // What may have been counted is not counted again: the figures say "at least".
                              const bool is_lost = !committed.outcome;
                              const bool may_count =
                                  is_lost && committed.outcome.error().code == ErrorCode::outcome_unknown;
                              if (is_lost && !may_count) duplicates_.put_back(std::move(*kept));
                            }};
}

}  // namespace semel::engine
