#pragma once
#include <cstdint>
#include <string>

#include "ports/list.hpp"
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// How an execution stands in its row: the only file that knows the order of the columns.

enum class Phase : std::uint8_t {
  neither = 0,
  ready = 1,    // for a worker
  waiting = 2,  // for its run_at
  counted = 3,  // runs, in a queue or with a key whose running tasks are limited
  blocked = 4,  // until another task with its concurrency_key ends
};

/// What a new row has beside what was asked for.
struct NewRow {
  std::int64_t seq = 0;
  std::int64_t tenant_id = 0;
  Time created_at{};
  Time run_at{};
  Phase phase = Phase::ready;
  std::optional<domain::ExecutionId> previous{};
  std::optional<Time> deadline{};
  domain::State state = domain::State::pending;
  std::optional<Time> started_at{};
  bool superseded = false;  // it carries its identity, but another holds it
};

/// Inserts a new execution. Everything that only a later event sets is left at its default.
void insert_execution(Connection& connection, const NewRow& row, const domain::ExecutionSpec& spec);

/// An execution with what the store alone knows of it.
struct ExecutionRow {
  std::int64_t seq = 0;
  bool superseded = false;
  Phase phase = Phase::neither;
  domain::Execution execution;
  bool awaited = false;  // tasks of runs are attached to it
};

/// Rows of [from, before), at most rows_max of them.
struct SeqRange {
  std::int64_t from = 0;
  std::int64_t before = 0;
  std::size_t rows_max = 0;
};
/// Newest first, without the large columns; limit and cursor of the query are not looked at.
std::vector<ExecutionRow> list_rows(Connection& connection, std::int64_t tenant_id, const ListQuery& wanted,
                                    const SeqRange& range);

/// The tasks of the query's run instead, by an index of their own.
std::vector<ExecutionRow> list_rows_of_run(Connection& connection, std::int64_t tenant_id, const ListQuery& wanted,
                                           const SeqRange& range);

std::optional<ExecutionRow> find_by_seq(Connection& connection, const std::string& tenant, std::int64_t seq);
std::optional<ExecutionRow> find_by_id(Connection& connection, const std::string& tenant, std::int64_t tenant_id,
                                       domain::ExecutionId id);

}  // namespace semel::store::sqlite
