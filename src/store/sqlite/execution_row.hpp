#pragma once
#include <cstdint>
#include <string>

#include "domain/execution.hpp"
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// How an execution stands in its row: the only file that knows the order of the columns.

enum class Phase : std::uint8_t { neither = 0, ready = 1, waiting = 2 };

/// Inserts a new execution. Everything that only a later event sets is left at its default.
void insert_execution(Connection& connection, std::int64_t seq, std::int64_t tenant_id, const domain::Execution& execution,
                      Phase phase);

/// An execution with what the store alone knows of it.
struct ExecutionRow {
  std::int64_t seq = 0;
  bool superseded = false;
  domain::Execution execution;
};

std::optional<ExecutionRow> find_by_seq(Connection& connection, const std::string& tenant, std::int64_t seq);
std::optional<ExecutionRow> find_by_id(Connection& connection, const std::string& tenant, std::int64_t tenant_id,
                                       domain::ExecutionId id);

}  // namespace semel::store::sqlite
