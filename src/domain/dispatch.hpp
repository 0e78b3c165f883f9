#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/attempt.hpp"
#include "domain/dispatch_id.hpp"
#include "domain/queue.hpp"

/// Attempts that are pushed to the target of their queue (DESIGN §5, ADR 0021). A ready task of such a queue is what
/// has not been sent; when the dispatcher claims it, the attempt gets a dispatch beside it, in the same step.
namespace semel::domain {

/// What is known of the request. Numbers are stored.
enum class DispatchState : std::uint8_t {
  ambiguous = 0,  // it may have been begun, and nobody knows what became of it: sent again, with the same identifiers
  unsent = 1,     // the target does not have it, and will be asked again
  sent = 2,       // the target has it
};
std::string_view name_of(DispatchState state);

/// One attempt of a task on its way to a target. It is open as long as its attempt runs.
struct Dispatch {
  AttemptId attempt_id{};
  ExecutionId execution_id{};
  int attempt = 1;
  int repair = 0;  // how often it was given a new name, which the target does not know
  DispatchIds ids{};
  DispatchState state = DispatchState::ambiguous;
  int sends = 1;      // how often the request was begun, or was about to be
  Time created_at{};  // when the attempt began
  Time due_at{};      // when the attempt was due: of a second one, when its retry timer fired
  std::optional<Time> accepted_at{};
  std::optional<Time> next_send_at{};  // whoever sends it has until then to say what became of it
  std::string answer{};                // what the target said last, or why it said nothing

  bool operator==(const Dispatch&) const = default;
};

/// The worker of all attempts that are pushed. No worker that polls may call itself so.
inline constexpr std::string_view push_worker = "semel:push";
inline bool is_pushed(const Attempt& attempt) { return attempt.worker == push_worker; }

/// Until a target has accepted it, a pushed attempt ends only by its own time or the deadline: it is sent again and
/// again. Then the heartbeat timeout of its queue counts.
inline constexpr Duration unaccepted_lease = std::chrono::hours(24 * 365 * 10);

/// Whom a heartbeat comes from: the target says with its answer that it has the task, and whoever works on it calls.
enum class BeatBy : std::uint8_t { answer, caller };

/// Until when a heartbeat keeps the attempt. One that is pushed has had all the time in the world before. An answer
/// that comes after the first call does not give more time than that left.
Time lease_after_beat(const Execution& execution, const Attempt& attempt, Time now, Duration lease, BeatBy by);

/// Of an attempt that is sent again after it had been accepted.
Time unaccepted_lease_end(const Execution& execution, const Attempt& attempt, Time now);

/// How long nothing may be heard of what the target has just accepted. Cloud Tasks delivers when its own queue lets it:
/// until somebody has begun, it has as long as it remembers names.
Duration lease_of_accepted(const QueueSettings& settings);

/// The part of the internal names that the task has in its run; and the run, which is the task itself where there is
/// none.
std::string_view task_key_of(const ExecutionSpec& spec);
ExecutionId run_of(const ExecutionSpec& spec);
/// Both identifiers of one attempt.
DispatchIds dispatch_ids_of(const ExecutionSpec& spec, int attempt, int repair = 0);

/// Of an attempt that the dispatcher has just claimed, and sends within `hold`.
Dispatch begin_dispatch(const Execution& execution, AttemptId attempt_id, Time now, Duration hold);
/// The target has it: it said so, or the task called back.
void accept(Dispatch& dispatch, Time now, const std::optional<std::string>& answer);
/// It is not known to have arrived, and is sent again then.
void postpone(Dispatch& dispatch, bool is_ambiguous, Time next_send_at, std::string_view answer);
/// Whoever has taken it has not sent it after all.
void count_no_send(Dispatch& dispatch);
/// Somebody sends it again, and has that time to say what became of it.
void take(Dispatch& dispatch, Time now, Duration hold);
/// Sent again, under a name that the target does not refuse. That is always a new one: nobody here knows for how long
/// the target remembers the old.
void repair(Dispatch& dispatch, const ExecutionSpec& spec, Time now);
/// Whether it had this external identifier before it was given a new name.
bool was_called(const Dispatch& dispatch, std::string_view external_id);

/// Whether a claim may have tasks with the handler from a queue with those settings. Tasks of queues with a target are
/// for the dispatcher alone; activations of code workflows are always for workers.
bool may_claim(const QueueSettings& settings, bool pushes, std::string_view handler);

}  // namespace semel::domain
