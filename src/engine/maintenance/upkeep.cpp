#include "base/log.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

constexpr std::size_t tallies_a_commit = 200;

/// Runs `done` when the last copy of it goes.
std::shared_ptr<void> when_over(std::function<void()> done) {
  return {nullptr, [done = std::move(done)](void*) { done(); }};
}

}  // namespace

void Engine::maintain(std::function<void()> done) {
  const std::shared_ptr<void> over = when_over(std::move(done));
  commit<LeasesExpired>(ExpireLeases{}, [this, over](Result<LeasesExpired> expired) {
    if (expired && expired->more) maintenance_.wake();
  });
  commit<Promoted>(PromoteDue{}, [this, over](Result<Promoted> promoted) {
    if (promoted && promoted->more) maintenance_.wake();
  });
  turns_.wake(store_.now());
  fire_schedules(over);
  if (to_ms(store_.now()) >= next_sweep_ms_) sweep(over);
  if (std::optional<CommitQueue::Entry> flush = duplicates_to_flush()) {
    flush->done = [restore = std::move(flush->done), over](Committed committed) { restore(std::move(committed)); };
    if (!commits_.push(std::move(flush->command), flush->done)) flush->done({store_.now(), pass_on(overloaded())});
  }
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

/// Sleeps until the next lease ends, the next task or schedule is due, or counts should be flushed; woken when one
/// comes earlier.
Duration Engine::maintenance_pass() {
  maintain([] {});
  std::optional<Time> next;
  try {
    next = store_.next_timer();
    if (const std::optional<Time> firing = next_firing_round()) next = std::min(next.value_or(*firing), *firing);
  } catch (const StoreFault& fault) {
    log::warn("cannot read the next timer, trying again soon: {}", fault.what());
    return 1s;
  }
  if (const std::optional<Time> turn = turns_.next()) next = std::min(next.value_or(*turn), *turn);
  next_timer_ms_ = next ? to_ms(*next) : std::numeric_limits<std::int64_t>::max();
  const Time sweep = from_ms(next_sweep_ms_);
  next = std::min(next.value_or(sweep), sweep);
  const Duration until_flush = options_.duplicates_flushed_after;
  return std::clamp<Duration>(*next - store_.now(), Duration{1}, until_flush);
}

void Engine::expect_timer(Time due) {
  std::int64_t known = next_timer_ms_.load();
  while (to_ms(due) < known) {
    if (!next_timer_ms_.compare_exchange_weak(known, to_ms(due))) continue;
    maintenance_.wake();
    return;
  }
}

std::optional<CommitQueue::Entry> Engine::duplicates_to_flush() {
  std::vector<DuplicateTally> tallies = duplicates_.take(tallies_a_commit);
  if (tallies.empty()) return std::nullopt;
  auto kept = std::make_shared<std::vector<DuplicateTally>>(tallies);
  return CommitQueue::Entry{RecordDuplicates{std::move(tallies)}, [this, kept](Committed committed) {
                              if (!committed.outcome) duplicates_.put_back(std::move(*kept));
                            }};
}

}  // namespace semel::engine
