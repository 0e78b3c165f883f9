#include "store/postgres/closed.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// Signals, promises, and timers (ADR 0018).
namespace semel::store::postgres {
namespace {

/// Only whoever holds the workflow asks, and writes.
bool is_repeated(Batch& batch, const SignalWorkflow& command) {
  return !batch.connection
              .run("SELECT 1 FROM signals s WHERE s.tenant = $1 AND s.run = $2 AND s.name = $3 AND s.key = $4",
                   command.tenant, command.id, command.signal.name, *command.key)
              .empty();
}

void keep_signal(Batch& batch, const SignalWorkflow& command) {
  batch.connection.run("INSERT INTO signals (tenant, run, name, key) VALUES ($1, $2, $3, $4)", command.tenant,
                       command.id, command.signal.name, *command.key);
}

/// By its id, or whoever holds its key.
std::optional<FoundHolder> find_promise(Batch& batch, const SettlePromise& command) {
  std::optional<FoundHolder> found;
  if (const auto* key = std::get_if<std::string>(&command.promise)) {
    const TenantAndHash identity{command.tenant, domain::code::hash_of_key(command.tenant, *key)};
    auto holders = find_holders(batch.connection, {&identity, 1});
    if (!holders.empty()) found = std::move(holders.begin()->second);
  } else if (auto row =
                 find_anywhere(batch.connection, command.tenant, std::get<domain::ExecutionId>(command.promise))) {
    found = FoundHolder{std::move(row), std::nullopt};
  }
  if (found && found->holder().kind != domain::Kind::promise) found.reset();
  return found;
}

}  // namespace

Outcome apply(Batch& batch, const SignalWorkflow& command) {
  HeldWorkflow* const workflow = hold_workflow(batch, {command.tenant, command.id});
  if (workflow == nullptr) return SignalAnswer{};
  if (command.key && is_repeated(batch, command))
    return SignalAnswer{SignalAnswer::Kind::already_received, workflow->loaded.state};
  if (workflow->is_closed()) return SignalAnswer{SignalAnswer::Kind::closed, workflow->loaded.state};
  if (command.key) keep_signal(batch, command);
  carry_out(batch, *workflow, signal_received(workflow->loaded, command.signal));
  return SignalAnswer{SignalAnswer::Kind::received, workflow->loaded.state};
}

/// What was open when it was found may have closed until it is locked, and its key may be another's: then all is looked
/// at again.
Outcome apply(Batch& batch, const SettlePromise& command) {
  settle_runs(batch);  // what was decided before
  const std::optional<FoundHolder> found = find_promise(batch, command);
  if (!found) return SettleAnswer{};
  const domain::Holder promise = found->holder();
  const domain::Event event = command.resolves ? domain::Event::resolved : domain::Event::rejected;
  const std::optional<domain::State> state = next(promise.state, event);
  if (!state) return SettleAnswer{SettleAnswer::Kind::already_settled, promise.id, promise.state};
  lock_before(batch, *found->row);
  std::optional<ExecutionRow> row = lock_execution(batch.connection, command.tenant, promise.id);
  if (!row || row->execution.state != promise.state || row->awaited != found->row->awaited)
    throw Contention("the promise was settled, or waited for, meanwhile");
  if (promise.state == domain::State::suspended) detach(batch, row->execution.spec);
  domain::TaskOutcome outcome{*state, std::nullopt, std::nullopt};
  (command.resolves ? outcome.result : outcome.error) = command.value;
  close_task(batch, *row, outcome);
  settle_runs(batch);
  return SettleAnswer{SettleAnswer::Kind::settled, promise.id, *state};
}

std::vector<DueTimer> read_due_timers(Batch& batch, std::int64_t max) {
  std::vector<DueTimer> due;
  if (max <= 0) return due;
  const Rows rows = batch.connection.run(
      "SELECT t.tenant, t.run, t.command FROM timers t WHERE t.fire_at <= $1"
      " ORDER BY t.fire_at, t.tenant, t.run, t.command LIMIT $2",
      batch.now, max);
  for (const Row row : rows) due.push_back({{row.text(0), {row.uuid(1)}}, row.integer(2)});
  return due;
}

void fire_timers(Batch& batch, std::span<const DueTimer> due) {
  if (due.empty()) return;
  Array tenants(Type::text), runs(Type::uuid), commands(Type::integer);
  for (const DueTimer& timer : due) {
    tenants.add(timer.workflow.first);
    runs.add(timer.workflow.second);
    commands.add(timer.command);
  }
  const Rows rows = batch.connection.run(
      "DELETE FROM timers t USING unnest($1::text[], $2::uuid[], $3::bigint[]) AS b (tenant, run, command)"
      " WHERE t.tenant = b.tenant AND t.run = b.run AND t.command = b.command RETURNING t.tenant, t.run, t.command",
      tenants, runs, commands);
  std::set<std::pair<TenantAndId, std::int64_t>> fired;
  for (const Row row : rows) fired.insert({{row.text(0), {row.uuid(1)}}, row.integer(2)});
  for (const DueTimer& timer : due) {
    if (!fired.contains({timer.workflow, timer.command})) continue;
    HeldWorkflow* const workflow = hold_workflow(batch, timer.workflow);
    if (workflow == nullptr) throw StoreFault("a timer has no workflow");
    carry_out(batch, *workflow, timer_fired(workflow->loaded, timer.command));
  }
}

}  // namespace semel::store::postgres
