#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/api_key.hpp"
#include "domain/attempt.hpp"
#include "domain/dispatch.hpp"
#include "domain/execution.hpp"
#include "domain/holder.hpp"
#include "domain/queue.hpp"
#include "domain/schedule/record.hpp"
#include "domain/workflow/code/command.hpp"
#include "domain/workflow/run_plan.hpp"
#include "ports/outcome.hpp"

/// Every change of state is one of these commands. Commands that arrive together are applied by a store in one
/// transaction and answered after it is durable.
namespace semel {

/// Creates an execution, unless its id or its identity is held. With a plan it is a run (kind workflow), which begins
/// at its run_at. Of kind workflow without a plan, it is a code workflow, whose handler is "workflow:" and its kind; of
/// kind promise, nobody works on it, and it waits for SettlePromise until its deadline.
struct Submit {
  domain::ExecutionSpec spec;
  std::optional<Time> run_at;                // at most one of run_at and delay
  std::optional<Duration> delay;             // from the time of the commit
  std::optional<Time> deadline{};            // at most one of deadline and deadline_after
  std::optional<Duration> deadline_after{};  // from the time of the commit
  domain::Reuse reuse = domain::Reuse::allow_duplicate_failed_only;
  std::optional<domain::RunPlan> plan{};
  std::uint64_t probe_note = 0;  // the store's own: what its probe() found, so that apply() need not look again
};

/// Leases ready tasks: highest priority first, then order time, then id, over all queues and handlers asked for. With
/// weights, that order holds within each queue, and the queues share the leases as their weights say. Activations of
/// code workflows are leased likewise, to whoever names their handler. Tasks of queues with a target are leased only to
/// the dispatcher (`push`), and each such lease has a dispatch, made in the same step.
struct Claim {
  std::string tenant;
  std::string worker;
  std::vector<std::string> queues;
  std::vector<int> weights{};                        // of the queues, at least 1 each; empty = none
  std::optional<std::vector<std::string>> handlers;  // absent = any but those of code workflows
  Duration lease = domain::default_lease;
  std::vector<domain::AttemptId> attempt_ids;  // one for each lease that may be given: their number is the limit
  std::optional<Duration> push{};  // for the dispatcher, who says within that time what became of each dispatch
};

/// Ends an attempt with a result (absent = the handler returned nothing).
struct Complete {
  std::string tenant;
  domain::AttemptId attempt_id;
  std::optional<std::string> result;
};

/// Ends an attempt with an error: JSON text {"type", "message", …}. A failed activation is tried again for ever.
struct Fail {
  std::string tenant;
  domain::AttemptId attempt_id;
  std::string error;
  bool retryable = true;
  std::optional<Duration> retry_after{};  // instead of the pause of the task's policy
  std::optional<int> repair{};            // it is a target's answer, to this name: one to an old name is stale
};

/// Ends an activation: what the code of a workflow said. All of it is done, or nothing. Refused (Rejected) where the
/// answer cannot be that of this workflow (domain::code::end_activation()).
struct EndActivation {
  std::string tenant;
  domain::ExecutionId workflow;
  domain::AttemptId attempt_id;
  domain::code::Answer answer;
};

/// Tells a code workflow something. With a key, it is told once.
struct SignalWorkflow {
  std::string tenant;
  domain::ExecutionId id;
  domain::code::Signal signal;
  std::optional<std::string> key{};  // of signals with that name
};

/// Resolves or rejects a promise, once.
struct SettlePromise {
  std::string tenant;
  std::variant<domain::ExecutionId, std::string> promise{};  // its id, or its key
  bool resolves = true;
  std::string value = "null";  // the result, or the error: JSON text
};

/// Extends a lease, and tells how far the work has come. Of an attempt that is pushed, it also says that the target has
/// it: from then on the lease is what keeps it.
struct Heartbeat {
  std::string tenant;
  domain::AttemptId attempt_id;
  Duration lease = domain::default_lease;
  std::optional<domain::Progress> progress{};
  std::optional<std::string> accepted{};  // what the target said when it took the task
  int repair = 0;                         // and under which name: an answer to an old one is stale

