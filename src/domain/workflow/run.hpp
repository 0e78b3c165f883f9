#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/state.hpp"
#include "domain/workflow/facts.hpp"
#include "domain/workflow/graph.hpp"
#include "domain/workflow/history.hpp"
#include "domain/workflow/step_id.hpp"

/// How a run of steps goes on. Each function below is one thing that can happen to a run: it changes the facts, and
/// says what is to be done. The caller carries all of it out in one transaction, together with the facts.
namespace semel::domain {

/// What a task or a step came to.
struct TaskOutcome {
  State state = State::completed;
  std::optional<std::string> result{};  // JSON text; absent = nothing was returned
  std::optional<std::string> error{};   // JSON text
};

/// What a decision may look at, besides the facts. Most decisions look at nothing.
class RunData {
 public:
  virtual ~RunData() = default;
  /// As it was sent.
  virtual std::string context() const = 0;
  /// The result of a step that has succeeded; absent = it returned nothing.
  virtual std::optional<std::string> result_of(std::size_t step) const = 0;
  /// What each item of a fan-out came to, in their order.
  virtual std::vector<TaskOutcome> items_of(std::size_t step) const = 0;
};

/// A task to be made.
struct StepTask {
  TaskRef ref{};
  std::optional<std::string> key{};   // the idempotency key
  std::optional<std::string> item{};  // of a fan-out: canonical JSON
  bool held = false;                  // not to be given out before it is released

  bool operator==(const StepTask&) const = default;
};

/// What a step came to that no single task stands for. It replaces one that was kept for the step before.
struct StepOutcome {
  std::size_t step = 0;
  std::optional<std::string> result{};
  std::optional<std::string> error{};

  bool operator==(const StepOutcome&) const = default;
};

/// Whether what the step came to is its StepOutcome; else it is what its task came to, and an outcome that is left from
/// before says nothing.
inline bool is_kept_as_outcome(const Step& step, StepState state) {
  return step.for_each || state == StepState::resolved || state == StepState::unfit;
}

/// How a run has ended.
struct RunEnd {
  State state = State::completed;
  std::optional<std::string> result{};  // {step: result}
  std::optional<std::string> error{};   // {"type", "message", "steps"}

  bool operator==(const RunEnd&) const = default;
};

struct Decision {
  std::vector<HistoryEvent> events{};
  std::vector<StepTask> make{};
  std::vector<TaskRef> release{};  // held tasks that may be given out now
  std::vector<TaskRef> reopen{};   // closed tasks that are tried again
  std::vector<TaskRef> cancel{};   // open tasks
  std::vector<StepOutcome> outcomes{};
  std::optional<RunEnd> end{};

  bool operator==(const Decision&) const = default;
};

/// Who did something by hand, and why.
struct ByHand {
  std::string by{};   // API key id
  std::string why{};  // may be empty
};

/// The run begins. The facts are made here.
Decision start_run(const Graph& graph, RunFacts& facts, const RunData& data);

/// A task of the run has come to an end, and is not tried again by itself. Telling it again, or of a task that the run
/// does not wait for, changes nothing.
Decision task_closed(const Graph& graph, RunFacts& facts, const RunData& data, TaskRef task, State how);

enum class WhyCancelled : std::uint8_t { asked_for, deadline };

struct CancelRequest {
  WhyCancelled why = WhyCancelled::asked_for;
  ByHand by{};
  bool force = false;
};

/// Nothing new is started; what runs is to be cancelled. Saying it again names the same tasks again, in case they are
/// now to be ended by force, and then the history tells who said it.
Decision cancel_run(const Graph& graph, RunFacts& facts, const RunData& data, const CancelRequest& request);

/// Tries steps again that did not succeed; none = all of them. What was only decided because of them is decided again;
/// what has run stays. Refused (bad_request) where there is nothing to try again. The run is open afterwards.
Result<Decision> retry_steps(const Graph& graph, RunFacts& facts, const RunData& data,
                             std::span<const std::size_t> steps, const ByHand& by);

/// Gives a blocked step its result, as if it had completed. Refused (bad_request) when it is not blocked.
Result<Decision> resolve_step(const Graph& graph, RunFacts& facts, const RunData& data, std::size_t step,
                              std::string result, const ByHand& by);

}  // namespace semel::domain
