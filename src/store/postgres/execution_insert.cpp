#include <set>

#include "store/common/texts.hpp"
#include "store/postgres/execution_row.hpp"

/// New rows, a whole batch in one statement: each column of the batch is an array.
namespace semel::store::postgres {
namespace {

using domain::ExecutionSpec;

/// The columns of a batch, in the order of the statements below.
struct NewColumns {
  Array tenant{Type::text}, hash{Type::bytes}, id{Type::uuid}, kind{Type::integer}, phase{Type::integer},
      queue{Type::text}, handler{Type::text}, priority{Type::integer}, order_at{Type::integer}, run_at{Type::integer},
      created_by{Type::text}, namespace_{Type::text}, name{Type::text}, version{Type::text}, revision{Type::integer},
      key{Type::text}, mode{Type::integer}, strategy{Type::integer}, scope{Type::integer}, bucket{Type::integer},
      fingerprint{Type::bytes}, window_kind{Type::integer}, window_ms{Type::integer}, client_made{Type::boolean},
      previous{Type::uuid}, labels{Type::text}, traceparent{Type::text}, retry{Type::text}, timeout{Type::integer},
      deadline{Type::integer}, concurrency_key{Type::text}, context{Type::text};

  void add(const NewRow& row) {
    const ExecutionSpec& spec = *row.spec;
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
    add_named_task(spec);
    add_identity(spec);
    client_made.add(spec.client_made_id);
    previous.add(row.previous);
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
  }

  Parameters parameters(Time now) const {
    return Parameters(now, tenant, hash, id, kind, phase, queue, handler, priority, order_at, run_at, created_by,
                      namespace_, name, version, revision, key, mode, strategy, scope, bucket, fingerprint, window_kind,
                      window_ms, client_made, previous, labels, traceparent, retry, timeout, deadline, concurrency_key,
                      context);
  }

 private:
  void add_named_task(const ExecutionSpec& spec) {
    if (!spec.named_task) {
      for (Array* each : {&namespace_, &name, &version, &revision}) each->add_null();
      return;
    }
    namespace_.add(spec.named_task->namespace_);
    name.add(spec.named_task->name);
    version.add(spec.named_task->version);
    revision.add(spec.named_task->revision);
  }

  void add_identity(const ExecutionSpec& spec) {
    const domain::Identity& identity = spec.identity;
    if (identity.mode == domain::Mode::none) hash.add_null();
    else hash.add(identity.hash);
    key.add(spec.key);
    mode.add(identity.mode);
    strategy.add(identity.strategy);
    scope.add(identity.scope);
    bucket.add(identity.bucket);
    fingerprint.add(spec.fingerprint);
    window_kind.add(spec.window.kind);
    window_ms.add(spec.window.length);
  }
};

#define SEMEL_NEW_COLUMNS                                                                                    \
  "tenant, hash, id, kind, phase, queue, handler, priority, order_at, run_at, created_by, namespace, name, " \
  "version, revision, key, identity_mode, strategy, scope, bucket, fingerprint, window_kind, window_ms, "    \
  "client_made_id, previous, labels, traceparent, retry, timeout_ms, deadline, concurrency_key, context"
#define SEMEL_NEW_BATCH                                                                                             \
  "SELECT * FROM unnest($2::text[], $3::bytea[], $4::uuid[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],"   \
  " $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bigint[]," \
  " $17::text[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[], $22::bytea[], $23::bigint[],"          \
  " $24::bigint[], $25::boolean[], $26::uuid[], $27::text[], $28::text[], $29::text[], $30::bigint[],"              \
  " $31::bigint[], $32::text[], $33::text[]) WITH ORDINALITY AS b (" SEMEL_NEW_COLUMNS ", arrival)"

}  // namespace

/// Identities go in sorted by (tenant, hash, arrival). Sorted by hash: two sessions whose batches overlap wait for each
/// other in one direction only; unsorted batches deadlock. Then by arrival: of two equal hashes in one batch the first
/// wins. ON CONFLICT DO NOTHING waits for a concurrent claim of the same hash to commit (then this one loses) or to
/// roll back (then this one wins), writes nothing for losers, and skips the second of two equal hashes; DO UPDATE would
/// write for every duplicate and abort on two equal hashes. Winners are joined on the execution id, not on the hash,
/// which two rows of the batch may share. A client-made id that exists is a primary-key violation: the batch is run
/// again one by one.
std::vector<bool> insert_claiming(Connection& connection, std::span<const NewRow> rows, Time now) {
  NewColumns columns;
  for (const NewRow& row : rows) columns.add(row);
  const Rows created = connection.run(
      "WITH batch AS MATERIALIZED (" SEMEL_NEW_BATCH
      "), won AS (INSERT INTO identities (tenant, hash, execution_id)"
      " SELECT tenant, hash, id FROM batch WHERE hash IS NOT NULL ORDER BY tenant COLLATE \"C\", hash, arrival"
      " ON CONFLICT (tenant, hash) DO NOTHING RETURNING tenant, execution_id)"
      " INSERT INTO executions (created_at, " SEMEL_NEW_COLUMNS ") SELECT $1, " SEMEL_NEW_COLUMNS
      " FROM batch b WHERE b.hash IS NULL"
      " OR (b.tenant, b.id) IN (SELECT w.tenant, w.execution_id FROM won w) ORDER BY b.arrival"
      " RETURNING tenant, id",
      columns.parameters(now));
  std::set<TenantAndId> ids;
  for (const Row row : created) ids.insert({row.text(0), {row.uuid(1)}});
  std::vector<bool> won;
  for (const NewRow& row : rows) won.push_back(ids.contains({row.spec->tenant, row.spec->id}));
  return won;
}

void insert_execution(Connection& connection, const NewRow& row, Time now) {
  NewColumns columns;
  columns.add(row);
  connection.run("INSERT INTO executions (created_at, " SEMEL_NEW_COLUMNS ") SELECT $1, " SEMEL_NEW_COLUMNS
                 " FROM (" SEMEL_NEW_BATCH ") b",
                 columns.parameters(now));
}

}  // namespace semel::store::postgres
