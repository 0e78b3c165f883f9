#include "base/ensure.hpp"
#include "domain/workflow/code/cut_loose.hpp"
#include "store/sqlite/child_entry.hpp"
#include "store/sqlite/open_workflow.hpp"

/// What code workflows begin, and what they ask of it.
namespace semel::store::sqlite {
namespace {

/// In the order in which they were made.
std::vector<std::int64_t> open_children(Connection& connection, std::int64_t tenant_id, domain::ExecutionId workflow) {
  std::vector<std::int64_t> children;
  Scoped query = connection.use(
      "SELECT seq FROM executions INDEXED BY executions_of_run"
      " WHERE tenant_id = ?1 AND run IS NOT NULL AND run = ?2 AND state IN (0, 1, 2) ORDER BY seq");
  query->bind(1, tenant_id).bind(2, workflow.uuid);
  while (query->step()) children.push_back(query->integer(0));
  return children;
}

bool is_abandoned(Connection& connection, std::int64_t tenant_id, const domain::ExecutionSpec& child) {
  if (!is_code(child)) return false;
  Scoped query = connection.use("SELECT abandon FROM workflows WHERE tenant_id = ?1 AND id = ?2");
  query->bind(1, tenant_id).bind(2, child.id.uuid);
  return query->step() && query->integer(0) != 0;
}

}  // namespace

bool OpenWorkflow::has_timer(std::int64_t command) const {
  Scoped query = batch_.connection.use("SELECT 1 FROM timers WHERE tenant_id = ?1 AND run = ?2 AND command = ?3");
  query->bind(1, tenant_id_).bind(2, loaded.spec.id.uuid).bind(3, command);
  return query->step();
}

std::int64_t OpenWorkflow::abandoned_children() const {
  Scoped query = batch_.connection.use(
      "SELECT count(*) FROM executions e INDEXED BY executions_of_run CROSS JOIN workflows w"
      " ON w.tenant_id = e.tenant_id AND w.id = e.id WHERE e.tenant_id = ?1 AND e.run IS NOT NULL AND e.run = ?2"
      " AND e.state IN (0, 1, 2) AND w.abandon = 1");
  query->bind(1, tenant_id_).bind(2, loaded.spec.id.uuid);
  query->step();
  return query->integer(0);
}

std::optional<domain::HistoryEvent> OpenWorkflow::recorded(std::int64_t command) const {
  if (!recorded_) {
    recorded_.emplace();
    Scoped query = batch_.connection.use(
        "SELECT kind, detail FROM history WHERE tenant_id = ?1 AND run = ?2 AND sequence >= ?3 ORDER BY sequence");
    query->bind(1, tenant_id_).bind(2, loaded.spec.id.uuid).bind(3, loaded.facts.first_event);
    while (query->step()) {
      domain::HistoryEvent event{static_cast<domain::HistoryKind>(query->integer(0)), "", query->text(1)};
      if (const auto number = domain::code::command_recorded_by(event)) recorded_->emplace(*number, std::move(event));
    }
  }
  const auto found = recorded_->find(command);
  return found == recorded_->end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> OpenWorkflow::input_of(domain::ExecutionId child) const {
  Scoped query = batch_.connection.use("SELECT context FROM executions WHERE tenant_id = ?1 AND id = ?2");
  query->bind(1, tenant_id_).bind(2, child.uuid);
  return query->step() ? std::optional(query->text(0)) : std::nullopt;
}

std::vector<std::string> OpenWorkflow::signals_after(std::int64_t sequence) const {
  std::vector<std::string> details;
  Scoped query = batch_.connection.use(
      "SELECT detail FROM history WHERE tenant_id = ?1 AND run = ?2 AND sequence > ?3 AND kind = ?4 ORDER BY sequence");
  query->bind(1, tenant_id_).bind(2, loaded.spec.id.uuid).bind(3, sequence);
  query->bind(4, static_cast<std::int64_t>(domain::HistoryKind::signal_received));
  while (query->step()) details.push_back(query->text(0));
  return details;
}

void OpenWorkflow::make(const domain::code::NewChild& child) {
  const ChildEntry entry = enter_child(batch_, tenant_id_, child.spec, child.run_at, child.on_conflict);
  domain::ExecutionSpec spec = child.spec;
  if (entry.apart_from) spec.identity = {};
  NewRow row{batch_.last_seq + 1, tenant_id_, batch_.now, child.run_at, entry.phase, entry.previous, child.deadline};
  row.state = entry.state;
  row.superseded = entry.superseded;
  insert_execution(batch_.connection, row, spec);
  batch_.last_seq = row.seq;
  batch_.usages.opened(tenant_id_, spec.context.size());
  if (spec.identity.mode != domain::Mode::none && !entry.superseded)
    batch_.identities.stage({tenant_id_, spec.identity.hash}, row.seq);
  settle_entry(batch_, tenant_id_, spec, entry, [this](const domain::HistoryEvent& event) { add_event(event); });
  if (is_code(spec) && entry.state == domain::State::pending)
    insert_workflow(batch_, tenant_id_, spec, child.run_at, child.abandon);
  Change change = change_of(spec, entry.state);
  change.is_new = true;
  change.took_over = entry.previous.has_value();
  change.is_ready = entry.phase == Phase::ready;
  change.timer = timer_of(entry, child.run_at, child.deadline);
  batch_.changes.push_back(std::move(change));
  if (!entry.outcome) return;
  const auto made = find_by_seq(batch_.connection, spec.tenant, row.seq);
  close_child(batch_, tenant_id_, *made, *entry.outcome);
}

void OpenWorkflow::start_timer(const domain::code::NewTimer& timer) {
  batch_.connection.use("INSERT INTO timers (tenant_id, run, command, fire_at) VALUES (?1, ?2, ?3, ?4)")
      ->bind(1, tenant_id_)
      .bind(2, loaded.spec.id.uuid)
      .bind(3, timer.command)
      .bind(4, timer.fire_at)
      .run();
}

void OpenWorkflow::stop_timer(std::int64_t command) {
  batch_.connection.use("DELETE FROM timers WHERE tenant_id = ?1 AND run = ?2 AND command = ?3")
      ->bind(1, tenant_id_)
      .bind(2, loaded.spec.id.uuid)
      .bind(3, command)
      .run();
}

void OpenWorkflow::stop_timers() {
  batch_.connection.use("DELETE FROM timers WHERE tenant_id = ?1 AND run = ?2")
      ->bind(1, tenant_id_)
      .bind(2, loaded.spec.id.uuid)
      .run();
}

void OpenWorkflow::cancel(domain::ExecutionId id) {
  const auto child = find_by_id(batch_.connection, loaded.spec.tenant, tenant_id_, id);
  if (child && is_open(child->execution.state)) cancel_row(batch_, tenant_id_, *child, by_force);
}

void OpenWorkflow::cancel_children() {
  for (const std::int64_t seq : open_children(batch_.connection, tenant_id_, loaded.spec.id)) {
    const auto child = find_by_seq(batch_.connection, loaded.spec.tenant, seq);
    if (!is_abandoned(batch_.connection, tenant_id_, child->execution.spec)) {
      cancel_row(batch_, tenant_id_, *child, by_force);
      continue;
    }
    batch_.connection.use("UPDATE executions SET run = NULL, task_key = NULL WHERE seq = ?1")->bind(1, seq).run();
    cut_loose(loaded.facts, 1);
  }
}

void insert_workflow(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec, Time run_at,
                     bool abandon) {
  domain::code::Workflow workflow{spec, domain::State::pending, {}};
  const domain::code::Decision decision = start_workflow(workflow, run_at, batch.now);
  const domain::code::Facts& facts = workflow.facts;
  std::int64_t sequence = 0;
  for (const domain::HistoryEvent& event : decision.events)
    insert_history(batch, tenant_id, spec.id, ++sequence, event);
  Scoped insert = batch.connection.use(
      "INSERT INTO workflows (tenant_id, id, phase, history_length, history_bytes, first_event, seen, last_command,"
      " first_command, open_children, abandon) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
  insert->bind(1, tenant_id).bind(2, spec.id.uuid).bind(3, static_cast<std::int64_t>(facts.phase));
  insert->bind(4, facts.history_length).bind(5, facts.history_bytes).bind(6, facts.first_event).bind(7, facts.seen);
  insert->bind(8, facts.last_command).bind(9, facts.first_command).bind(10, facts.open_children);
  insert->bind(11, std::int64_t{abandon}).run();
}

}  // namespace semel::store::sqlite