  domain::BeatBy by() const { return accepted ? domain::BeatBy::answer : domain::BeatBy::caller; }
};

/// What was sent to a target has not arrived, or nobody knows: to be sent again. Nothing happens to a dispatch that the
/// target has accepted, that has another name by now, or whose attempt has ended.
struct PostponeDispatch {
  std::string tenant;
  domain::AttemptId attempt_id;
  bool is_ambiguous = false;  // nobody knows; else the target does not have it
  Duration pause{0};          // from the time of the commit
  std::string answer{};       // what the target said
  int repair = 0;             // under which name it was sent
  bool was_sent = true;       // else whoever took it had no room for it: no send counts
};

/// Takes dispatches that are to be sent again now: those whose pause is over, and those of whoever said nothing more,
/// in all tenants, earliest first. They are his who takes them for that time.
struct TakeDispatches {
  int max = 100;
  Duration hold = 1min;
  Duration ahead{0};  // also what is due within that time: for the only server of a store, when it has just started
};

/// Sends what a target has accepted once more, on purpose and under a new name. Audited.
struct RepairDispatch {
  std::string tenant;
  domain::ExecutionId id;  // of the task
  std::string by{};        // API key id
};

/// Keeps a secret of the servers, unless there is one of that name.
struct KeepSecret {
  std::string name;
  Hash32 proposed{};
};

/// Gives leases back that never reached their worker: as if they had not been given.
struct GiveBack {
  std::string tenant;
  std::vector<domain::AttemptId> attempt_ids;
};

/// Cancels a pending execution at once; asks the worker of a running one to stop. A run, or a code workflow, begins
/// nothing new, and what is open below it is cancelled so; it closes with the last of that.
struct Cancel {
  std::string tenant;
  domain::ExecutionId id;
  bool force = false;  // also a running one at once; audited
  std::string by{};    // API key id, for the audit log, and the history of a run
  std::string why{};   // for the history of a run
};

/// Opens an execution again that has closed without success, and claims its identity again. Of a run, all steps that
/// did not succeed are tried again; of a task of a run, its step is. Audited. A code workflow, what it has begun, and a
/// promise are not opened again: the history would say the same once more.
struct Reopen {
  std::string tenant;
  domain::ExecutionId id;
  std::string by{};  // API key id
};

/// Tries steps of a run again that did not succeed, and what was decided because of them. A closed run claims its
/// identity again. Audited.
struct RetrySteps {
  std::string tenant;
  domain::ExecutionId run;
  std::vector<std::string> steps{};  // none = all that did not succeed
  std::string by{};                  // API key id
  std::string why{};
};

/// Gives a blocked step of a run its result. Audited.
struct ResolveStep {
  std::string tenant;
  domain::ExecutionId run;
  std::string step;
  std::string result;  // JSON text
  std::string by{};    // API key id
  std::string why{};
};

/// Ends attempts whose lease has run out, and pending executions whose deadline has passed, in all tenants, oldest
/// first. Runs whose deadline has passed are cancelled.
struct ExpireLeases {
  int max = 1000;
};

/// Makes waiting tasks ready whose time has come, begins such runs, and then fires such timers of code workflows, in
/// all tenants, earliest first.
struct PromoteDue {
  int max = 1000;
};

/// Removes a closed execution; leaves a tombstone while its identity is held or its id promised. A run goes with its
/// tasks and its history, a code workflow with all that it has begun; they do not go without it. While something below
/// it is open, it stays.
struct Remove {
  std::string tenant;
  domain::ExecutionId id;
};

/// Removes closed executions whose retention has passed, and tombstones that hold nothing any more, in all tenants.
struct Sweep {
  int max = 200;  // of both together; a run goes as one, even when it has more tasks
};

/// Gives an identity free on purpose.
struct Release {
  std::string tenant;
  Hash32 hash{};
  bool force = false;  // also while the holder is open
  std::string by;      // API key id, for the audit log
};

/// Stores a template's document; other content under an existing version is its next revision.
struct PutTemplate {
  std::string tenant;
  std::string namespace_;
  std::string name;
  std::string version;
  std::string document;  // canonical JSON
};

struct RemoveTemplate {
  std::string tenant;
  std::string namespace_;
  std::string name;
  std::string version;  // empty = all versions
};

/// Says what holds for a tenant's queue, instead of what was said before. Audited.
struct PutQueue {
  std::string tenant;
  std::string name;
  domain::QueueOptions options;
  std::string by{};  // API key id
};

/// Stops giving out a queue's tasks, or goes on. All else that was said about it stays. Audited.
struct PauseQueue {
  std::string tenant;
  std::string name;
  bool paused = true;
  std::string by{};  // API key id
};

/// What the configuration says about the queues of all tenants, by name, instead of all that it said before.
struct SetQueueDefaults {
  std::map<std::string, domain::QueueOptions> queues;
};

/// Says what a schedule is, instead of what was said before. Refused (tenant_limit) beyond limits::schedules_max.
/// Audited.
struct PutSchedule {
  std::string tenant;
  std::string name;
  domain::ScheduleId id;  // for a new one
  domain::ScheduleDraft draft;
  std::string by{};  // API key id
};

/// Stops a schedule, or goes on: then what was missed meanwhile is due. Audited.
struct PauseSchedule {
  std::string tenant;
  std::string name;
  bool paused = true;
  std::string by{};  // API key id
};

/// Audited. The tasks of the schedule stay.
struct RemoveSchedule {
  std::string tenant;
  std::string name;
  std::string by{};  // API key id
};

/// One firing, with all that is to be done.
struct Firing {
  Time nominal;
  std::optional<Submit> submit{};                // absent: it is only recorded
  std::optional<domain::ExecutionId> cancels{};  // the task before, when there is one of this
  std::string refusal{};                         // why there is nothing to submit; empty: it is skipped
};

/// Makes the tasks of firings, and records how far the schedule has come: all of it, or nothing when the schedule is
/// not as it was seen. So no firing happens twice, whoever else fires, and however often this is tried.
struct AdvanceSchedule {
  std::string tenant;
  std::string name;
  domain::ScheduleId id;     // as it was seen
  std::int64_t version = 0;  // too
  std::vector<Firing> firings{};
  Time handled;
  std::optional<Time> next{};
};

/// One answered duplicate.
struct DuplicateHit {
  Time at;
  std::string key_id;
  std::string answer;  // e.g. "409 CONFLICT"

