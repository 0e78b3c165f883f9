#include <algorithm>

#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How runs are locked and read, and what is locked before them.
namespace semel::store::postgres {
namespace {

/// What is joined is as it was when the statement began, even where it has waited for the lock: of the execution, only
/// what never changes counts, and its state until it is looked at again.
HeldRun read_run(Batch& batch, const Row& row) {
  HeldRun run;
  domain::ExecutionSpec& spec = run.loaded.spec;
  spec.tenant = row.text(0);
  spec.id = {row.uuid(1)};
  spec.kind = domain::Kind::workflow;
  run.plan = row.hash(2);
  run.loaded.graph = graph_of(batch.connection, batch.plans, spec.tenant, run.plan);
  std::optional<domain::RunFacts> facts = domain::decode_facts(row.view(3));
  if (!facts || facts->steps.size() != run.loaded.graph->size())
    throw StoreFault("the facts of a run cannot be read: they were written by a newer semel, or are damaged");
  run.loaded.facts = *std::move(facts);
  run.history_length = row.integer(4);
  run.state = row.as<domain::State>(5);
  spec.queue = row.text(6);
  spec.handler = row.text(7);
  if (!row.is_null(9)) spec.named_task = domain::NamedTask{{}, row.text(8), row.text(9), {}, 1};
  spec.priority = row.small(10);
  spec.head_start = Duration{row.integer(11)};
  spec.concurrency_key = row.optional_text(12);
  spec.created_by = row.text(13);
  spec.traceparent = row.text(14);
  run.context_bytes = static_cast<std::uint64_t>(row.integer(15));
  run.is_keyed = is_keyed(run.loaded);
  return run;
}

}  // namespace

Plans::Shared graph_of(Connection& connection, Plans& plans, const std::string& tenant, const Hash32& plan) {
  return plans.get(plan, [&] {
    const Rows rows =
        connection.run("SELECT p.document FROM plans p WHERE p.tenant = $1 AND p.hash = $2", tenant, plan);
    if (rows.empty()) throw StoreFault("the plan of a run is missing");
    return rows[0].text(0);
  });
}

std::map<TenantAndId, Plans::Shared> graphs_of(Batch& batch, const std::set<TenantAndId>& runs) {
  std::map<TenantAndId, Plans::Shared> graphs;
  const std::vector<TenantAndId> ids(runs.begin(), runs.end());
  const IdArrays wanted(ids);
  const Rows rows = batch.connection.run(
      "SELECT r.tenant, r.id, r.plan FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
      " JOIN runs r ON r.tenant = u.tenant AND r.id = u.id",
      wanted.tenants, wanted.ids);
  for (const Row row : rows)
    graphs[{row.text(0), {row.uuid(1)}}] = graph_of(batch.connection, batch.plans, row.text(0), row.hash(2));
  return graphs;
}

void hold_runs(Batch& batch, std::span<const TenantAndId> ids) {
  std::vector<TenantAndId> missing;
  for (const TenantAndId& id : ids) {
    if (!batch.runs.held.contains(id)) missing.push_back(id);
  }
  if (missing.empty()) return;
  const IdArrays wanted(missing);
  const Rows rows = batch.connection.run(
      "SELECT r.tenant, r.id, r.plan, r.facts, r.history_length, e.state, e.queue, e.handler, e.namespace, e.name,"
      " e.priority, e.run_at - e.order_at, e.concurrency_key, e.created_by, e.traceparent, octet_length(e.context)"
      " FROM runs r JOIN executions e ON e.tenant = r.tenant AND e.id = r.id"
      " WHERE (r.tenant, r.id) IN (SELECT * FROM unnest($1::text[], $2::uuid[]))"
      " ORDER BY r.tenant, r.id FOR UPDATE OF r",
      wanted.tenants, wanted.ids);
  for (const Row row : rows) batch.runs.held.emplace(TenantAndId{row.text(0), {row.uuid(1)}}, read_run(batch, row));
}

HeldRun* hold_run(Batch& batch, const TenantAndId& id) {
  hold_runs(batch, {&id, 1});
  const auto found = batch.runs.held.find(id);
  return found == batch.runs.held.end() ? nullptr : &found->second;
}

/// Any step may be the next one: what its queue is, the plan says.
std::set<TenantAndQueue> queues_of(Batch& batch, std::span<const TenantAndId> runs) {
  std::set<TenantAndQueue> queues;
  if (runs.empty()) return queues;
  const IdArrays wanted(runs);
  const Rows rows = batch.connection.run(
      "SELECT r.tenant, r.plan FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)) u"
      " JOIN runs r ON r.tenant = u.tenant AND r.id = u.id"
      " JOIN executions e ON e.tenant = r.tenant AND e.id = r.id WHERE e.concurrency_key IS NOT NULL",
      wanted.tenants, wanted.ids);
  for (const Row row : rows) {
    const Plans::Shared graph = graph_of(batch.connection, batch.plans, row.text(0), row.hash(1));
    for (const domain::Step& step : graph->steps()) queues.emplace(row.text(0), step.queue);
  }
  return queues;
}

Owners owners_attached_to(Batch& batch, std::span<const TenantAndId> holders) {
  Owners owners;
  if (holders.empty()) return owners;
  const IdArrays wanted(holders);
  const Rows rows = batch.connection.run(
      "SELECT DISTINCT e.tenant, e.run, strpos(e.task_key, '#') > 0 FROM unnest($1::text[], $2::uuid[]) AS u (tenant, "
      "id)"
      " JOIN attachments a ON a.tenant = u.tenant AND a.holder = u.id"
      " JOIN executions e ON e.tenant = a.tenant AND e.id = a.id WHERE e.run IS NOT NULL",
      wanted.tenants, wanted.ids);
  for (const Row row : rows) (row.boolean(2) ? owners.workflows : owners.runs).insert({row.text(0), {row.uuid(1)}});
  return owners;
}

void lock_before(Batch& batch, const ExecutionRow& seen) {
  const domain::ExecutionSpec& spec = seen.execution.spec;
  Owners owners;
  const TenantAndId id = seen.id();
  if (seen.awaited) owners = owners_attached_to(batch, {&id, 1});
  if (spec.step) owners.add(spec.tenant, *spec.step);
  std::set<TenantAndQueue> queues;
  const std::vector<TenantAndId> runs(owners.runs.begin(), owners.runs.end());
  if (seen.awaited || spec.concurrency_key) queues = queues_of(batch, runs);
  if (spec.concurrency_key) queues.insert(seen.queue());
  batch.queues.lock(queues);
  hold_owners(batch, owners);
}

void lock_before_cancelling(Batch& batch, std::span<const TenantAndId> runs) {
  if (runs.empty()) return;
  const IdArrays wanted(runs);
  const Rows rows = batch.connection.run(
      "SELECT DISTINCT w.tenant, w.run, strpos(w.task_key, '#') > 0 FROM unnest($1::text[], $2::uuid[]) AS u (tenant, "
      "id)"
      " JOIN executions h ON h.tenant = u.tenant AND h.run = u.id AND h.run IS NOT NULL AND h.awaited"
      " JOIN attachments a ON a.tenant = h.tenant AND a.holder = h.id"
      " JOIN executions w ON w.tenant = a.tenant AND w.id = a.id WHERE w.run IS NOT NULL",
      wanted.tenants, wanted.ids);
  Owners owners;
  owners.runs.insert(runs.begin(), runs.end());
  for (const Row row : rows) (row.boolean(2) ? owners.workflows : owners.runs).insert({row.text(0), {row.uuid(1)}});
  batch.queues.lock(queues_of(batch, std::vector<TenantAndId>(owners.runs.begin(), owners.runs.end())));
  hold_owners(batch, owners);
}

}  // namespace semel::store::postgres
