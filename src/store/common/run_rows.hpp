#pragma once
#include <memory>
#include <optional>
#include <string>

#include "domain/attempt.hpp"
#include "domain/workflow/step_input.hpp"
#include "domain/workflow/step_task.hpp"

/// How decisions about runs are carried out: the same for all stores, which only read and write rows. Everything that
/// is done for one thing that happened is one transaction.
namespace semel::store {

/// A run, read to be changed. The store writes `facts` when all is carried out.
struct LoadedRun {
  domain::ExecutionSpec spec{};  // as far as spec_of_task() looks at it
  std::shared_ptr<const domain::Graph> graph{};
  domain::RunFacts facts{};
};

/// What carrying out asks of a store. A task that comes to its end by one of these calls is told to its run afterwards,
/// like any other.
class RunRows : public domain::RunData {
 public:
  /// Adds to the history.
  virtual void record(const domain::HistoryEvent& event) = 0;
  /// Keeps what a step came to, instead of what was kept before.
  virtual void keep(const domain::StepOutcome& outcome) = 0;
  /// Makes a task: it enters its queue as enter_task() says, or is held.
  virtual void make(const domain::ExecutionSpec& task, bool held) = 0;
  /// A held task enters its queue.
  virtual void release(domain::ExecutionId task) = 0;
  /// A closed task is opened again, and enters its queue.
  virtual void reopen(domain::ExecutionId task) = 0;
  /// An open task is cancelled, or its worker asked to stop.
  virtual void cancel(domain::ExecutionId task) = 0;
  /// The run closes.
  virtual void end(const domain::RunEnd& end) = 0;
  virtual domain::QueueSettings settings(const std::string& queue) = 0;
};

void carry_out(const domain::Decision& decision, const LoadedRun& run, RunRows& rows);

/// What a run that has ended does to its execution.
domain::Event event_of(domain::State end);

/// Where the input of a task is read from.
class UpstreamRows {
 public:
  virtual ~UpstreamRows() = default;
  virtual std::string context() = 0;
  /// What was kept for the step; nothing when nothing was.
  virtual domain::TaskOutcome kept(std::size_t step) = 0;
  /// What the step's only task came to.
  virtual domain::TaskOutcome of_task(domain::ExecutionId task) = 0;
};
/// What the handler of a task of a run gets.
domain::StepInput input_of(const domain::ExecutionSpec& task, const domain::Graph& graph, const domain::RunFacts& facts,
                           UpstreamRows& rows);

}  // namespace semel::store
