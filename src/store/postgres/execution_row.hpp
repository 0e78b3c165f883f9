#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ports/command.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

using TenantAndId = std::pair<std::string, domain::ExecutionId>;
using TenantAndHash = std::pair<std::string, Hash32>;
using TenantAndQueue = std::pair<std::string, std::string>;

/// Numbers are stored.
enum class Phase : std::uint8_t {
  neither = 0,
  ready = 1,    // for a worker
  waiting = 2,  // for its run_at
  counted = 3,  // runs, in a queue or with a key whose running tasks are limited
  blocked = 4,  // until another task with its concurrency_key ends
};

/// How an execution stands in its row: only the two files of this name know the order of the columns. The table must be
/// called e.
#define SEMEL_EXECUTION_COLUMNS_BUT_LARGE                                                                          \
  "e.tenant, e.id, e.kind, e.state, e.phase, e.queue, e.handler, e.priority, e.order_at, e.run_at, e.created_at, " \
  "e.created_by, e.namespace, e.name, e.version, e.revision, e.key, e.identity_mode, e.strategy, e.scope, "        \
  "e.bucket, e.hash, e.fingerprint, e.window_kind, e.window_ms, e.client_made_id, e.previous, e.labels, "          \
  "e.traceparent, e.retry, e.timeout_ms, e.deadline, e.concurrency_key, e.attempt, e.uncounted_attempts, "         \
  "e.cancel_requested, e.started_at, e.closed_at, e.released_at, e.progress, e.progress_message, e.run, "          \
  "e.task_key, e.awaited"
#define SEMEL_EXECUTION_COLUMNS SEMEL_EXECUTION_COLUMNS_BUT_LARGE ", e.item, e.context, e.result, e.error"
/// The same without what is large, and with something else for the context.
#define SEMEL_LISTED_COLUMNS(context) \
  SEMEL_EXECUTION_COLUMNS_BUT_LARGE ", NULL::text, " context ", NULL::text, NULL::text"
inline constexpr int execution_columns = 48;

/// An execution with what the store alone knows of it.
struct ExecutionRow {
  Phase phase = Phase::neither;
  domain::Execution execution{};
  bool awaited = false;  // a task of a run may be attached to it

  TenantAndId id() const { return {execution.spec.tenant, execution.spec.id}; }
  TenantAndQueue queue() const { return {execution.spec.tenant, execution.spec.queue}; }
};

/// From the columns above, of which `first` is the first one.
ExecutionRow read_execution(const Row& row, int first = 0);

std::optional<ExecutionRow> find_execution(Connection& connection, std::string_view tenant, domain::ExecutionId id);
/// Waits for whoever changes it; then nobody else can.
std::optional<ExecutionRow> lock_execution(Connection& connection, std::string_view tenant, domain::ExecutionId id);
std::map<TenantAndId, ExecutionRow> find_executions(Connection& connection, std::span<const TenantAndId> ids);
/// The same, without what is large.
std::map<TenantAndId, ExecutionRow> find_listed(Connection& connection, std::span<const TenantAndId> ids);
/// Only locks, in the order that everybody keeps. What was read before may have changed meanwhile.
void lock_executions(Connection& connection, std::span<const TenantAndId> ids);

/// What a new row has beside what was asked for.
struct NewRow {
  const domain::ExecutionSpec* spec = nullptr;
  Time run_at{};
  Phase phase = Phase::ready;
  std::optional<domain::ExecutionId> previous{};
  std::optional<Time> deadline{};
};

/// Claims the identities of those that have one, in the order that everybody keeps; whose identity is free gets its
/// row. Says who did. One statement: there is never an identity without its execution, or the reverse.
std::vector<bool> insert_claiming(Connection& connection, std::span<const NewRow> rows, Time now);
/// The row alone.
void insert_execution(Connection& connection, const NewRow& row, Time now);

/// Two parallel arrays of a statement.
struct IdArrays {
  explicit IdArrays(std::span<const TenantAndId> ids);
  Array tenants{Type::text};
  Array ids{Type::uuid};
};

}  // namespace semel::store::postgres
