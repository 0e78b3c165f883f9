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

/// The columns that read_row() reads, in its order, with nothing in place of those that are large; `context` says what
/// stands for the context.
#define SEMEL_LISTED_COLUMNS(context)                                                                            \
  "seq, id, kind, state, queue, handler, priority, order_at, run_at, created_at, created_by, namespace, name, "  \
  "version, revision, key, identity_mode, strategy, scope, bucket, hash, superseded, fingerprint, window_kind, " \
  "window_ms, client_made_id, previous, labels, traceparent, " context                                           \
  ", attempt, cancel_requested, started_at, closed_at, released_at, retry, timeout_ms, deadline, "               \
  "uncounted_attempts, progress, progress_message, concurrency_key, phase, run, task_key, awaited, NULL, NULL, NULL"

ExecutionRow read_row(const Statement& row, const std::string& tenant);

std::optional<ExecutionRow> find_by_seq(Connection& connection, const std::string& tenant, std::int64_t seq);
std::optional<ExecutionRow> find_by_id(Connection& connection, const std::string& tenant, std::int64_t tenant_id,
                                       domain::ExecutionId id);

}  // namespace semel::store::sqlite
