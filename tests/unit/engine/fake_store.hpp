#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <semaphore>
#include <utility>
#include <vector>

#include "ports/store.hpp"
#include "tests/support/manual_clock.hpp"

namespace semel::test {

/// Holds whoever passes until it is opened, and tells when somebody has come. Callable from any thread.
class Gate {
 public:
  /// From now on passers are held, each until one let_through().
  void close() { closed_ = true; }
  /// Those who come are no longer held; whoever is held now still needs let_through().
  void open() { closed_ = false; }
  void pass() {
    if (!closed_) return;
    arrived_.release();
    let_through_.acquire();
  }
  void wait_for_arrival() { arrived_.acquire(); }
  void let_through() { let_through_.release(); }

 private:
  std::atomic<bool> closed_ = false;
  std::counting_semaphore<> arrived_{0};
  std::counting_semaphore<> let_through_{0};
};

/// A store that answers cancellations and claims without looking, and remembers the batches that it was
/// given.
class FakeStore : public Store {
 public:
  Gate gate;                                               // passed at the beginning of each apply()
  std::function<Outcome(const Command&)> outcome;          // of each command, instead of the usual one
  std::vector<Change> changes;                             // that `outcome` made
  std::function<void(std::size_t batch)> before_outcomes;  // may throw
  std::function<bool()> housekeeping;
  int appliers_max = 1;

  Applied apply(std::span<const Command> commands) override {
    if (std::holds_alternative<SetQueueDefaults>(commands.front())) {  // what an engine says before anything else
      return {ManualClock::start, {QueueDefaultsSet{}}};
    }
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = batches_.size();
      batches_.emplace_back(commands.begin(), commands.end());
    }
    gate.pass();
    if (before_outcomes) before_outcomes(number);
    Applied applied{ManualClock::start, {}};
    for (const Command& command : commands) applied.outcomes.push_back(outcome ? outcome(command) : usual(command));
    {
      const std::lock_guard lock(mutex_);
      applied.changes = std::exchange(changes, {});
    }
    ++applied_;
    return applied;
  }

  std::vector<std::vector<Command>> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  std::vector<std::size_t> batch_sizes() const {
    std::vector<std::size_t> sizes;
    for (const auto& batch : batches()) sizes.push_back(batch.size());
    return sizes;
  }
  std::size_t applied() const { return applied_; }

  std::vector<std::optional<Held>> probe(std::span<Submit* const> submissions) override {
    return std::vector<std::optional<Held>>(submissions.size());
  }
  std::optional<domain::Execution> find(std::string_view, domain::ExecutionId) override { return std::nullopt; }
  std::optional<domain::Holder> find_tombstone(std::string_view, domain::ExecutionId) override { return std::nullopt; }
  std::optional<Held> find_holder(std::string_view, const Hash32&) override { return std::nullopt; }
  std::vector<domain::Attempt> attempts(std::string_view, domain::ExecutionId) override { return {}; }
  std::optional<StoredRun> run(std::string_view, domain::ExecutionId) override { return std::nullopt; }
  std::optional<StoredWorkflow> workflow(std::string_view, domain::ExecutionId) override { return std::nullopt; }
  std::vector<HistoryEntry> history(std::string_view, domain::ExecutionId, std::int64_t, std::size_t) override {
    return {};
  }
  DuplicateTally duplicates(std::string_view tenant, domain::ExecutionId id) override {
    return {std::string(tenant), id, 0, {}};
  }
  std::vector<StoredTemplate> templates() override { return {}; }
  std::vector<StoredQueue> queues() override { return {}; }
  std::optional<domain::ScheduleRecord> schedule(std::string_view, std::string_view) override { return std::nullopt; }
  std::vector<domain::ScheduleRecord> schedules(std::string_view, std::string_view, std::size_t) override { return {}; }
  std::vector<domain::ScheduleRecord> due_schedules(Time, std::size_t) override { return {}; }
  std::optional<Time> next_schedule() override { return std::nullopt; }
  Result<Page> list(const ListQuery&) override { return Page{}; }
  std::vector<domain::ApiKey> api_keys() override { return {}; }
  std::vector<AuditEntry> audit(std::string_view, std::optional<std::int64_t>, std::size_t) override { return {}; }
  std::vector<QueueDepth> queue_depths() override { return {}; }
  std::vector<StoredDispatch> dispatches(const DispatchQuery&) override { return {}; }
  std::vector<DispatchDepth> dispatch_depths() override { return {}; }
  std::optional<Time> next_dispatch() override { return std::nullopt; }
  std::optional<Time> next_timer() override { return std::nullopt; }
  Time now() const override { return ManualClock::start; }
  bool tidy_up() override { return housekeeping && housekeeping(); }
  int appliers() const override { return appliers_max; }

  static Outcome usual(const Command& command) {
    if (const auto* submit = std::get_if<Submit>(&command)) {
      return Created{submit->spec.id, ManualClock::start, ManualClock::start, true, std::nullopt};
    }
    if (std::holds_alternative<Claim>(command)) return Claimed{};
    if (std::holds_alternative<ExpireLeases>(command)) return LeasesExpired{};
    if (std::holds_alternative<PromoteDue>(command)) return Promoted{};
    if (std::holds_alternative<Sweep>(command)) return Swept{};
    if (std::holds_alternative<RecordDuplicates>(command)) return DuplicatesRecorded{};
    if (std::holds_alternative<AdvanceSchedule>(command)) return ScheduleAdvanced{};
    return CancelAnswer{};
  }

 private:
  mutable std::mutex mutex_;  // guards batches_
  std::vector<std::vector<Command>> batches_;
  std::atomic<std::size_t> applied_ = 0;
};

}  // namespace semel::test
