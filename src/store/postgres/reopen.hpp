#pragma once
#include <optional>

#include "store/postgres/batch.hpp"

/// What opening again by hand does to executions (lifecycle.cpp).
namespace semel::store::postgres {

/// Gives a closed execution its identity again, which is locked, and which nobody else may hold. Who does.
std::optional<domain::ExecutionId> reclaim(Batch& batch, const domain::ExecutionSpec& spec);

/// Writes what reopen_execution() has done to it.
void write_reopened(Batch& batch, const domain::Execution& execution, Phase phase);

}  // namespace semel::store::postgres