  bool operator==(const DuplicateHit&) const = default;
};

/// The duplicates that one holder has prevented: a count and the last ones, newest last.
struct DuplicateTally {
  std::string tenant;
  domain::ExecutionId id;
  std::uint64_t count = 0;
  std::vector<DuplicateHit> last;
};
inline constexpr std::size_t duplicate_hits_kept = 20;

/// Adds tallies to those stored.
struct RecordDuplicates {
  std::vector<DuplicateTally> tallies;
};

/// Stores an API key; the store sets `created_at`, and `expires_at` from `expires_in`. Audited.
struct CreateKey {
  domain::ApiKey key;
  std::optional<Duration> expires_in;
};

/// Ends an API key for good. Audited.
struct RevokeKey {
  std::optional<std::string> tenant;  // only a key of this tenant; absent = of any
  std::string id;
  std::string by;  // API key id
};

using Command = std::variant<Submit, Claim, Complete, Fail, EndActivation, SignalWorkflow, SettlePromise, Heartbeat,
                             GiveBack, Cancel, Reopen, RetrySteps, ResolveStep, ExpireLeases, PromoteDue, Remove, Sweep,
                             Release, PutTemplate, RemoveTemplate, PutQueue, PauseQueue, SetQueueDefaults, PutSchedule,
                             PauseSchedule, RemoveSchedule, AdvanceSchedule, RecordDuplicates, CreateKey, RevokeKey,
                             PostponeDispatch, TakeDispatches, RepairDispatch, KeepSecret>;

}  // namespace semel
