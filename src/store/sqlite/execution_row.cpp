#include "store/sqlite/execution_row.hpp"

#include "domain/template.hpp"
#include "store/common/texts.hpp"

namespace semel::store::sqlite {
namespace {

using domain::Execution;
using domain::ExecutionSpec;

#define SEMEL_EXECUTION_COLUMNS                                                                                  \
  "seq, id, kind, state, queue, handler, priority, order_at, run_at, created_at, created_by, namespace, name, "  \
  "version, revision, key, identity_mode, strategy, scope, bucket, hash, superseded, fingerprint, window_kind, " \
  "window_ms, client_made_id, previous, labels, traceparent, context, attempt, cancel_requested, started_at, "   \
  "closed_at, released_at, retry, timeout_ms, deadline, uncounted_attempts, progress, progress_message, "        \
  "concurrency_key, phase, run, task_key, awaited, item, result, error"

enum Column : int {
  seq,
  id,
  kind,
  state,
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
  superseded,
  fingerprint,
  window_kind,
  window_ms,
  client_made_id,
  previous,
  labels,
  traceparent,
  context,
  attempt,
  cancel_requested,
  started_at,
  closed_at,
  released_at,
  retry,
  timeout_ms,
  deadline,
  uncounted_attempts,
  progress,
  progress_message,
  concurrency_key,
  phase,
  run,
  task_key,
  awaited,
  item,
  result,
  error
};

domain::Identity read_identity(const Statement& row) {
  domain::Identity identity;
  identity.mode = static_cast<domain::Mode>(row.integer(Column::identity_mode));
  identity.strategy = static_cast<domain::Strategy>(row.integer(Column::strategy));
  identity.scope = static_cast<domain::Scope>(row.integer(Column::scope));
  if (!row.is_null(Column::bucket)) identity.bucket = row.integer(Column::bucket);
  if (!row.is_null(Column::hash)) identity.hash = row.hash(Column::hash);
  return identity;
}

std::optional<domain::NamedTask> read_named_task(const Statement& row, const std::string& tenant) {
  if (row.is_null(Column::name)) return std::nullopt;
  domain::NamedTask named{
      {}, row.text(Column::namespace_), row.text(Column::name), row.text(Column::version), row.small(Column::revision)};
  named.uuid = domain::named_task_uuid(tenant, named.namespace_, named.name);
  return named;
}

ExecutionSpec read_spec(const Statement& row, const std::string& tenant) {
  ExecutionSpec spec;
  spec.tenant = tenant;
  spec.id = {row.uuid(Column::id)};
  spec.client_made_id = row.integer(Column::client_made_id) != 0;
  spec.kind = static_cast<domain::Kind>(row.integer(Column::kind));
  spec.named_task = read_named_task(row, tenant);
  spec.handler = row.text(Column::handler);
  spec.queue = row.text(Column::queue);
  spec.priority = row.small(Column::priority);
  spec.head_start = row.time(Column::run_at) - row.time(Column::order_at);
  spec.context = row.text(Column::context);
  spec.identity = read_identity(row);
  spec.key = row.optional_text(Column::key);
  spec.fingerprint = row.optional_hash(Column::fingerprint);
  spec.window = {static_cast<domain::Window::Kind>(row.integer(Column::window_kind)),
                 Duration{row.integer(Column::window_ms)}};
  spec.created_by = row.text(Column::created_by);
  if (!row.is_null(Column::labels)) spec.labels = read_labels(row.view(Column::labels));
  spec.traceparent = row.text(Column::traceparent);
  if (!row.is_null(Column::retry)) spec.retry = read_retry(row.view(Column::retry));
  if (!row.is_null(Column::timeout_ms)) spec.timeout = Duration{row.integer(Column::timeout_ms)};
  spec.concurrency_key = row.optional_text(Column::concurrency_key);
  if (!row.is_null(Column::run))
    spec.step = domain::StepOf{{row.uuid(Column::run)}, row.text(Column::task_key), row.optional_text(Column::item)};
  return spec;
}

constexpr std::string_view insert_sql =
    "INSERT INTO executions (seq, tenant_id, id, kind, state, phase, queue, handler, priority, order_at, run_at, "
    "created_at, created_by, namespace, name, version, revision, key, identity_mode, strategy, scope, bucket, hash, "
    "fingerprint, window_kind, window_ms, client_made_id, previous, labels, traceparent, context, retry, timeout_ms, "
    "deadline, concurrency_key, run, task_key, item, started_at, superseded) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
    "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
    "?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, "
    "?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40)";

template <typename E>
std::int64_t number(E value) {
  return static_cast<std::int64_t>(value);
}

void bind_identity(Statement& insert, const ExecutionSpec& spec) {
  const domain::Identity& identity = spec.identity;
  insert.bind(18, spec.key).bind(19, number(identity.mode)).bind(20, number(identity.strategy));
  insert.bind(21, number(identity.scope)).bind(22, identity.bucket);
  if (identity.mode != domain::Mode::none) insert.bind(23, identity.hash);
  insert.bind(24, spec.fingerprint).bind(25, number(spec.window.kind)).bind(26, spec.window.length);
}

}  // namespace

ExecutionRow read_row(const Statement& row, const std::string& tenant) {
  ExecutionRow read{row.integer(Column::seq),
                    row.integer(Column::superseded) != 0,
                    static_cast<Phase>(row.integer(Column::phase)),
                    {},
                    row.integer(Column::awaited) != 0};
  Execution& execution = read.execution;
  execution.spec = read_spec(row, tenant);
  execution.state = static_cast<domain::State>(row.integer(Column::state));
  execution.created_at = row.time(Column::created_at);
  execution.run_at = row.time(Column::run_at);
  execution.started_at = row.optional_time(Column::started_at);
  execution.closed_at = row.optional_time(Column::closed_at);
  execution.released_at = row.optional_time(Column::released_at);
  execution.result = row.optional_text(Column::result);
  execution.error = row.optional_text(Column::error);
  if (!row.is_null(Column::previous)) execution.previous = domain::ExecutionId{row.uuid(Column::previous)};
  execution.attempt = row.small(Column::attempt);
  execution.uncounted_attempts = row.small(Column::uncounted_attempts);
  execution.cancel_requested = row.integer(Column::cancel_requested) != 0;
  execution.deadline = row.optional_time(Column::deadline);
  if (!row.is_null(Column::progress))
    execution.progress = domain::Progress{row.small(Column::progress), row.text(Column::progress_message)};
  return read;
}

void insert_execution(Connection& connection, const NewRow& row, const ExecutionSpec& spec) {
  const std::string labels = spec.labels.empty() ? std::string() : labels_text(spec.labels);
  const std::string retry = spec.retry == domain::RetryPolicy() ? std::string() : retry_text(spec.retry);
  Scoped insert = connection.use(insert_sql);
  insert->bind(1, row.seq).bind(2, row.tenant_id).bind(3, spec.id.uuid).bind(4, number(spec.kind));
  insert->bind(5, number(row.state)).bind(6, number(row.phase)).bind(7, spec.queue).bind(8, spec.handler);
  insert->bind(9, std::int64_t{spec.priority}).bind(10, domain::order_time(row.run_at, spec.head_start));
  insert->bind(11, row.run_at).bind(12, row.created_at).bind(13, spec.created_by);
  if (spec.named_task) {
    insert->bind(14, spec.named_task->namespace_).bind(15, spec.named_task->name).bind(16, spec.named_task->version);
    insert->bind(17, std::int64_t{spec.named_task->revision});
  }
  bind_identity(*insert, spec);
  insert->bind(27, std::int64_t{spec.client_made_id});
  if (row.previous) insert->bind(28, row.previous->uuid);
  if (!spec.labels.empty()) insert->bind(29, labels);
  if (!spec.traceparent.empty()) insert->bind(30, spec.traceparent);
  if (!retry.empty()) insert->bind(32, retry);
  if (spec.timeout) insert->bind(33, *spec.timeout);
  insert->bind(39, row.started_at).bind(40, std::int64_t{row.superseded});
  if (spec.step) {
    insert->bind(36, spec.step->run.uuid).bind(37, spec.step->task_key).bind(38, spec.step->item);
  }
  insert->bind(34, row.deadline).bind(35, spec.concurrency_key).bind(31, spec.context).run();
}

std::optional<ExecutionRow> find_by_seq(Connection& connection, const std::string& tenant, std::int64_t seq) {
  Scoped query = connection.use("SELECT " SEMEL_EXECUTION_COLUMNS " FROM executions WHERE seq = ?1");
  query->bind(1, seq);
  if (!query->step()) return std::nullopt;
  return read_row(*query, tenant);
}

std::optional<ExecutionRow> find_by_id(Connection& connection, const std::string& tenant, std::int64_t tenant_id,
                                       domain::ExecutionId id) {
  Scoped query = connection.use("SELECT " SEMEL_EXECUTION_COLUMNS " FROM executions WHERE tenant_id = ?1 AND id = ?2");
  query->bind(1, tenant_id).bind(2, id.uuid);
  if (!query->step()) return std::nullopt;
  return read_row(*query, tenant);
}

}  // namespace semel::store::sqlite
