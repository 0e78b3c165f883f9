#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "domain/execution.hpp"
#include "domain/id.hpp"

namespace semel::domain {

/// How an attempt ended. Numbers are stored.
enum class AttemptOutcome : std::uint8_t {
  running = 0,
  completed = 1,
  failed = 2,
  lease_ended = 3,
  timed_out = 4,    // it took longer than one attempt may
  cancelled = 5,    // by force
  undelivered = 6,  // its worker had gone before it got the lease
};
std::string_view name_of(AttemptOutcome outcome);

/// One run of a task by one worker. Its id is the fence: only the current attempt can end the task.
struct Attempt {
  AttemptId id;
  ExecutionId execution_id;
  int number = 1;
  std::string worker;
  Time started_at;
  Time lease_until;
  std::optional<Time> ended_at;
  AttemptOutcome outcome = AttemptOutcome::running;
  std::optional<std::string> error;
  int stale_results = 0;                  // results that came after the attempt had been ended otherwise
  std::optional<Time> last_heartbeat_at;  // when its worker, or the target that it was pushed to, was last heard of
};

inline constexpr Duration default_lease = 30s;

/// Until when an attempt that began then may keep the task, when it asks for so long now: neither its own time nor the
/// deadline of the whole can be passed by heartbeats.
Time lease_end(const Execution& execution, Time started_at, Time now, Duration lease);

/// How an attempt whose lease has run out ended: it was too slow, or its worker is gone.
AttemptOutcome outcome_of_lease_end(const Execution& execution, const Attempt& attempt);

/// The error of a task whose worker never answered, or not in time.
std::string lease_end_error(const Attempt& attempt, AttemptOutcome outcome);

/// The error of a task that nobody worked on, or of a promise that nobody settled, when its deadline passed.
std::string deadline_error(Kind kind = Kind::task);

/// Puts a closed execution back into its queue, as if it were new: only its attempts stay, and do not count.
void reopen_execution(Execution& execution, Time now);

/// How an attempt ended, and what its worker said about another one.
struct Ending {
  AttemptOutcome outcome = AttemptOutcome::completed;
  bool retryable = true;
  std::optional<Duration> retry_after{};  // instead of the pause of the policy
};

/// What becomes of the execution.
struct Aftermath {
  State state = State::completed;
  std::optional<Time> run_at{};  // of the next attempt, when there will be one
};

/// What the end of its running attempt does to a running execution (DESIGN §4): the next attempt comes after a pause,
/// unless the worker forbids it, the attempts are used up, a cancellation was asked for, or the deadline comes first.
Aftermath aftermath(const Execution& execution, const Attempt& attempt, const Ending& ending, Time now);

}  // namespace semel::domain
