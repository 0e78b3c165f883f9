#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "ports/change.hpp"
#include "ports/command.hpp"
#include "ports/dispatch.hpp"
#include "ports/list.hpp"
#include "ports/news.hpp"
#include "ports/promises.hpp"
#include "ports/ready.hpp"
#include "ports/run.hpp"

namespace semel {

/// What a batch of commands came to.
struct Applied {
  Time now;                               // the time that all its decisions used
  std::vector<Outcome> outcomes;          // one for each command, in order
  std::vector<Change> changes{};          // of state, in the order in which they happened
  std::vector<Ready> ready{};             // without a change of state: their time or their turn has come
  std::vector<domain::Execution> gone{};  // closed and removed by the same step: their queue keeps nothing
};

/// The answer to a command that the store could not commit for a reason of its own.
inline Error nothing_changed() {
  return {ErrorCode::unavailable, "the store cannot take changes now; nothing was changed, try again"};
}

/// The answer to a command of which nobody knows whether it was committed.
inline Error outcome_unknown() {
  return {ErrorCode::outcome_unknown,
          "the connection to the database broke during the commit: the outcome is unknown; it is safe to repeat the "
          "request with the same key or task_uuid"};
}

/// A stored template.
struct StoredTemplate {
  std::string tenant;
  std::string namespace_;
  std::string name;
  std::string version;
  int revision = 1;
  std::string document;
};

/// What was said about a queue. No tenant: by the configuration, for all of them.
struct StoredQueue {
  std::string tenant{};
  std::string name{};
  domain::QueueOptions options{};
};

/// What the engine asks of a database. The specification is tests/contract/store_contract.hpp; the memory store is
/// its readable form. It shows no SQL, row or transaction, and takes no time: a store knows its own clock.
class Store {
 public:
  virtual ~Store() = default;

  /// Applies the commands: each is atomic, and durable when this returns. Memory and SQLite apply all of them as one
  /// step; a store with many writers may need several, and answers what failed after the first with Rejected
  /// (unavailable). Throws StoreFault when nothing was applied, and OutcomeUnknown when nobody knows. Commands of one
  /// kind are applied in order (two submissions of one identity: the first creates, the second finds it held), and a
  /// claim after the answers of workers that stand before it, in their step where these go well; no other order is
  /// promised between kinds. Called by as many threads as appliers() says.
  virtual Applied apply(std::span<const Command> commands) = 0;

  // What follows only reads, and may be called from any thread at any time. It sees what apply() has returned.

  /// For each submission, the holder that makes it a duplicate now, or nothing when it should be applied. A store may
  /// leave itself a note in the submission.
  virtual std::vector<std::optional<Held>> probe(std::span<Submit* const> submissions) = 0;

  virtual std::optional<domain::Execution> find(std::string_view tenant, domain::ExecutionId id) = 0;
  /// How an execution ended that was removed when it closed, for a while: whoever waits for it at another server than
  /// the one that removed it learns it so.
  virtual std::optional<domain::Execution> find_departed(std::string_view /*tenant*/, domain::ExecutionId /*id*/) {
    return std::nullopt;
  }
  /// What retention left of an execution, while its tombstone stays.
  virtual std::optional<domain::Holder> find_tombstone(std::string_view tenant, domain::ExecutionId id) = 0;
  /// The newest execution that carries the identity, in any state, also released or with its window passed.
  virtual std::optional<Held> find_holder(std::string_view tenant, const Hash32& hash) = 0;
  /// Oldest first.
  virtual std::vector<domain::Attempt> attempts(std::string_view tenant, domain::ExecutionId id) = 0;
  /// Of these executions, the attempts that run, in any order.
  virtual std::vector<domain::Attempt> running_attempts(std::string_view tenant,
                                                        std::span<const domain::ExecutionId> ids) {
    std::vector<domain::Attempt> running;
    for (const domain::ExecutionId id : ids) {
      for (domain::Attempt& attempt : attempts(tenant, id))
        if (attempt.outcome == domain::AttemptOutcome::running) running.push_back(std::move(attempt));
    }
    return running;
  }
  /// Nothing when there is no such run.
  virtual std::optional<StoredRun> run(std::string_view tenant, domain::ExecutionId id) = 0;
  /// Nothing when there is no such code workflow.
  virtual std::optional<StoredWorkflow> workflow(std::string_view tenant, domain::ExecutionId id) = 0;
  /// What happened in a run or a code workflow, in order, from the first after `after` on.
  virtual std::vector<HistoryEntry> history(std::string_view tenant, domain::ExecutionId id, std::int64_t after,
                                            std::size_t limit) = 0;
  virtual DuplicateTally duplicates(std::string_view tenant, domain::ExecutionId id) = 0;
  /// The newest revision of every version of every template of every tenant.
  virtual std::vector<StoredTemplate> templates() = 0;
  /// Of one template's versions only.
  virtual std::vector<StoredTemplate> template_versions(std::string_view tenant, std::string_view namespace_,
                                                        std::string_view name) {
    std::vector<StoredTemplate> found = templates();
    std::erase_if(found, [&](const StoredTemplate& each) {
      return each.tenant != tenant || each.namespace_ != namespace_ || each.name != name;
    });
    return found;
  }

