#include <utility>

#include "store/postgres/workflows.hpp"

/// How code workflows are written: what all of them have become, by one statement for each kind of row.
namespace semel::store::postgres {
namespace {

struct WorkflowColumns {
  Array tenants{Type::text}, ids{Type::uuid}, phases{Type::integer}, lengths{Type::integer}, bytes{Type::integer},
      first_events{Type::integer}, seen{Type::integer}, last_commands{Type::integer}, first_commands{Type::integer},
      children{Type::integer}, abandons{Type::boolean}, activations{Type::uuid}, statuses{Type::text};

  void add(const TenantAndId& id, const HeldWorkflow& workflow) {
    const domain::code::Facts& facts = workflow.loaded.facts;
    tenants.add(id.first);
    ids.add(id.second);
    phases.add(facts.phase);
    lengths.add(facts.history_length);
    bytes.add(facts.history_bytes);
    first_events.add(facts.first_event);
    seen.add(facts.seen);
    last_commands.add(facts.last_command);
    first_commands.add(facts.first_command);
    children.add(facts.open_children);
    abandons.add(workflow.abandon);
    activations.add(workflow.last_activation);
    statuses.add(workflow.status);
  }
};

struct EventColumns {
  Array tenants{Type::text}, runs{Type::uuid}, sequences{Type::integer}, kinds{Type::integer}, task_keys{Type::text},
      details{Type::text};

  void add(const TenantAndId& id, HeldWorkflow& workflow) {
    for (const auto& [sequence, event] : std::exchange(workflow.history, {})) {
      tenants.add(id.first);
      runs.add(id.second);
      sequences.add(sequence);
      kinds.add(event.kind);
      if (event.task_key.empty()) task_keys.add_null();
      else task_keys.add(event.task_key);
      if (event.detail.empty()) details.add_null();
      else details.add(event.detail);
    }
  }
};

void write_code_facts(Batch& batch) {
  WorkflowColumns made;
  WorkflowColumns changed;
  EventColumns events;
  for (auto& [id, workflow] : batch.runs.workflows) {
    if (!workflow.is_changed) continue;
    events.add(id, workflow);
    (workflow.is_new ? made : changed).add(id, workflow);
    workflow.is_new = false;
    workflow.is_changed = false;
  }
  if (made.ids.size() > 0) {
    batch.connection.run(
        "INSERT INTO workflows (tenant, id, phase, history_length, history_bytes, first_event, seen, last_command,"
        " first_command, open_children, abandon, last_activation, status) SELECT * FROM unnest($1::text[],"
        " $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],"
        " $9::bigint[], $10::bigint[], $11::boolean[], $12::uuid[], $13::text[])",
        made.tenants, made.ids, made.phases, made.lengths, made.bytes, made.first_events, made.seen, made.last_commands,
        made.first_commands, made.children, made.abandons, made.activations, made.statuses);
  }
  batch.connection.run(
      "WITH changed AS (UPDATE workflows w SET phase = b.phase, history_length = b.history_length,"
      " history_bytes = b.history_bytes, first_event = b.first_event, seen = b.seen, last_command = b.last_command,"
      " first_command = b.first_command, open_children = b.open_children, last_activation = b.last_activation,"
      " status = coalesce(b.status, w.status) FROM unnest($2::text[], $3::uuid[], $4::bigint[], $5::bigint[],"
      " $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::uuid[],"
      " $13::text[]) AS b (tenant, id, phase, history_length, history_bytes, first_event, seen, last_command,"
      " first_command, open_children, last_activation, status) WHERE w.tenant = b.tenant AND w.id = b.id)"
      " INSERT INTO history (tenant, run, sequence, at, kind, task_key, detail)"
      " SELECT h.tenant, h.run, h.sequence, $1, h.kind, h.task_key, h.detail"
      " FROM unnest($14::text[], $15::uuid[], $16::bigint[], $17::bigint[], $18::text[], $19::text[])"
      " AS h (tenant, run, sequence, kind, task_key, detail)",
      batch.now, changed.tenants, changed.ids, changed.phases, changed.lengths, changed.bytes, changed.first_events,
      changed.seen, changed.last_commands, changed.first_commands, changed.children, changed.activations,
      changed.statuses, events.tenants, events.runs, events.sequences, events.kinds, events.task_keys, events.details);
}

void stop_timers(Batch& batch) {
  Array tenants(Type::text), runs(Type::uuid), commands(Type::integer);
  for (auto& [id, workflow] : batch.runs.workflows) {
    const bool all = std::exchange(workflow.stops_timers, false);
    for (const std::int64_t command : std::exchange(workflow.stopped, {})) {
      if (all) break;
      tenants.add(id.first);
      runs.add(id.second);
      commands.add(command);
    }
    if (!all) continue;
    tenants.add(id.first);
    runs.add(id.second);
    commands.add_null();
  }
  if (runs.size() == 0) return;
  batch.connection.run(
      "DELETE FROM timers t USING unnest($1::text[], $2::uuid[], $3::bigint[]) AS b (tenant, run, command)"
      " WHERE t.tenant = b.tenant AND t.run = b.run AND t.command = coalesce(b.command, t.command)",
      tenants, runs, commands);
}

void start_timers(Batch& batch) {
  Array tenants(Type::text), runs(Type::uuid), commands(Type::integer), times(Type::integer);
  for (auto& [id, workflow] : batch.runs.workflows) {
    for (const auto& [command, fire_at] : std::exchange(workflow.started, {})) {
      tenants.add(id.first);
      runs.add(id.second);
      commands.add(command);
      times.add(fire_at);
    }
  }
  if (runs.size() == 0) return;
  batch.connection.run(
      "INSERT INTO timers (tenant, run, command, fire_at)"
      " SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[])",
      tenants, runs, commands, times);
}

/// Attempts that were answered go, and those that were stopped have ended.
void write_activations(Batch& batch) {
  std::vector<TenantAndId> stopped;
  Array tenants(Type::text), attempts(Type::uuid);
  for (auto& [id, workflow] : batch.runs.workflows) {
    if (std::exchange(workflow.is_stopped, false)) stopped.push_back(id);
    for (const domain::AttemptId attempt : std::exchange(workflow.answered, {})) {
      tenants.add(id.first);
      attempts.add(attempt);
    }
  }
  if (attempts.size() > 0) {
    batch.connection.run(
        "DELETE FROM attempts a USING unnest($1::text[], $2::uuid[]) AS b (tenant, id)"
        " WHERE a.tenant = b.tenant AND a.id = b.id",
        tenants, attempts);
  }
  if (stopped.empty()) return;
  const IdArrays ids(stopped);
  batch.connection.run(
      "UPDATE attempts a SET ended_at = $3, outcome = $4 FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
      " WHERE a.tenant = u.tenant AND a.execution_id = u.id AND a.outcome = 0",
      ids.tenants, ids.ids, batch.now, domain::AttemptOutcome::cancelled);
}

struct StateColumns {
  Array tenants{Type::text}, ids{Type::uuid}, seen{Type::integer}, moved{Type::boolean}, states{Type::integer},
      phases{Type::integer}, run_ats{Type::integer}, uncounted{Type::integer}, cancels{Type::boolean},
      sets_error{Type::boolean}, results{Type::text}, errors{Type::text}, closed{Type::integer}, inputs{Type::text};

