#include "store/postgres/execution_row.hpp"

#include "domain/template.hpp"
#include "store/common/texts.hpp"

namespace semel::store::postgres {
namespace {

using domain::Execution;
using domain::ExecutionSpec;

enum Column : int {
  tenant,
  id,
  kind,
  state,
  phase,
  queue,
  handler,
  priority,
  order_at,
  run_at,
  created_at,
  created_by,
  namespace_,
  name,
  version,
  revision,
  key,
  identity_mode,
  strategy,
  scope,
  bucket,
  hash,
  fingerprint,
  window_kind,
  window_ms,
  client_made_id,
  previous,
  labels,
  traceparent,
  retry,
  timeout_ms,
  deadline,
  concurrency_key,
  attempt,
  uncounted_attempts,
  cancel_requested,
  started_at,
  closed_at,
  released_at,
  progress,
  progress_message,
  run,
  task_key,
  awaited,
  item,
  context,
  result,
  error,
  column_count
};
static_assert(Column::column_count == execution_columns);

domain::Identity read_identity(const Row& row, int at) {
  domain::Identity identity;
  identity.mode = row.as<domain::Mode>(at + Column::identity_mode);
  identity.strategy = row.as<domain::Strategy>(at + Column::strategy);
  identity.scope = row.as<domain::Scope>(at + Column::scope);
  identity.bucket = row.optional_integer(at + Column::bucket);
  if (!row.is_null(at + Column::hash)) identity.hash = row.hash(at + Column::hash);
  return identity;
}

std::optional<domain::NamedTask> read_named_task(const Row& row, int at, const std::string& tenant) {
  if (row.is_null(at + Column::name)) return std::nullopt;
  domain::NamedTask named{{},
                          row.text(at + Column::namespace_),
                          row.text(at + Column::name),
                          row.text(at + Column::version),
                          row.small(at + Column::revision)};
  named.uuid = domain::named_task_uuid(tenant, named.namespace_, named.name);
  return named;
}

std::optional<domain::StepOf> read_step(const Row& row, int at) {
  if (row.is_null(at + Column::run)) return std::nullopt;
  return domain::StepOf{
      {row.uuid(at + Column::run)}, row.text(at + Column::task_key), row.optional_text(at + Column::item)};
}

ExecutionSpec read_spec(const Row& row, int at) {
  ExecutionSpec spec;
  spec.tenant = row.text(at + Column::tenant);
  spec.id = {row.uuid(at + Column::id)};
  spec.client_made_id = row.boolean(at + Column::client_made_id);
  spec.kind = row.as<domain::Kind>(at + Column::kind);
  spec.named_task = read_named_task(row, at, spec.tenant);
  spec.handler = row.text(at + Column::handler);
  spec.queue = row.text(at + Column::queue);
  spec.priority = row.small(at + Column::priority);
  spec.head_start = row.time(at + Column::run_at) - row.time(at + Column::order_at);
  spec.context = row.text(at + Column::context);
  spec.identity = read_identity(row, at);
  spec.key = row.optional_text(at + Column::key);
  spec.fingerprint = row.optional_hash(at + Column::fingerprint);
  spec.window = {row.as<domain::Window::Kind>(at + Column::window_kind), Duration{row.integer(at + Column::window_ms)}};
  spec.created_by = row.text(at + Column::created_by);
  if (!row.is_null(at + Column::labels)) spec.labels = read_labels(row.view(at + Column::labels));
  spec.traceparent = row.text(at + Column::traceparent);
  if (!row.is_null(at + Column::retry)) spec.retry = read_retry(row.view(at + Column::retry));
  if (!row.is_null(at + Column::timeout_ms)) spec.timeout = Duration{row.integer(at + Column::timeout_ms)};
  spec.concurrency_key = row.optional_text(at + Column::concurrency_key);
  spec.step = read_step(row, at);
  return spec;
}

#define SEMEL_FROM_WANTED                                                             \
  " FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)) u" \
  " JOIN executions e ON e.tenant = u.tenant AND e.id = u.id"

std::map<TenantAndId, ExecutionRow> by_id(const Rows& rows) {
  std::map<TenantAndId, ExecutionRow> found;
  for (const Row row : rows) {
    ExecutionRow read = read_execution(row);
    TenantAndId place = read.id();
    found.emplace(std::move(place), std::move(read));
  }
  return found;
}

}  // namespace

ExecutionRow read_execution(const Row& row, int at) {
  ExecutionRow read{row.as<Phase>(at + Column::phase)};
  read.awaited = row.boolean(at + Column::awaited);
  Execution& execution = read.execution;
  execution.spec = read_spec(row, at);
  execution.state = row.as<domain::State>(at + Column::state);
  execution.created_at = row.time(at + Column::created_at);
  execution.run_at = row.time(at + Column::run_at);
  execution.started_at = row.optional_time(at + Column::started_at);
  execution.closed_at = row.optional_time(at + Column::closed_at);
  execution.released_at = row.optional_time(at + Column::released_at);
  execution.result = row.optional_text(at + Column::result);
  execution.error = row.optional_text(at + Column::error);
  execution.previous = row.optional_id(at + Column::previous);
  execution.attempt = row.small(at + Column::attempt);
  execution.uncounted_attempts = row.small(at + Column::uncounted_attempts);
  execution.cancel_requested = row.boolean(at + Column::cancel_requested);
  execution.deadline = row.optional_time(at + Column::deadline);
  if (!row.is_null(at + Column::progress))
    execution.progress = domain::Progress{row.small(at + Column::progress), row.text(at + Column::progress_message)};
  return read;
}

IdArrays::IdArrays(std::span<const TenantAndId> pairs) {
  for (const auto& [tenant_name, execution] : pairs) {
    tenants.add(tenant_name);
    ids.add(execution);
  }
}

std::optional<ExecutionRow> find_execution(Connection& connection, std::string_view tenant_name,
                                           domain::ExecutionId execution) {
  const Rows rows = connection.run(
      "SELECT " SEMEL_EXECUTION_COLUMNS " FROM executions e WHERE e.tenant = $1 AND e.id = $2", tenant_name, execution);
  if (rows.empty()) return std::nullopt;
  return read_execution(rows[0]);
}

std::optional<ExecutionRow> lock_execution(Connection& connection, std::string_view tenant_name,
                                           domain::ExecutionId execution) {
  const Rows rows = connection.run("SELECT " SEMEL_EXECUTION_COLUMNS
                                   " FROM executions e WHERE e.tenant = $1 AND e.id = $2 FOR UPDATE",
                                   tenant_name, execution);
  if (rows.empty()) return std::nullopt;
  return read_execution(rows[0]);
}

std::map<TenantAndId, ExecutionRow> find_executions(Connection& connection, std::span<const TenantAndId> ids) {
  if (ids.empty()) return {};
  const IdArrays wanted(ids);
  return by_id(connection.run("SELECT " SEMEL_EXECUTION_COLUMNS SEMEL_FROM_WANTED, wanted.tenants, wanted.ids));
}

std::map<TenantAndId, ExecutionRow> find_listed(Connection& connection, std::span<const TenantAndId> ids) {
  if (ids.empty()) return {};
  const IdArrays wanted(ids);
  return by_id(
      connection.run("SELECT " SEMEL_LISTED_COLUMNS("''::text") SEMEL_FROM_WANTED, wanted.tenants, wanted.ids));
}

void lock_executions(Connection& connection, std::span<const TenantAndId> ids) {
  if (ids.empty()) return;
  const IdArrays wanted(ids);
  connection.run(
      "SELECT 1 FROM executions e WHERE (e.tenant, e.id) IN (SELECT * FROM unnest($1::text[], $2::uuid[]))"
      " ORDER BY e.tenant, e.id FOR UPDATE",
      wanted.tenants, wanted.ids);
}

}  // namespace semel::store::postgres
