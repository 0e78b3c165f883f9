#pragma once
#include <semel/v1/task.pb.h>

#include "engine/answers.hpp"

namespace semel::rpc {

/// `step_count` and `steps` of a run.
void write_steps(v1::Task& to, domain::ExecutionId id, const engine::RunView& view);

}  // namespace semel::rpc
