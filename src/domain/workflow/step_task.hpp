#pragma once
#include <optional>
#include <string_view>

#include "domain/execution.hpp"
#include "domain/holder.hpp"
#include "domain/queue.hpp"
#include "domain/workflow/run.hpp"

/// What tasks of runs are made of, and how they are found again.
namespace semel::domain {

/// The task of the run with that key; nothing when its steps have none.
std::optional<TaskRef> find_task(const Graph& graph, std::string_view task_key);
ExecutionId task_id(const Graph& graph, ExecutionId run, TaskRef task);

/// What a task is made from.
struct TaskMaking {
  const ExecutionSpec& run;  // its context is not looked at
  const Step& step;
  const StepTask& task;
  const QueueSettings& queue;            // of the step
  std::optional<Hash32> context_hash{};  // of the run's canonical context; needed where the task has a key
};

/// A task of a run: its handler, queue, retry and timeout are the step's, its place in the queue and who is to be told
/// of it are the run's. It has no context: what its handler gets is read when it is leased. A key stands in the scope
/// of the tenant.
ExecutionSpec spec_of_task(const TaskMaking& making);

/// What becomes of a task of a run that asks for its key (DESIGN §3.6).
enum class KeyAnswer : std::uint8_t {
  claim,        // it is its own now
  attach,       // another holds it and is open: the task waits for what that one comes to
  take_result,  // another has completed with it: its result is the task's
  fail,         // another holds it for something else, or its result is gone
  apart,        // another holds it, and the task is made without (code workflows only)
};
struct KeyVerdict {
  KeyAnswer answer = KeyAnswer::claim;
  std::string error{};  // of `fail`: JSON text
};
/// `holder` is null where nobody has the key; `reuse` is that of the task's queue.
KeyVerdict judge_key(const Holder* holder, const ExecutionSpec& task, Reuse reuse, Time now);

/// That the task waits for the holder of its key.
HistoryEvent attached_event(const ExecutionSpec& task, ExecutionId holder);
/// That somebody has asked for the end of this task alone.
HistoryEvent cancel_event(const ExecutionSpec& task, const ByHand& by);

}  // namespace semel::domain
