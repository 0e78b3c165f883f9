#include <utility>

#include "store/postgres/runs.hpp"

/// How runs are written: what all of them have become, by one statement for each kind of row.
namespace semel::store::postgres {
namespace {

/// Nobody removes a plan that is locked so, until the run that uses it is there to be seen.
void keep_plans(Batch& batch) {
  std::map<TenantAndHash, std::string> wanted = std::exchange(batch.runs.documents, {});
  while (!wanted.empty()) {
    Array tenants(Type::text), hashes(Type::bytes), documents(Type::text);
    for (const auto& [plan, document] : wanted) {
      tenants.add(plan.first);
      hashes.add(plan.second);
      documents.add(document);
    }
    const Rows kept = batch.connection.run(
        "SELECT p.tenant, p.hash FROM plans p WHERE (p.tenant, p.hash) IN"
        " (SELECT * FROM unnest($1::text[], $2::bytea[])) FOR KEY SHARE",
        tenants, hashes);
    for (const Row row : kept) wanted.erase({row.text(0), row.hash(1)});
    if (wanted.empty()) return;
    const Rows added = batch.connection.run(
        "INSERT INTO plans (tenant, hash, document) SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[])"
        " AS p (tenant, hash, document) ORDER BY p.tenant COLLATE \"C\", p.hash ON CONFLICT DO NOTHING"
        " RETURNING tenant, hash",
        tenants, hashes, documents);
    for (const Row row : added) wanted.erase({row.text(0), row.hash(1)});
  }
}

struct RunColumns {
  Array tenants{Type::text}, ids{Type::uuid}, plans{Type::bytes}, facts{Type::text}, lengths{Type::integer};

  void add(const TenantAndId& id, const HeldRun& run) {
    tenants.add(id.first);
    ids.add(id.second);
    plans.add(run.plan);
    facts.add(encode_facts(run.loaded.facts));
    lengths.add(run.history_length);
  }
};

struct HistoryColumns {
  Array tenants{Type::text}, runs{Type::uuid}, sequences{Type::integer}, kinds{Type::integer}, task_keys{Type::text},
      details{Type::text};

  void add(const TenantAndId& id, HeldRun& run) {
    for (const domain::HistoryEvent& event : std::exchange(run.history, {})) {
      tenants.add(id.first);
      runs.add(id.second);
      sequences.add(++run.history_length);
      kinds.add(event.kind);
      if (event.task_key.empty()) task_keys.add_null();
      else task_keys.add(event.task_key);
      if (event.detail.empty()) details.add_null();
      else details.add(event.detail);
    }
  }
};

void write_facts(Batch& batch) {
  RunColumns made;
  RunColumns changed;
  HistoryColumns history;
  for (auto& [id, run] : batch.runs.held) {
    if (!run.is_changed) continue;
    history.add(id, run);
    (run.is_new ? made : changed).add(id, run);
    run.is_new = false;
    run.is_changed = false;
  }
  if (made.ids.size() > 0) {
    batch.connection.run(
        "INSERT INTO runs (tenant, id, plan, facts, history_length)"
        " SELECT * FROM unnest($1::text[], $2::uuid[], $3::bytea[], $4::text[], $5::bigint[])",
        made.tenants, made.ids, made.plans, made.facts, made.lengths);
  }
  batch.connection.run(
      "WITH changed AS (UPDATE runs r SET facts = b.facts, history_length = b.history_length"
      " FROM unnest($2::text[], $3::uuid[], $4::text[], $5::bigint[]) AS b (tenant, id, facts, history_length)"
      " WHERE r.tenant = b.tenant AND r.id = b.id)"
      " INSERT INTO history (tenant, run, sequence, at, kind, task_key, detail)"
      " SELECT h.tenant, h.run, h.sequence, $1, h.kind, h.task_key, h.detail"
      " FROM unnest($6::text[], $7::uuid[], $8::bigint[], $9::bigint[], $10::text[], $11::text[])"
      " AS h (tenant, run, sequence, kind, task_key, detail)",
      batch.now, changed.tenants, changed.ids, changed.facts, changed.lengths, history.tenants, history.runs,
      history.sequences, history.kinds, history.task_keys, history.details);
}

void write_outcomes(Batch& batch) {
  Array tenants(Type::text), runs(Type::uuid), steps(Type::text), results(Type::text), errors(Type::text);
  for (auto& [id, run] : batch.runs.held) {
    for (const std::size_t step : std::exchange(run.unwritten, {})) {
      const domain::StepOutcome& outcome = run.outcomes.at(step);
      tenants.add(id.first);
      runs.add(id.second);
      steps.add(run.loaded.graph->step(step).name);
      results.add(outcome.result);
      errors.add(outcome.error);
    }
  }
  if (tenants.size() == 0) return;
  batch.connection.run(
      "INSERT INTO outcomes (tenant, run, step, result, error)"
      " SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[])"
      " ON CONFLICT (tenant, run, step) DO UPDATE SET result = excluded.result, error = excluded.error",
      tenants, runs, steps, results, errors);
}

void write_begun(Batch& batch) {
  const std::vector<TenantAndId> begun = std::exchange(batch.runs.begun, {});
  if (begun.empty()) return;
  const IdArrays ids(begun);
  batch.connection.run(
      "UPDATE executions e SET state = 2, phase = 0, started_at = $3 FROM unnest($1::text[], $2::uuid[])"
      " AS u (tenant, id) WHERE e.tenant = u.tenant AND e.id = u.id",
      ids.tenants, ids.ids, batch.now);
}

void write_ends(Batch& batch) {
  Array tenants(Type::text), ids(Type::uuid), states(Type::integer), results(Type::text), errors(Type::text);
  for (auto& [id, run] : batch.runs.held) {
    const std::optional<domain::RunEnd> end = std::exchange(run.end, std::nullopt);
    if (!end) continue;
    tenants.add(id.first);
    ids.add(id.second);
    states.add(end->state);
    results.add(end->result);
    errors.add(end->error);
  }
  if (ids.size() == 0) return;
  batch.connection.run(
      "WITH batch AS MATERIALIZED (SELECT * FROM unnest($2::text[], $3::uuid[], $4::bigint[], $5::text[], $6::text[])"
      " AS b (tenant, id, state, result, error)),"
      " locked AS MATERIALIZED (SELECT e.tenant, e.id FROM batch b JOIN executions e ON e.tenant = b.tenant"
      " AND e.id = b.id ORDER BY e.tenant, e.id FOR UPDATE OF e)"
      " UPDATE executions e SET state = b.state, phase = 0, closed_at = $1, result = b.result, error = b.error"
      " FROM batch b JOIN locked l ON l.tenant = b.tenant AND l.id = b.id WHERE e.tenant = b.tenant AND e.id = b.id",
      batch.now, tenants, ids, states, results, errors);
}

}  // namespace

void write_runs(Batch& batch) {
  bool any = false;
  for (const auto& [id, run] : batch.runs.held) any = any || run.is_changed;
  if (!any) return;
  keep_plans(batch);
  write_facts(batch);
  write_outcomes(batch);
  write_begun(batch);
  write_ends(batch);
}

}  // namespace semel::store::postgres
