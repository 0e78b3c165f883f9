#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/attempt.hpp"
#include "domain/holder.hpp"
#include "domain/queue.hpp"
#include "domain/workflow/code/command.hpp"
#include "domain/workflow/code/facts.hpp"
#include "domain/workflow/history.hpp"
#include "domain/workflow/run.hpp"
#include "domain/workflow/step_task.hpp"

/// How a workflow that is written as code goes on (ADR 0018). Each function below is one thing that can happen to it:
/// it changes the facts and the state, and says what is to be done. The caller carries all of it out in one
/// transaction, together with the facts. What is closed is changed by nothing.
namespace semel::domain::code {

/// A code workflow, read to be changed.
struct Workflow {
  ExecutionSpec spec{};  // as far as its children take after it
  State state = State::pending;
  Facts facts{};
};

/// What a decision may ask for, besides the facts. Most ask nothing.
class WorkflowData {
 public:
  virtual ~WorkflowData() = default;
  virtual QueueSettings settings(const std::string& queue) const = 0;
  /// Whether the timer of that command has neither fired nor been cancelled.
  virtual bool has_timer(std::int64_t command) const = 0;
  /// How many open children go on when their parent ends.
  virtual std::int64_t abandoned_children() const = 0;
  /// What the history has of a command of this generation; nothing when it has nothing. Asked for each command that was
  /// sent again: a store reads the history once for all of them.
  virtual std::optional<HistoryEvent> recorded(std::int64_t command) const = 0;
  /// The context of what a command has made; nothing where it is not kept any more.
  virtual std::optional<std::string> input_of(ExecutionId child) const = 0;
  /// The details of all signals after that event.
  virtual std::vector<std::string> signals_after(std::int64_t sequence) const = 0;
};

/// Something to be made that has an execution.
struct NewChild {
  std::int64_t command = 0;
  ExecutionSpec spec{};
  Time run_at{};
  std::optional<Time> deadline{};
  KeyConflict on_conflict = KeyConflict::attach;
  bool abandon = false;
};

struct NewTimer {
  std::int64_t command = 0;
  Time fire_at{};

  bool operator==(const NewTimer&) const = default;
};

/// What becomes of the workflow's execution.
enum class Next : std::uint8_t {
  as_it_is,
  waits,     // suspended
  is_ready,  // pending, for a worker, as of now
  later,     // pending, as of Decision::run_at
};

/// To be carried out in this order. Events that the store adds on the way (add_event()) come after these.
struct Decision {
  std::vector<HistoryEvent> events{};  // the last ones of Facts::history_length
  std::vector<NewChild> make{};
  std::vector<NewTimer> start{};
  std::vector<std::int64_t> stop{};    // timers
  std::vector<std::int64_t> cancel{};  // children, where they are open
  bool stop_all = false;               // timers
  bool cancel_all = false;             // open children; those that are abandoned are cut loose instead
  bool stops_activation = false;       // the running attempt is cancelled
  std::optional<std::string> input{};  // instead of the context
  Next next = Next::as_it_is;
  Time run_at{};  // of Next::later
  std::optional<RunEnd> end{};
};

/// Why an activation is not ended as a task is, nor a task as an activation.
inline constexpr const char* answered_by_commands = "an activation of a workflow is answered by its commands";
inline constexpr const char* is_no_activation = "the attempt is no activation of this workflow";
/// Why an execution cannot be tried again by hand because of what it is; null where it can.
const char* refusal_of_retry(const ExecutionSpec& spec);

/// It was submitted, or made by its parent.
Decision start_workflow(Workflow& workflow, Time run_at, Time now);

/// A running activation has answered. Refused, and nothing has changed, when the answer cannot be that of this
/// workflow: failed_precondition where its commands are not those that were recorded, or do not follow them.
Result<Decision> end_activation(Workflow& workflow, const WorkflowData& data, const Answer& answer, Time now);

/// A running activation has ended without an answer; another is tried at `run_at`. `is_late`: the deadline has passed.
Decision activation_failed(Workflow& workflow, const WorkflowData& data, Time run_at, bool is_late);
/// The pause after so many failed activations in a row.
Duration activation_pause(int failures);
/// What follows an activation that has ended without an answer.
struct Trial {
  Time run_at{};         // of the next one
  bool is_late = false;  // there will be none: the deadline has passed
  bool counts = true;    // it was given to a worker
};
Trial next_activation(const Execution& workflow, const Ending& ending, Time now);

/// What a command has made has come to its end.
Decision child_closed(Workflow& workflow, std::string_view task_key, const TaskOutcome& outcome);

/// The timer of that command, which is gone by now.
Decision timer_fired(Workflow& workflow, std::int64_t command);

Decision signal_received(Workflow& workflow, const Signal& signal);

/// Nothing new is begun, and what is open below is cancelled; it closes with the last of that. Saying it again cancels
/// the same again, in case it is now to be ended by force.
Decision cancel_workflow(Workflow& workflow, const WorkflowData& data, const CancelRequest& request);

/// Counts an event that the store adds by itself. Its number.
std::int64_t add_event(Facts& facts, const HistoryEvent& event);

/// The number of the command that the event records; nothing when it records none.
std::optional<std::int64_t> command_recorded_by(const HistoryEvent& event);

/// The identity of a key in the scope of the tenant.
Hash32 hash_of_key(std::string_view tenant, std::string_view key);

struct KeyPolicy {
  KeyConflict on_conflict = KeyConflict::attach;
  Reuse reuse = Reuse::allow_duplicate_failed_only;
};
/// What its command and its queue say.
KeyPolicy key_policy(KeyConflict on_conflict, const QueueSettings& queue);
/// What becomes of a child that asks for its key. `holder` is null where nobody has it.
KeyVerdict judge_child_key(const Holder* holder, const ExecutionSpec& child, KeyPolicy policy, Time now);
/// That a child was made without its key, which the holder has.
HistoryEvent key_conflict_event(const ExecutionSpec& child, ExecutionId holder);

/// Why a code workflow cannot be submitted so, if that is the case.
std::optional<Error> refusal_of_workflow(const ExecutionSpec& spec);

}  // namespace semel::domain::code