  void add(const TenantAndId& id, const HeldWorkflow& workflow) {
    const domain::Execution& execution = workflow.execution;
    tenants.add(id.first);
    ids.add(id.second);
    seen.add(workflow.seen);
    moved.add(workflow.is_moved);
    states.add(execution.state);
    phases.add(workflow.phase);
    run_ats.add(execution.run_at);
    uncounted.add(execution.uncounted_attempts);
    cancels.add(execution.cancel_requested);
    sets_error.add(workflow.sets_error);
    results.add(execution.result);
    errors.add(execution.error);
    closed.add(execution.closed_at);
    inputs.add(workflow.input);
  }
};

/// A claim may have begun an activation since the execution was looked at: then all is decided again.
void write_states(Batch& batch) {
  StateColumns columns;
  for (auto& [id, workflow] : batch.runs.workflows) {
    if (!workflow.is_moved && !workflow.is_asked) continue;
    columns.add(id, workflow);
    workflow.is_moved = workflow.is_asked = workflow.sets_error = false;
    workflow.seen = workflow.execution.state;
    workflow.input.reset();
  }
  if (columns.ids.size() == 0) return;
  const Rows written = batch.connection.run(
      "WITH batch AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::boolean[],"
      " $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::boolean[], $10::boolean[], $11::text[],"
      " $12::text[], $13::bigint[], $14::text[]) AS b (tenant, id, seen, moved, state, phase, run_at, uncounted,"
      " cancel, sets_error, result, error, closed_at, input)),"
      " locked AS MATERIALIZED (SELECT e.tenant, e.id FROM batch b JOIN executions e ON e.tenant = b.tenant"
      " AND e.id = b.id WHERE e.state = b.seen OR NOT b.moved ORDER BY e.tenant, e.id FOR UPDATE OF e)"
      " UPDATE executions e SET state = CASE WHEN b.moved THEN b.state ELSE e.state END,"
      " phase = CASE WHEN b.moved THEN b.phase ELSE e.phase END,"
      " order_at = CASE WHEN b.moved THEN b.run_at - (e.run_at - e.order_at) ELSE e.order_at END,"
      " run_at = CASE WHEN b.moved THEN b.run_at ELSE e.run_at END,"
      " uncounted_attempts = b.uncounted, cancel_requested = b.cancel, closed_at = b.closed_at, result = b.result,"
      " error = CASE WHEN b.sets_error THEN b.error ELSE e.error END, context = coalesce(b.input, e.context)"
      " FROM batch b JOIN locked l ON l.tenant = b.tenant AND l.id = b.id WHERE e.tenant = b.tenant AND e.id = b.id"
      " RETURNING 1",
      Parameters(columns.tenants, columns.ids, columns.seen, columns.moved, columns.states, columns.phases,
                 columns.run_ats, columns.uncounted, columns.cancels, columns.sets_error, columns.results,
                 columns.errors, columns.closed, columns.inputs));
  if (std::cmp_not_equal(written.count(), columns.ids.size()))
    throw Contention("a workflow was activated, or removed, meanwhile");
}

}  // namespace

/// Facts first: of what follows, not all is written for every workflow.
void write_workflows(Batch& batch) {
  bool any = false;
  for (const auto& [id, workflow] : batch.runs.workflows) any = any || workflow.is_changed;
  if (!any) return;
  write_code_facts(batch);
  stop_timers(batch);
  start_timers(batch);
  write_activations(batch);
  write_states(batch);
}

}  // namespace semel::store::postgres
