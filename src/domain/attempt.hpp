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
enum class AttemptOutcome : std::uint8_t { running = 0, completed = 1, failed = 2, lease_ended = 3 };
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
  int stale_results = 0;  // results that came after the attempt had been ended otherwise
};

inline constexpr Duration default_lease = 30s;

/// The error of a task whose worker never answered.
std::string lease_ended_error(const Attempt& attempt);

/// What an accepted outcome does to the execution; nothing when the pair cannot happen.
std::optional<State> state_after(const Execution& execution, AttemptOutcome outcome);

}  // namespace semel::domain
