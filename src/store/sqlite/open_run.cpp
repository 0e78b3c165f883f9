#include "store/sqlite/open_run.hpp"

#include "base/ensure.hpp"

namespace semel::store::sqlite {

Plans::Shared load_plan(Connection& connection, Plans& plans, std::int64_t tenant_id, const Hash32& hash) {
  return plans.get(hash, [&] {
    Scoped query = connection.use("SELECT document FROM plans WHERE tenant_id = ?1 AND hash = ?2");
    query->bind(1, tenant_id).bind(2, hash);
    return query->step() ? query->text(0) : std::string();
  });
}

void insert_run(Batch& batch, std::int64_t tenant_id, domain::ExecutionId id, const domain::RunPlan& plan) {
  const Plans::Shared graph = batch.plans.get(plan.hash, [&] { return plan.document; });
  batch.connection.use("INSERT INTO plans (tenant_id, hash, document) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
      ->bind(1, tenant_id)
      .bind(2, plan.hash)
      .bind(3, plan.document)
      .run();
  domain::RunFacts facts;
  facts.steps.resize(graph->size());
  const std::string text = encode_facts(facts);
  batch.connection.use("INSERT INTO runs (tenant_id, id, plan, facts, history_length) VALUES (?1, ?2, ?3, ?4, 0)")
      ->bind(1, tenant_id)
      .bind(2, id.uuid)
      .bind(3, plan.hash)
      .bind(4, text)
      .run();
}

OpenRun::OpenRun(Batch& batch, std::int64_t tenant_id, std::string_view tenant, domain::ExecutionId id)
    : batch_(batch), tenant_id_(tenant_id) {
  Scoped query = batch.connection.use(
      "SELECT r.plan, r.facts, r.history_length, e.seq, e.state, e.queue, e.handler, e.namespace, e.name, e.priority,"
      " e.run_at - e.order_at, e.created_by, e.traceparent, e.concurrency_key, e.deadline"
      " FROM runs r JOIN executions e ON e.tenant_id = r.tenant_id AND e.id = r.id"
      " WHERE r.tenant_id = ?1 AND r.id = ?2");
  query->bind(1, tenant_id).bind(2, id.uuid);
  if (!query->step()) return;
  std::optional<domain::RunFacts> facts = domain::decode_facts(query->view(1));
  if (!facts) throw StoreFault("the facts of run " + id.text() + " cannot be read");
  loaded.facts = *std::move(facts);
  history_length_ = query->integer(2);
  seq_ = query->integer(3);
  execution_.state = static_cast<domain::State>(query->integer(4));
  domain::ExecutionSpec& spec = execution_.spec;
  spec.tenant = tenant;
  spec.id = id;
  spec.kind = domain::Kind::workflow;
  spec.queue = query->text(5);
  spec.handler = query->text(6);
  if (!query->is_null(8)) spec.named_task = domain::NamedTask{{}, query->text(7), query->text(8), {}, 1};
  spec.priority = query->small(9);
  spec.head_start = Duration{query->integer(10)};
  spec.created_by = query->text(11);
  spec.traceparent = query->text(12);
  spec.concurrency_key = query->optional_text(13);
  execution_.deadline = query->optional_time(14);
  loaded.spec = spec;
  loaded.graph = load_plan(batch.connection, batch.plans, tenant_id, query->hash(0));
}

void OpenRun::suspend() {
  batch_.connection.use("UPDATE executions SET state = ?2, phase = 0, started_at = ?3 WHERE seq = ?1")
      ->bind(1, seq_)
      .bind(2, static_cast<std::int64_t>(domain::State::suspended))
      .bind(3, batch_.now)
      .run();
  execution_.state = domain::State::suspended;
  tell(batch_, execution_, execution_.state).timer = execution_.deadline;
}

void OpenRun::task_closed(const ClosedTask& task) {
  const std::optional<domain::TaskRef> ref = find_task(*loaded.graph, task.step->task_key);
  ensure(ref.has_value());
  carry_out(domain::task_closed(*loaded.graph, loaded.facts, *this, *ref, task.state));
}

void OpenRun::save() {
  const std::string facts = encode_facts(loaded.facts);
  batch_.connection.use("UPDATE runs SET facts = ?3, history_length = ?4 WHERE tenant_id = ?1 AND id = ?2")
      ->bind(1, tenant_id_)
      .bind(2, loaded.spec.id.uuid)
      .bind(3, facts)
      .bind(4, history_length_)
      .run();
}

std::string OpenRun::context() const {
  Scoped query = batch_.connection.use("SELECT context FROM executions WHERE seq = ?1");
  query->bind(1, seq_);
  query->step();
  return query->text(0);
}

std::optional<std::string> OpenRun::result_of(std::size_t step) const {
  if (is_kept_as_outcome(loaded.graph->step(step), loaded.facts.steps[step].state)) {
    Scoped query = batch_.connection.use("SELECT result FROM outcomes WHERE tenant_id = ?1 AND run = ?2 AND step = ?3");
    query->bind(1, tenant_id_).bind(2, loaded.spec.id.uuid).bind(3, loaded.graph->step(step).name);
    return query->step() ? query->optional_text(0) : std::nullopt;
  }
  Scoped query = batch_.connection.use("SELECT result FROM executions WHERE tenant_id = ?1 AND id = ?2");
  const domain::ExecutionId task = task_id(*loaded.graph, loaded.spec.id, {step, std::nullopt});
  query->bind(1, tenant_id_).bind(2, task.uuid);
  return query->step() ? query->optional_text(0) : std::nullopt;
}

std::vector<domain::TaskOutcome> OpenRun::items_of(std::size_t step) const {
  std::vector<domain::TaskOutcome> items(loaded.facts.steps[step].items.size());
  Scoped query = batch_.connection.use(
      "SELECT task_key, state, result, error FROM executions INDEXED BY executions_of_run"
      " WHERE tenant_id = ?1 AND run IS NOT NULL AND run = ?2");
  query->bind(1, tenant_id_).bind(2, loaded.spec.id.uuid);
  while (query->step()) {
    const std::optional<domain::TaskRef> ref = find_task(*loaded.graph, query->view(0));
    if (!ref || ref->step != step || !ref->item) continue;
    items.at(*ref->item) = {static_cast<domain::State>(query->integer(1)), query->optional_text(2),
                            query->optional_text(3)};
  }
  return items;
}

void OpenRun::record(const domain::HistoryEvent& event) {
  insert_history(batch_, tenant_id_, loaded.spec.id, ++history_length_, event);
}

void OpenRun::keep(const domain::StepOutcome& outcome) {
  batch_.connection
      .use(
          "INSERT INTO outcomes (tenant_id, run, step, result, error) VALUES (?1, ?2, ?3, ?4, ?5)"
          " ON CONFLICT DO UPDATE SET result = excluded.result, error = excluded.error")
      ->bind(1, tenant_id_)
      .bind(2, loaded.spec.id.uuid)
      .bind(3, loaded.graph->step(outcome.step).name)
      .bind(4, outcome.result)
      .bind(5, outcome.error)
      .run();
}

void OpenRun::end(const domain::RunEnd& end) {
  const std::optional<domain::State> state = next(execution_.state, event_of(end.state));
  ensure(state.has_value());
  batch_.connection
      .use("UPDATE executions SET state = ?2, phase = 0, closed_at = ?3, result = ?4, error = ?5 WHERE seq = ?1")
      ->bind(1, seq_)
      .bind(2, static_cast<std::int64_t>(*state))
      .bind(3, batch_.now)
      .bind(4, end.result)
      .bind(5, end.error)
      .run();
  execution_.state = *state;
  batch_.usages.closed(batch_.connection, seq_);
  tell(batch_, execution_, *state);
}

}  // namespace semel::store::sqlite
