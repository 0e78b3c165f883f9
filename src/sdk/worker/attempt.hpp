#pragma once
#include "sdk/worker/running_task.hpp"
#include "semel/detail/handler.hpp"

namespace semel::sdk {

/// Calls the handler, and says what came of it. Nothing that it throws gets past this.
Answer attempt(const detail::TaskFunction& function, RunningTask& task);

}  // namespace semel::sdk
