#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "domain/usage.hpp"
#include "domain/workflow/code/workflow.hpp"
#include "ports/store.hpp"

/// What the memory store keeps, as plain containers. Functions over it are grouped by idea: submit.cpp,
/// claim.cpp, attempt.cpp, dispatch.cpp, reopen.cpp, run.cpp, run_task.cpp, workflow.cpp, activation.cpp, promise.cpp,
/// queue.cpp, schedule.cpp, removal.cpp, upkeep.cpp, template.cpp. All of them decide by functions of the domain and
/// only look up and write.
namespace semel::store::memory {

using TenantAndId = std::pair<std::string, domain::ExecutionId>;
using TenantAndAttempt = std::pair<std::string, domain::AttemptId>;
using TenantAndHash = std::pair<std::string, Hash32>;
using TenantAndQueue = std::pair<std::string, std::string>;
using TenantAndSchedule = std::pair<std::string, std::string>;

/// What a pending task waits for.
enum class Phase : std::uint8_t {
  ready,    // for a worker
  waiting,  // for its run_at, until PromoteDue
  blocked,  // for another task with its concurrency_key to end
  none,     // nothing of that: it is held, attached to another, a run, or a promise
};

/// An execution with all that hangs on it and goes with it.
struct Record {
  domain::Execution execution;
  std::uint64_t seq = 0;  // the order of creation
  Phase phase = Phase::ready;
  std::vector<domain::Attempt> attempts;       // oldest first
  std::vector<domain::Dispatch> dispatches{};  // of those that are pushed
  std::uint64_t duplicates = 0;
  std::vector<DuplicateHit> last_duplicates;  // newest last
};

/// What belongs to a run beside its execution and its tasks, and goes with it.
struct RunRecord {
  Hash32 plan{};
  domain::RunFacts facts{};
  std::map<std::size_t, domain::StepOutcome> outcomes{};  // by step
  std::vector<HistoryEntry> history{};
};

/// What belongs to a code workflow beside its execution and its children, and goes with it.
struct WorkflowRecord {
  domain::code::Facts facts{};
  bool abandon = false;                                // it goes on when its parent ends
  std::optional<domain::AttemptId> last_activation{};  // that was answered
  std::optional<std::string> status{};
  std::map<std::int64_t, Time> timers{};                    // by command
  std::set<std::pair<std::string, std::string>> signals{};  // name and key of those that had one
  std::vector<HistoryEntry> history{};
};

/// What is left of a removed execution. It stays until another execution takes its identity or its id.
struct Tombstone {
  domain::Holder holder;
  bool client_made_id = false;
  std::optional<Hash32> hash;  // absent when it holds no identity: it had none, or it was taken over
  std::optional<Time> expires_at{};
};

/// A version of a template. The revision outlives the document, so that (version, revision) never names two
/// contents.
struct TemplateVersion {
  int revision = 0;
  std::optional<std::string> document;  // absent after RemoveTemplate
};

/// Tenant, namespace, name, version.
using TemplateKey = std::tuple<std::string, std::string, std::string, std::string>;

struct Tables {
  std::map<TenantAndId, Record> executions;
  std::map<TenantAndId, RunRecord> runs;            // each with its execution
  std::map<TenantAndId, WorkflowRecord> workflows;  // too
  std::map<TenantAndHash, std::shared_ptr<const domain::Graph>> plans;
  std::map<TenantAndId, domain::ExecutionId> attachments;  // which task of a run waits for whom
  std::map<TenantAndId, Tombstone> tombstones;             // no id is here and in `executions` at once
  /// Who holds an identity: the newest execution that carries it, or the tombstone of that one. A takeover
  /// moves it on; when the newest goes without a tombstone, no older one gets it back.
  std::map<TenantAndHash, domain::ExecutionId> holders;
  std::map<TenantAndAttempt, domain::ExecutionId> attempts;
  std::map<TemplateKey, TemplateVersion> templates;
  std::map<TenantAndQueue, domain::QueueOptions> queues;  // no tenant: of all
  std::map<TenantAndQueue, domain::TokenBucket> buckets;
  std::map<TenantAndSchedule, domain::ScheduleRecord> schedules;
  std::map<std::string, domain::ApiKey> keys;             // by id
  std::map<std::string, Hash32> secrets;                  // by name
  std::vector<std::pair<std::string, AuditEntry>> audit;  // tenant and entry, oldest first
  std::uint64_t last_seq = 0;
  domain::TenantLimits limits;
  std::vector<Change> changes;          // of the batch that is being applied
  std::vector<Ready> ready;             // too
  std::vector<domain::Execution> gone;  // too
  std::vector<TenantAndId> closed;      // tasks that somebody has still to be told of (settle_runs())
};

// ---- Commands. `now` is the one time of the batch.

Outcome apply(Tables& tables, const Submit& submit, Time now);
Outcome apply(Tables& tables, const Claim& claim, Time now);
Outcome apply(Tables& tables, const Complete& complete, Time now);
Outcome apply(Tables& tables, const Fail& fail, Time now);
Outcome apply(Tables& tables, const EndActivation& end, Time now);
Outcome apply(Tables& tables, const SignalWorkflow& signal, Time now);
Outcome apply(Tables& tables, const SettlePromise& settle, Time now);
Outcome apply(Tables& tables, const Heartbeat& heartbeat, Time now);
Outcome apply(Tables& tables, const GiveBack& given, Time now);
Outcome apply(Tables& tables, const Cancel& cancel, Time now);
Outcome apply(Tables& tables, const Reopen& reopen, Time now);
Outcome apply(Tables& tables, const RetrySteps& retry, Time now);
Outcome apply(Tables& tables, const ResolveStep& resolve, Time now);
Outcome apply(Tables& tables, const ExpireLeases& expire, Time now);
Outcome apply(Tables& tables, const PromoteDue& promote, Time now);
Outcome apply(Tables& tables, const Remove& remove, Time now);
Outcome apply(Tables& tables, const Sweep& sweep, Time now);
Outcome apply(Tables& tables, const Release& release, Time now);
Outcome apply(Tables& tables, const PutTemplate& put, Time now);
Outcome apply(Tables& tables, const RemoveTemplate& remove, Time now);
Outcome apply(Tables& tables, const PutQueue& put, Time now);
Outcome apply(Tables& tables, const PauseQueue& pause, Time now);
Outcome apply(Tables& tables, const SetQueueDefaults& defaults, Time now);
Outcome apply(Tables& tables, const PutSchedule& put, Time now);
Outcome apply(Tables& tables, const PauseSchedule& pause, Time now);
Outcome apply(Tables& tables, const RemoveSchedule& remove, Time now);
Outcome apply(Tables& tables, const AdvanceSchedule& advance, Time now);
Outcome apply(Tables& tables, const RecordDuplicates& record, Time now);
Outcome apply(Tables& tables, const CreateKey& create, Time now);
Outcome apply(Tables& tables, const RevokeKey& revoke, Time now);
Outcome apply(Tables& tables, const PostponeDispatch& postpone, Time now);
Outcome apply(Tables& tables, const TakeDispatches& take, Time now);
Outcome apply(Tables& tables, const RepairDispatch& repair, Time now);
Outcome apply(Tables& tables, const KeepSecret& keep, Time now);

/// What holds for a queue.
domain::QueueSettings settings_of(const Tables& tables, const std::string& tenant, const std::string& queue);

/// Finds the phase of a pending record that nobody works on, or no longer. It must be in the tables.
void enter_queue(Tables& tables, Record& record, Time now);
/// A task with a concurrency_key is not ready or running any more: makes room for the next ones, and says which, but
/// for the `known` one.
void make_room(Tables& tables, const domain::ExecutionSpec& gone, const Record* known = nullptr);

/// Notes that the record came to its state.
void tell(Tables& tables, const Record& record);

/// Closes a record that nobody works on, because its deadline has passed. A run is cancelled.
void time_out(Tables& tables, Record& record, Time now);

/// Cancels an open record at once, or asks its worker to stop. Whether it is closed.
bool cancel_record(Tables& tables, Record& record, bool force, Time now);

/// The record has come to its end, and said so: whoever waits for it will be told.
void has_closed(Tables& tables, const Record& record);

// ---- Dispatches (ADR 0021).

/// What stands beside an attempt that is pushed; null for others.
domain::Dispatch* find_dispatch(Record& record, domain::AttemptId id);
std::vector<StoredDispatch> dispatches(const Tables& tables, const DispatchQuery& query);
std::vector<DispatchDepth> dispatch_depths(const Tables& tables);
std::optional<Time> next_dispatch(const Tables& tables);

// ---- Runs (ADR 0010).

/// Makes what belongs to a run whose execution has just been made.
void add_run(Tables& tables, Record& run, const domain::RunPlan& plan);
/// The execution waits for others from now on.
void suspend(Record& record, Time now);
/// The run's time has come: it is suspended, and that has been told.
void start_run(Tables& tables, Record& run, Time now);
/// Nothing new is started, and the run's tasks are cancelled.
void cancel_run(Tables& tables, Record& run, domain::WhyCancelled why, const Cancel& how, Time now);
RunAnswer retry_run(Tables& tables, const RetrySteps& retry, Time now);
/// Tells the runs of tasks that have closed, and the tasks that are attached to them, until all is told.
void settle_runs(Tables& tables, Time now);
std::vector<TenantAndId> tasks_of_run(const Tables& tables, const TenantAndId& run);
/// What the handler of a task of a run gets.
domain::StepInput input_of(const Tables& tables, const domain::ExecutionSpec& task);

/// A task of a run, or a child of a code workflow, that is not worked on enters its queue, or waits for whoever holds
/// its key. What it came to, when that is known at once.
std::optional<domain::TaskOutcome> enter_task(
    Tables& tables, Record& task, Time now, domain::code::KeyConflict on_conflict = domain::code::KeyConflict::attach);
/// Those that are attached to a task that has closed get its result, or go on without it.
void tell_attached(Tables& tables, const TenantAndId& closed, Time now);
/// Closes a task of a run without an attempt.
void close_task(Tables& tables, Record& task, domain::TaskOutcome outcome, Time now);
void add_history(Tables& tables, const TenantAndId& run, const domain::HistoryEvent& event, Time now);

// ---- Code workflows (ADR 0018).

/// The record, or null where the execution is no code workflow.
WorkflowRecord* find_workflow(Tables& tables, const domain::ExecutionSpec& spec);
/// Makes what belongs to a code workflow whose execution has just been made.
void add_workflow(Tables& tables, Record& workflow, bool abandon, Time now);
/// Nothing new is begun, and what is open below is cancelled.
void cancel_workflow(Tables& tables, Record& workflow, const domain::CancelRequest& request, Time now);
/// A running activation has ended without an answer.
void end_activation_badly(Tables& tables, Record& workflow, domain::Attempt& attempt, const domain::Ending& ending,
                          std::optional<std::string> error, Time now);
/// What a code workflow has begun has closed.
void tell_workflow(Tables& tables, const domain::Execution& child, Time now);
/// Fires timers whose time has come, the earliest first. How many.
std::size_t fire_timers(Tables& tables, std::size_t max, Time now);
/// What the worker of an activation gets.
Activation read_activation(const WorkflowRecord& workflow);

/// Who else holds the execution's identity, so that it cannot have it back.
std::optional<domain::ExecutionId> other_holder(const Tables& tables, const domain::ExecutionSpec& spec, Time now);
/// Takes the identity for the execution from whoever had it.
void claim_identity(Tables& tables, const domain::ExecutionSpec& spec);

/// An attempt that runs, as whoever works on it gets it.
Lease lease_of(Tables& tables, Record& record, const domain::Attempt& attempt);

/// When something will happen to the record by itself: its lease ends, its time comes, its deadline passes.
std::optional<Time> timer_of(const Record& record);

/// A tombstone that holds nothing any more goes.
void forget_tombstone(Tables& tables, const TenantAndId& id);
/// The tombstone loses its identity to an execution. It stays for the promise of a client-made id only.
void take_from_tombstone(Tables& tables, const TenantAndId& id);

/// Adds to the audit log.
void note(Tables& tables, const std::string& tenant, AuditEntry entry);

// ---- Reads.

/// The holder that makes the submission a duplicate at `now`, or nothing when it would create an execution.
std::optional<Held> duplicate_of(const Tables& tables, const Submit& submit, Time now);

/// Whoever holds the identity, whatever it says of takeover.
std::optional<Held> holder_of_hash(const Tables& tables, std::string_view tenant, const Hash32& hash);

Result<Page> list(const Tables& tables, const ListQuery& query, const std::function<Time()>& now);

/// Removes what has closed in queues that keep nothing; `first` is the first change to look at.
void forget_closed(Tables& tables, std::size_t first, Time now);

/// The record, or null.
Record* find_record(Tables& tables, const std::string& tenant, domain::ExecutionId id);

}  // namespace semel::store::memory
