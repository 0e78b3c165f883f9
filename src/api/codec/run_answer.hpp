#pragma once
#include "base/json/writer.hpp"
#include "engine/answers.hpp"

/// What is told of runs and their tasks, as members of an object that is being written.
namespace semel::codec {

/// What the step came to that no task tells: why none could be made, or what somebody said.
const domain::StepOutcome* kept_outcome(const StoredRun& run, std::size_t step);

/// `run_id`, `task_key` and, of a fan-out, `item`; nothing for a task that is of no run.
void write_step_of(json::Writer& writer, const domain::ExecutionSpec& spec);

/// `step_count` and `steps`.
void write_steps(json::Writer& writer, domain::ExecutionId id, const engine::RunView& view);

/// `context`, and for a task of a run `upstream`, `item`, `index`, `run_id` and `task_key`.
void write_input(json::Writer& writer, const Lease& lease);

}  // namespace semel::codec
