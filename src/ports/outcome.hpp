#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "domain/api_key.hpp"
#include "domain/attempt.hpp"
#include "domain/dispatch.hpp"
#include "domain/execution.hpp"
#include "domain/holder.hpp"
#include "domain/queue.hpp"
#include "domain/schedule/record.hpp"
#include "domain/workflow/step_input.hpp"
#include "ports/run.hpp"

/// What commands come to: one outcome for each.
namespace semel {

/// The submission created an execution.
struct Created {
  domain::ExecutionId id;
  Time created_at;
  Time run_at;
  bool ready = true;  // false = waits for run_at; a run that does not has begun
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
  std::optional<domain::StepInput> input{};    // of a step of a run
  std::optional<Activation> activation{};      // of a code workflow
  std::optional<domain::Dispatch> dispatch{};  // of an attempt that is pushed
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

/// What became of a dispatch that is to be sent once more.
struct RepairAnswer {
  /// No such execution; it is not on its way to a target; it is, but the target is not known to have it, and gets it
  /// anyway: a new name would meet answers to the old one.
  enum class Kind : std::uint8_t { not_found, not_open, not_sent, repaired };

  Kind kind = Kind::not_found;
  std::optional<domain::Dispatch> dispatch{};
};

struct SecretKept {
  Hash32 value{};  // the one that was there first
};

struct GivenBack {
  int count = 0;  // of the attempts that were still running
};

struct ReopenAnswer {
  enum class Kind : std::uint8_t { not_found, reopened, not_retryable, identity_held };

  Kind kind = Kind::not_found;
  std::optional<domain::State> state{};         // now
  std::optional<domain::ExecutionId> holder{};  // who holds the identity now, when it is another
  std::string refusal{};                        // of runs and their tasks: why it is not retryable
};

/// What became of a change of a run by hand.
struct RunAnswer {
  enum class Kind : std::uint8_t { not_found, done, refused, identity_held };

  Kind kind = Kind::not_found;                  // no such execution, or it is no run
  std::optional<domain::State> state{};         // of the run, now
  std::optional<domain::ExecutionId> holder{};  // who holds the run's identity now, when it is another
  std::string refusal{};                        // why the steps are not as they would have to be
};

struct SignalAnswer {
  enum class Kind : std::uint8_t { not_found, received, already_received, closed };

  Kind kind = Kind::not_found;           // no such execution, or it is no code workflow
  std::optional<domain::State> state{};  // of the workflow, now
};

struct SettleAnswer {
  enum class Kind : std::uint8_t { not_found, settled, already_settled };

  Kind kind = Kind::not_found;           // no such execution, or it is no promise
  domain::ExecutionId id{};              // of the promise
  std::optional<domain::State> state{};  // of the promise, now
};

struct LeasesExpired {
  bool more = false;  // the limit was reached: ask again
};

struct Promoted {
  bool more = false;
};

struct Removed {
  enum class Kind : std::uint8_t { not_found, still_open, removed, left_tombstone, goes_with_its_run };

  Kind kind = Kind::not_found;
};

struct Swept {
  int executions = 0;  // removed, also tasks of runs
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

using Outcome =
    std::variant<Created, Held, Claimed, AttemptAnswer, GivenBack, CancelAnswer, ReopenAnswer, RunAnswer, SignalAnswer,
                 SettleAnswer, LeasesExpired, Promoted, Removed, Swept, Released, TemplateStored, TemplateRemoved,
                 QueueStored, QueueDefaultsSet, ScheduleStored, ScheduleRemoved, ScheduleAdvanced, DuplicatesRecorded,
                 KeyCreated, KeyRevoked, Rejected, Postponed, RepairAnswer, SecretKept>;

}  // namespace semel
