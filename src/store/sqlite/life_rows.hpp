#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/attempt.hpp"
#include "store/sqlite/batch.hpp"

namespace semel::store::sqlite {

/// What a claim and the end of an attempt change in the rows of a task, and nothing else. The commands decide, and then
/// call these; the benchmarks' yardstick calls them alone.

/// A new attempt.
struct AttemptRow {
  domain::AttemptId id;
  std::int64_t tenant_id = 0;
  std::int64_t seq = 0;  // of the execution
  int number = 1;
  std::string_view worker;
  Time started_at{};
  Time lease_until{};
};

/// The execution leaves its queue for the attempt of that number; `started_at` is the beginning of its first one.
void set_running(Connection& connection, std::int64_t seq, int attempt, Time started_at, Phase phase);
void insert_attempt(Connection& connection, const AttemptRow& row);

void set_attempt_ended(Connection& connection, domain::AttemptId id, Time now, domain::AttemptOutcome outcome,
                       std::optional<std::string_view> error);
/// Of an execution that was running.
void set_closed(Connection& connection, std::int64_t seq, Time now, domain::State state, const Outputs& outputs);

}  // namespace semel::store::sqlite
