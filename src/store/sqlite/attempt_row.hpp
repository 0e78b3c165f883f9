#pragma once
#include <optional>
#include <string>

#include "store/sqlite/batch.hpp"
#include "store/sqlite/life_rows.hpp"

namespace semel::store::sqlite {

/// An attempt with what its execution says about it.
struct Current {
  std::int64_t tenant_id = 0;
  std::int64_t seq = 0;
  Phase phase = Phase::neither;
  domain::Attempt attempt;
  domain::Execution execution;  // only what decisions about attempts and changes need
  bool awaited = false;
};
std::optional<Current> find_attempt(Batch& batch, const std::string& tenant, domain::AttemptId id);

/// Ends a running attempt, and with it the execution, unless there will be another attempt. The execution's state then.
domain::State end_attempt(Batch& batch, const Current& current, const domain::Ending& ending, const Outputs& outputs);

/// Ends an attempt that never reached its worker.
void give_back(Batch& batch, const Current& current);

/// An answer came after the attempt had ended otherwise.
void count_stale_result(Batch& batch, domain::AttemptId id);

/// Ends the running attempt of an execution that is cancelled by force.
void stop_attempt(Batch& batch, std::int64_t seq);

}  // namespace semel::store::sqlite