  /// Of all tenants, by tenant and name.
  virtual std::vector<StoredQueue> queues() = 0;

  virtual std::optional<domain::ScheduleRecord> schedule(std::string_view tenant, std::string_view name) = 0;
  /// A tenant's, by name, from the first after `after` on.
  virtual std::vector<domain::ScheduleRecord> schedules(std::string_view tenant, std::string_view after,
                                                        std::size_t limit) = 0;
  /// Of all tenants, those that have something due at `until` and are not paused, earliest first.
  virtual std::vector<domain::ScheduleRecord> due_schedules(Time until, std::size_t limit) = 0;
  /// When the first of all that are not paused has something due.
  virtual std::optional<Time> next_schedule() = 0;

  /// Refuses (bad_request) a cursor that no page of this store has given.
  virtual Result<Page> list(const ListQuery& query) = 0;
  /// All API keys of all tenants, also expired and revoked ones.
  virtual std::vector<domain::ApiKey> api_keys() = 0;
  /// A tenant's entries, newest first; only those before the entry `before`, when it is given.
  virtual std::vector<AuditEntry> audit(std::string_view tenant, std::optional<std::int64_t> before,
                                        std::size_t limit) = 0;

  /// Of all tenants, by tenant and queue. Counts row by row: not for every request.
  virtual std::vector<QueueDepth> queue_depths() = 0;

  /// As many as match, newest attempts first.
  virtual std::vector<StoredDispatch> dispatches(const DispatchQuery& query) = 0;
  /// Of all tenants. Counts row by row.
  virtual std::vector<DispatchDepth> dispatch_depths() = 0;
  /// When the first dispatch of all tenants is to be sent again, or to be looked at.
  virtual std::optional<Time> next_dispatch() = 0;

  /// When the next lease ends, or the next waiting task, deadline or timer is due, over all tenants.
  virtual std::optional<Time> next_timer() = 0;

  /// The store's clock: never goes backwards. Cheap.
  virtual Time now() const = 0;

  /// Called by the applier thread when no command waits: does one bounded piece of housekeeping (at most about
  /// 20 ms) and says whether more is left.
  virtual bool tidy_up() { return false; }

  // What follows matters for a store that several servers share. Others keep to what is written here.

  /// How many threads may be in apply() at a time.
  virtual int appliers() const { return 1; }
  /// Whether other servers may change the same store.
  virtual bool is_shared() const { return false; }
  /// Whether reads wait for another process: then they are not for threads that must not wait.
  virtual bool reads_wait() const { return false; }
  /// From now on `heard` is told what is done to the store, by a thread of the store's own. Nothing instead of it ends
  /// that: then the last call has returned.
  virtual void listen(std::function<void(const News&)> /*heard*/) {}
  /// Whether this server does now what one of all servers should do: ending leases, promoting, firing, sweeping. It
  /// spares the others the work; nothing goes wrong when two do it.
  virtual bool leads() { return true; }
  /// Called now and then on the server that leads, by a thread that nobody waits for: puts away, in one bounded step,
  /// what closed a while ago and is kept for long. Says whether more is left.
  virtual bool archive() { return false; }
  /// Where the store can promise that something stays as it is. Only such a store ever answers Postponed.
  virtual Promises* promises() { return nullptr; }
};

}  // namespace semel
