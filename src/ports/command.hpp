#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/api_key.hpp"
#include "domain/attempt.hpp"
#include "domain/execution.hpp"
#include "domain/holder.hpp"
#include "domain/queue.hpp"
#include "domain/schedule/record.hpp"

/// Every change of state is one of these commands. Commands that arrive together are applied by a store in one
/// transaction and answered after it is durable.
namespace semel {

/// Creates an execution, unless its id or its identity is held.
struct Submit {
  domain::ExecutionSpec spec;
  std::optional<Time> run_at;                // at most one of run_at and delay
  std::optional<Duration> delay;             // from the time of the commit
  std::optional<Time> deadline{};            // at most one of deadline and deadline_after
  std::optional<Duration> deadline_after{};  // from the time of the commit
  domain::Reuse reuse = domain::Reuse::allow_duplicate_failed_only;
  std::uint64_t probe_note = 0;  // the store's own: what its probe() found, so that apply() need not look again
};

/// Leases ready tasks: highest priority first, then order time, then id, over all queues and handlers asked for. With
/// weights, that order holds within each queue, and the queues share the leases as their weights say.
struct Claim {
  std::string tenant;
  std::string worker;
  std::vector<std::string> queues;
  std::vector<int> weights{};                        // of the queues, at least 1 each; empty = none
  std::optional<std::vector<std::string>> handlers;  // absent = any
  Duration lease = domain::default_lease;
  std::vector<domain::AttemptId> attempt_ids;  // one for each lease that may be given: their number is the limit
};

/// Ends an attempt with a result (absent = the handler returned nothing).
struct Complete {
  std::string tenant;
  domain::AttemptId attempt_id;
  std::optional<std::string> result;
};

/// Ends an attempt with an error: JSON text {"type", "message", …}.
struct Fail {
  std::string tenant;
  domain::AttemptId attempt_id;
  std::string error;
  bool retryable = true;
  std::optional<Duration> retry_after{};  // instead of the pause of the task's policy
};

/// Extends a lease, and tells how far the work has come.
struct Heartbeat {
  std::string tenant;
  domain::AttemptId attempt_id;
  Duration lease = domain::default_lease;
  std::optional<domain::Progress> progress{};
};

/// Gives leases back that never reached their worker: as if they had not been given.
struct GiveBack {
  std::string tenant;
  std::vector<domain::AttemptId> attempt_ids;
};

/// Cancels a pending execution at once; asks the worker of a running one to stop.
struct Cancel {
  std::string tenant;
  domain::ExecutionId id;
  bool force = false;  // also a running one at once; audited
  std::string by{};    // API key id, for the audit log
};

/// Opens an execution again that has closed without success, and claims its identity again. Audited.
struct Reopen {
  std::string tenant;
  domain::ExecutionId id;
  std::string by{};  // API key id
};

/// Ends attempts whose lease has run out, and pending executions whose deadline has passed, in all tenants, oldest
/// first.
struct ExpireLeases {
  int max = 1000;
};

/// Makes waiting tasks ready whose time has come, in all tenants, earliest first.
struct PromoteDue {
  int max = 1000;
};

/// Removes a closed execution; leaves a tombstone while its identity is held or its id promised.
struct Remove {
  std::string tenant;
  domain::ExecutionId id;
};

/// Removes closed executions whose retention has passed, and tombstones that hold nothing any more, in all tenants.
struct Sweep {
  int max = 200;  // of both together
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

using Command =
    std::variant<Submit, Claim, Complete, Fail, Heartbeat, GiveBack, Cancel, Reopen, ExpireLeases, PromoteDue, Remove,
                 Sweep, Release, PutTemplate, RemoveTemplate, PutQueue, PauseQueue, SetQueueDefaults, PutSchedule,
                 PauseSchedule, RemoveSchedule, AdvanceSchedule, RecordDuplicates, CreateKey, RevokeKey>;

// ---- Outcomes, one for each command.

/// The submission created an execution.
struct Created {
  domain::ExecutionId id;
  Time created_at;
  Time run_at;
  bool ready = true;                                           // false = waits for run_at
  std::optional<domain::ExecutionId> previous = std::nullopt;  // whose identity was taken over
  std::string previous_created_by = {};                        // and by whom that one was created
};

/// The id or the identity is held by another execution.
struct Held {
  domain::Holder holder;
  std::optional<domain::Execution> execution;  // absent when only a tombstone is left
  bool by_id = false;                          // found by the client-made id, not by the identity
};

struct Lease {
  domain::Execution execution;  // as it is now: running
  domain::AttemptId attempt_id;
  Time lease_until;
};

/// A queue with limits has more ready tasks than it gave.
struct HeldBack {
  std::string tenant;
  std::string queue;
  std::string handler;          // of the next one
  std::optional<Time> until{};  // when it may be had; absent: when one that runs has ended

