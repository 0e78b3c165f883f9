#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How code workflows are locked and read, and what is locked before them.
namespace semel::store::postgres {
namespace {

std::vector<TenantAndId> listed(const std::set<TenantAndId>& ids) { return {ids.begin(), ids.end()}; }

HeldWorkflow read_workflow(const Row& row) {
  HeldWorkflow workflow;
  domain::code::Facts& facts = workflow.loaded.facts;
  facts.phase = row.as<domain::RunPhase>(2);
  facts.history_length = row.integer(3);
  facts.history_bytes = row.integer(4);
  facts.first_event = row.integer(5);
  facts.seen = row.integer(6);
  facts.last_command = row.integer(7);
  facts.first_command = row.integer(8);
  facts.open_children = row.integer(9);
  workflow.abandon = row.boolean(10);
  if (!row.is_null(11)) workflow.last_activation = domain::AttemptId{row.uuid(11)};
  return workflow;
}

void read_its_execution(const Row& row, HeldWorkflow& workflow) {
  domain::Execution& execution = workflow.execution;
  domain::ExecutionSpec& spec = execution.spec;
  spec.tenant = row.text(0);
  spec.id = {row.uuid(1)};
  spec.kind = domain::Kind::workflow;
  execution.state = row.as<domain::State>(2);
  spec.queue = row.text(3);
  spec.handler = row.text(4);
  if (!row.is_null(6)) spec.named_task = domain::NamedTask{{}, row.text(5), row.text(6), {}, 1};
  spec.priority = row.small(7);
  spec.head_start = Duration{row.integer(8)};
  execution.run_at = row.time(9);
  spec.created_by = row.text(10);
  spec.traceparent = row.text(11);
  execution.deadline = row.optional_time(12);
  execution.attempt = row.small(13);
  execution.uncounted_attempts = row.small(14);
  if (!row.is_null(15)) spec.step = domain::StepOf{{row.uuid(15)}, row.text(16), std::nullopt};
  execution.cancel_requested = row.boolean(17);
  workflow.context_bytes = static_cast<std::uint64_t>(row.integer(18));
  workflow.seen = execution.state;
  workflow.loaded.spec = spec;
  workflow.loaded.state = execution.state;
}

/// What is open below workflows, and matters for what is locked before them.
struct Below {
  std::set<TenantAndId> workflows{};   // and those above
  std::set<TenantAndQueue> queues{};   // of tasks with a concurrency_key
  std::vector<TenantAndId> awaited{};  // tasks that others are attached to
};

Below look_below(Batch& batch, const std::set<TenantAndId>& ids) {
  const IdArrays wanted(listed(ids));
  const Rows rows = batch.connection.run(
      "WITH RECURSIVE below AS (SELECT e.tenant, e.id, e.run, e.handler, e.queue, e.concurrency_key, e.awaited, 0 AS "
      "depth"
      " FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id) JOIN executions e ON e.tenant = u.tenant AND e.id = u.id"
      " UNION ALL SELECT e.tenant, e.id, NULL, e.handler, e.queue, e.concurrency_key, e.awaited, b.depth + 1"
      " FROM below b JOIN executions e ON e.tenant = b.tenant AND e.run = b.id AND e.run IS NOT NULL"
      " WHERE e.state IN (0, 1, 2)) SELECT tenant, id, run, handler, queue, concurrency_key IS NOT NULL, awaited"
      " FROM below",
      wanted.tenants, wanted.ids);
  Below below;
  for (const Row row : rows) {
    const TenantAndId id{row.text(0), {row.uuid(1)}};
    if (!row.is_null(2)) below.workflows.insert({id.first, {row.uuid(2)}});
    if (domain::code::is_workflow_handler(row.view(3))) below.workflows.insert(id);
    if (row.boolean(5)) below.queues.emplace(id.first, row.text(4));
    if (row.boolean(6)) below.awaited.push_back(id);
  }
  return below;
}

}  // namespace

void Owners::add(const std::string& tenant, const domain::StepOf& step) {
  (is_of_code(step) ? workflows : runs).insert({tenant, step.run});
}

/// By two statements: what is joined to a row that had to be waited for is as it was before that. The second sees the
/// execution as whoever held the lock has left it, and from then on only a claim changes its state.
void hold_workflows(Batch& batch, const std::set<TenantAndId>& ids) {
  std::vector<TenantAndId> missing;
  for (const TenantAndId& id : ids) {
    if (!batch.runs.workflows.contains(id)) missing.push_back(id);
  }
  if (missing.empty()) return;
  const IdArrays wanted(missing);
  const Rows locked = batch.connection.run(
      "SELECT w.tenant, w.id, w.phase, w.history_length, w.history_bytes, w.first_event, w.seen, w.last_command,"
      " w.first_command, w.open_children, w.abandon, w.last_activation FROM workflows w"
      " WHERE (w.tenant, w.id) IN (SELECT * FROM unnest($1::text[], $2::uuid[])) ORDER BY w.tenant, w.id FOR UPDATE",
      wanted.tenants, wanted.ids);
  if (locked.empty()) return;
  std::map<TenantAndId, HeldWorkflow> found;
  for (const Row row : locked) found.emplace(TenantAndId{row.text(0), {row.uuid(1)}}, read_workflow(row));
  const Rows executions = batch.connection.run(
      "SELECT e.tenant, e.id, e.state, e.queue, e.handler, e.namespace, e.name, e.priority, e.run_at - e.order_at,"
      " e.run_at, e.created_by, e.traceparent, e.deadline, e.attempt, e.uncounted_attempts, e.run, e.task_key,"
      " e.cancel_requested, octet_length(e.context) FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
      " JOIN executions e ON e.tenant = u.tenant AND e.id = u.id",
      wanted.tenants, wanted.ids);
  for (const Row row : executions) {
    const auto workflow = found.find({row.text(0), {row.uuid(1)}});
    if (workflow == found.end()) continue;
    read_its_execution(row, workflow->second);
    batch.runs.workflows.insert(found.extract(workflow));
  }
}

HeldWorkflow* hold_workflow(Batch& batch, const TenantAndId& id) {
  hold_workflows(batch, {id});
  const auto found = batch.runs.workflows.find(id);
  return found == batch.runs.workflows.end() ? nullptr : &found->second;
}

void hold_owners(Batch& batch, const Owners& owners) {
  if (!owners.runs.empty()) hold_runs(batch, listed(owners.runs));
  hold_workflows(batch, owners.workflows);
}

void observe(HeldWorkflow& workflow, const domain::Execution& execution) {
  if (workflow.is_moved || workflow.is_new) return;  // what was decided is newer
  workflow.seen = execution.state;
  workflow.loaded.state = execution.state;
  workflow.execution.state = execution.state;
  workflow.execution.attempt = execution.attempt;
  workflow.execution.run_at = execution.run_at;
}

void lock_before_cancelling_code(Batch& batch, const std::set<TenantAndId>& ids) {
  if (ids.empty()) return;
  Below below = look_below(batch, ids);
  Owners owners = owners_attached_to(batch, below.awaited);
  if (!owners.runs.empty()) below.queues.merge(queues_of(batch, listed(owners.runs)));
  batch.queues.lock(below.queues);
  owners.workflows.merge(below.workflows);
  hold_owners(batch, owners);
}

}  // namespace semel::store::postgres
