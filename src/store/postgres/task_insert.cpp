#include "store/common/texts.hpp"
#include "store/postgres/runs.hpp"

/// New tasks of runs, and tasks, promises and workflows that code workflows begin, all in one statement: each column is
/// an array. Those of submissions are in execution_insert.cpp; these have other columns, and so neither makes the other
/// slower.
namespace semel::store::postgres {
namespace {

struct TaskColumns {
  Array tenant{Type::text}, id{Type::uuid}, kind{Type::integer}, phase{Type::integer}, queue{Type::text},
      handler{Type::text}, priority{Type::integer}, order_at{Type::integer}, run_at{Type::integer},
      created_by{Type::text}, key{Type::text}, mode{Type::integer}, strategy{Type::integer}, scope{Type::integer},
      hash{Type::bytes}, fingerprint{Type::bytes}, window_kind{Type::integer}, window_ms{Type::integer},
      labels{Type::text}, traceparent{Type::text}, retry{Type::text}, timeout{Type::integer}, deadline{Type::integer},
      concurrency_key{Type::text}, context{Type::text}, run{Type::uuid}, task_key{Type::text}, item{Type::text};

  void add(const NewRow& row) {
    const domain::ExecutionSpec& spec = *row.spec;
    tenant.add(spec.tenant);
    id.add(spec.id);
    kind.add(spec.kind);
    phase.add(row.phase);
    queue.add(spec.queue);
    handler.add(spec.handler);
    priority.add(spec.priority);
    order_at.add(domain::order_time(row.run_at, spec.head_start));
    run_at.add(row.run_at);
    created_by.add(spec.created_by);
    add_identity(spec);
    if (spec.labels.empty()) labels.add_null();
    else labels.add(labels_text(spec.labels));
    if (spec.traceparent.empty()) traceparent.add_null();
    else traceparent.add(spec.traceparent);
    if (spec.retry == domain::RetryPolicy()) retry.add_null();
    else retry.add(retry_text(spec.retry));
    timeout.add(spec.timeout);
    deadline.add(row.deadline);
    concurrency_key.add(spec.concurrency_key);
    context.add(spec.context);
    run.add(spec.step->run);
    task_key.add(spec.step->task_key);
    item.add(spec.step->item);
  }

 private:
  void add_identity(const domain::ExecutionSpec& spec) {
    key.add(spec.key);
    mode.add(spec.identity.mode);
    strategy.add(spec.identity.strategy);
    scope.add(spec.identity.scope);
    if (spec.identity.mode == domain::Mode::none) hash.add_null();
    else hash.add(spec.identity.hash);
    fingerprint.add(spec.fingerprint);
    window_kind.add(spec.window.kind);
    window_ms.add(spec.window.length);
  }
};

#define SEMEL_TASK_COLUMNS                                                                                         \
  "tenant, id, kind, phase, queue, handler, priority, order_at, run_at, created_by, key, identity_mode, strategy," \
  " scope, hash, fingerprint, window_kind, window_ms, labels, traceparent, retry, timeout_ms, deadline,"           \
  " concurrency_key, context, run, task_key, item"

}  // namespace

/// In the order in which they were decided: lists show them so.
void insert_tasks(Batch& batch, std::span<const NewRow> rows) {
  if (rows.empty()) return;
  TaskColumns columns;
  for (const NewRow& row : rows) columns.add(row);
  batch.connection.run(
      "INSERT INTO executions (created_at, client_made_id, " SEMEL_TASK_COLUMNS
      ") SELECT $1, false, " SEMEL_TASK_COLUMNS
      " FROM unnest($2::text[], $3::uuid[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[],"
      " $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::bigint[],"
      " $16::bytea[], $17::bytea[], $18::bigint[], $19::bigint[], $20::text[], $21::text[], $22::text[],"
      " $23::bigint[], $24::bigint[], $25::text[], $26::text[], $27::uuid[], $28::text[], $29::text[])"
      " WITH ORDINALITY AS b (" SEMEL_TASK_COLUMNS ", arrival) ORDER BY b.arrival",
      batch.now, columns.tenant, columns.id, columns.kind, columns.phase, columns.queue, columns.handler,
      columns.priority, columns.order_at, columns.run_at, columns.created_by, columns.key, columns.mode,
      columns.strategy, columns.scope, columns.hash, columns.fingerprint, columns.window_kind, columns.window_ms,
      columns.labels, columns.traceparent, columns.retry, columns.timeout, columns.deadline, columns.concurrency_key,
      columns.context, columns.run, columns.task_key, columns.item);
}

}  // namespace semel::store::postgres
