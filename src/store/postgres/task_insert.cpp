#include "store/common/texts.hpp"
#include "store/postgres/runs.hpp"

/// New tasks of runs, all in one statement: each column is an array. Those of submissions are in execution_insert.cpp;
/// these have other columns, and so neither makes the other slower.
namespace semel::store::postgres {
namespace {

struct TaskColumns {
  Array tenant{Type::text}, id{Type::uuid}, phase{Type::integer}, queue{Type::text}, handler{Type::text},
      priority{Type::integer}, order_at{Type::integer}, created_by{Type::text}, key{Type::text}, mode{Type::integer},
      strategy{Type::integer}, scope{Type::integer}, hash{Type::bytes}, fingerprint{Type::bytes},
      window_kind{Type::integer}, window_ms{Type::integer}, traceparent{Type::text}, retry{Type::text},
      timeout{Type::integer}, concurrency_key{Type::text}, run{Type::uuid}, task_key{Type::text}, item{Type::text};

  void add(const NewRow& row) {
    const domain::ExecutionSpec& spec = *row.spec;
    tenant.add(spec.tenant);
    id.add(spec.id);
    phase.add(row.phase);
    queue.add(spec.queue);
    handler.add(spec.handler);
    priority.add(spec.priority);
    order_at.add(domain::order_time(row.run_at, spec.head_start));
    created_by.add(spec.created_by);
    key.add(spec.key);
    mode.add(spec.identity.mode);
    strategy.add(spec.identity.strategy);
    scope.add(spec.identity.scope);
    if (spec.identity.mode == domain::Mode::none) hash.add_null();
    else hash.add(spec.identity.hash);
    fingerprint.add(spec.fingerprint);
    window_kind.add(spec.window.kind);
    window_ms.add(spec.window.length);
    if (spec.traceparent.empty()) traceparent.add_null();
    else traceparent.add(spec.traceparent);
    if (spec.retry == domain::RetryPolicy()) retry.add_null();
    else retry.add(retry_text(spec.retry));
    timeout.add(spec.timeout);
    concurrency_key.add(spec.concurrency_key);
    run.add(spec.step->run);
    task_key.add(spec.step->task_key);
    item.add(spec.step->item);
  }
};

#define SEMEL_TASK_COLUMNS                                                                                        \
  "tenant, id, phase, queue, handler, priority, order_at, created_by, key, identity_mode, strategy, scope, hash," \
  " fingerprint, window_kind, window_ms, traceparent, retry, timeout_ms, concurrency_key, run, task_key, item"

}  // namespace

/// In the order in which they were decided: lists show them so.
void insert_tasks(Batch& batch, std::span<const NewRow> rows) {
  TaskColumns columns;
  for (const NewRow& row : rows) columns.add(row);
  batch.connection.run(
      "INSERT INTO executions (kind, run_at, created_at, client_made_id, context, " SEMEL_TASK_COLUMNS
      ") SELECT 0, $1, $1, false, '', " SEMEL_TASK_COLUMNS
      " FROM unnest($2::text[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],"
      " $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bytea[], $15::bytea[],"
      " $16::bigint[], $17::bigint[], $18::text[], $19::text[], $20::bigint[], $21::text[], $22::uuid[], $23::text[],"
      " $24::text[]) WITH ORDINALITY AS b (" SEMEL_TASK_COLUMNS ", arrival) ORDER BY b.arrival",
      batch.now, columns.tenant, columns.id, columns.phase, columns.queue, columns.handler, columns.priority,
      columns.order_at, columns.created_by, columns.key, columns.mode, columns.strategy, columns.scope, columns.hash,
      columns.fingerprint, columns.window_kind, columns.window_ms, columns.traceparent, columns.retry, columns.timeout,
      columns.concurrency_key, columns.run, columns.task_key, columns.item);
}

}  // namespace semel::store::postgres