  bool operator==(const HeldBack&) const = default;
};

struct Claimed {
  std::vector<Lease> leases;
  std::vector<HeldBack> held_back{};  // at most one for each queue
};

/// What became of a worker's answer.
struct AttemptAnswer {
  enum class Kind : std::uint8_t { recorded, already_recorded, stale };

  Kind kind = Kind::stale;
  domain::ExecutionId execution_id;    // meaningless when the attempt is unknown
  std::optional<domain::State> state;  // of the execution, now
  std::optional<Time> lease_until;     // of a heartbeat
  bool should_cancel = false;          // of a heartbeat
};

struct CancelAnswer {
  enum class Kind : std::uint8_t { not_found, cancelled, requested, already_closed };

  Kind kind = Kind::not_found;
  std::optional<domain::State> state;
  std::string created_by;
};

struct GivenBack {
  int count = 0;  // of the attempts that were still running
};

struct ReopenAnswer {
  enum class Kind : std::uint8_t { not_found, reopened, not_retryable, identity_held };

  Kind kind = Kind::not_found;
  std::optional<domain::State> state{};         // now
  std::optional<domain::ExecutionId> holder{};  // who holds the identity now, when it is another
};

struct LeasesExpired {
  bool more = false;  // the limit was reached: ask again
};

struct Promoted {
  bool more = false;
};

struct Removed {
  enum class Kind : std::uint8_t { not_found, still_open, removed, left_tombstone };

  Kind kind = Kind::not_found;
};

struct Swept {
  int executions = 0;  // removed
  int tombstones = 0;  // that went for good
  bool more = false;   // the limit was reached: ask again
};

struct Released {
  enum class Kind : std::uint8_t { not_found, holder_open, released };

  Kind kind = Kind::not_found;
  std::optional<domain::ExecutionId> holder;
};

struct TemplateStored {
  int revision = 1;
  bool changed = true;  // false: this very content was stored already
};

struct TemplateRemoved {
  int count = 0;
};

struct QueueStored {
  domain::QueueOptions options{};  // what the tenant says of it now
};

struct QueueDefaultsSet {};

struct ScheduleStored {
  std::optional<domain::ScheduleRecord> schedule{};  // as it is now; absent = there is none
  bool changed = true;                               // false: it was so already
};

struct ScheduleRemoved {
  bool existed = false;
};

struct ScheduleAdvanced {
  std::optional<domain::ScheduleRecord> schedule{};  // as it is now; absent = it was not as it was seen
  std::vector<domain::FiringRecord> firings{};       // what each came to
};

struct DuplicatesRecorded {};

struct KeyCreated {
  domain::ApiKey key;
};

struct KeyRevoked {
  std::optional<domain::ApiKey> key;  // as it is now; absent = there is none
};

/// The command could not be applied because of its own data; the others in its batch were.
struct Rejected {
  Error error;
};

/// Nothing was changed yet: of what the command would change, somebody has been promised that it stays until then
/// (ports/promises.hpp). To be applied again when that time has come.
struct Postponed {
  Time until;
};

using Outcome = std::variant<Created, Held, Claimed, AttemptAnswer, GivenBack, CancelAnswer, ReopenAnswer,
                             LeasesExpired, Promoted, Removed, Swept, Released, TemplateStored, TemplateRemoved,
                             QueueStored, QueueDefaultsSet, ScheduleStored, ScheduleRemoved, ScheduleAdvanced,
                             DuplicatesRecorded, KeyCreated, KeyRevoked, Rejected, Postponed>;

}  // namespace semel
