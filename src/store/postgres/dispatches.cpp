#include <map>
#include <span>

#include "store/postgres/closed.hpp"
#include "store/postgres/dispatch_row.hpp"
#include "store/postgres/runs.hpp"

/// Attempts on their way to a target (DESIGN §5, ADR 0021).
namespace semel::store::postgres {
namespace {

/// A dispatch with its tenant.
struct DueDispatch {
  std::string tenant;
  domain::Dispatch dispatch;
};

/// Dispatches that somebody has to look at and that nobody else is just looking at, locked.
std::vector<DueDispatch> lock_due(Batch& batch, const TakeDispatches& command) {
  std::vector<DueDispatch> due;
  const Rows rows = batch.connection.run("SELECT d.tenant, " SEMEL_DISPATCH_COLUMNS
                                         " FROM dispatches d WHERE d.next_send_at IS NOT NULL AND d.next_send_at <= $1"
                                         " ORDER BY d.next_send_at, d.attempt_id LIMIT $2 FOR UPDATE SKIP LOCKED",
                                         batch.now + command.ahead, command.max);
  for (const Row row : rows) due.push_back({row.text(0), read_dispatch(row, 1)});
  return due;
}

void write_taken(Batch& batch, std::span<const DueDispatch> taken) {
  Array tenants(Type::text), attempts(Type::uuid), states(Type::integer), sends(Type::integer), next(Type::integer);
  for (const auto& [tenant, dispatch] : taken) {
    tenants.add(tenant);
    attempts.add(dispatch.attempt_id);
    states.add(dispatch.state);
    sends.add(dispatch.sends);
    next.add(dispatch.next_send_at);
  }
  batch.connection.run(
      "UPDATE dispatches d SET state = b.state, sends = b.sends, next_send_at = b.next_send_at"
      " FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[])"
      " AS b (tenant, id, state, sends, next_send_at) WHERE d.tenant = b.tenant AND d.attempt_id = b.id",
      tenants, attempts, states, sends, next);
}

/// Of those, the ones whose attempt runs, with until when.
std::map<domain::AttemptId, Time> running_among(Batch& batch, std::span<const DueDispatch> due) {
  Array tenants(Type::text), attempts(Type::uuid);
  for (const auto& [tenant, dispatch] : due) {
    tenants.add(tenant);
    attempts.add(dispatch.attempt_id);
  }
  std::map<domain::AttemptId, Time> running;
  const Rows rows = batch.connection.run(
      "SELECT a.id, a.lease_until FROM unnest($1::text[], $2::uuid[]) AS b (tenant, id)"
      " JOIN attempts a ON a.tenant = b.tenant AND a.id = b.id WHERE a.outcome = 0",
      tenants, attempts);
  for (const Row row : rows) running.emplace(domain::AttemptId{row.uuid(0)}, row.time(1));
  return running;
}

/// Its attempt may have been put away.
std::optional<ExecutionRow> find_attempted(Batch& batch, const PostponeDispatch& command) {
  const Rows rows = batch.connection.run(
      "SELECT execution_id FROM attempts WHERE tenant = $1 AND id = $2 UNION ALL"
      " SELECT execution_id FROM closed_attempts WHERE tenant = $1 AND id = $2"
      " AND NOT is_leaving(keep_days, closed_day) LIMIT 1",
      command.tenant, command.attempt_id);
  if (rows.empty()) return std::nullopt;
  return find_anywhere(batch.connection, command.tenant, {rows[0].uuid(0)});
}

}  // namespace

Outcome apply(Batch& batch, const PostponeDispatch& command) {
  AttemptAnswer answer;
  const std::optional<ExecutionRow> row = find_attempted(batch, command);
  if (!row) return answer;
  answer.execution_id = row->execution.spec.id;
  answer.state = row->execution.state;
  domain::Dispatch dispatch;
  dispatch.sends = 0;
  postpone(dispatch, command.is_ambiguous, batch.now + command.pause, command.answer);
  if (!command.was_sent) count_no_send(dispatch);
  const Rows written = batch.connection.run(
      "UPDATE dispatches d SET state = $3, next_send_at = $4, answer = $5, sends = d.sends + $7 FROM attempts a"
      " WHERE d.tenant = $1 AND d.attempt_id = $2 AND d.state <> 2 AND d.repair = $6 AND a.tenant = d.tenant"
      " AND a.id = d.attempt_id AND a.outcome = 0 RETURNING 1",
      command.tenant, command.attempt_id, dispatch.state, *dispatch.next_send_at, dispatch.answer, command.repair,
      dispatch.sends);
  if (!written.empty()) answer.kind = AttemptAnswer::Kind::recorded;
  return answer;
}

Outcome apply(Batch& batch, const TakeDispatches& command) {
  Claimed taken;
  std::vector<DueDispatch> due = lock_due(batch, command);
  if (due.empty()) return taken;
  const std::map<domain::AttemptId, Time> running = running_among(batch, due);
  std::vector<TenantAndId> ids;
  for (const auto& [tenant, dispatch] : due) {
    if (running.contains(dispatch.attempt_id)) ids.emplace_back(tenant, dispatch.execution_id);
  }
  std::map<TenantAndId, ExecutionRow> rows = find_executions(batch.connection, ids);
  for (auto& [tenant, dispatch] : due) {
    dispatch.next_send_at.reset();  // nobody has to look again at what has ended
    const auto until = running.find(dispatch.attempt_id);
    const auto row = rows.find({tenant, dispatch.execution_id});
    if (until == running.end() || row == rows.end()) continue;
    take(dispatch, batch.now, command.hold);
    taken.leases.push_back({row->second.execution, dispatch.attempt_id, until->second});
    taken.leases.back().dispatch = dispatch;
  }
  write_taken(batch, due);
  add_inputs(batch, {&taken, 1});
  return taken;
}

Outcome apply(Batch& batch, const RepairDispatch& command) {
  const std::optional<ExecutionRow> row = lock_execution(batch.connection, command.tenant, command.id);
  if (!row) {
    const bool was_put_away = find_anywhere(batch.connection, command.tenant, command.id).has_value();
    return RepairAnswer{was_put_away ? RepairAnswer::Kind::not_open : RepairAnswer::Kind::not_found, std::nullopt};
  }
  const Rows found = batch.connection.run(
      "SELECT " SEMEL_DISPATCH_COLUMNS
      ", a.started_at FROM attempts a JOIN dispatches d ON d.tenant = a.tenant AND d.attempt_id = a.id"
      " WHERE a.tenant = $1 AND a.execution_id = $2 AND a.outcome = 0 FOR UPDATE OF d",
      command.tenant, command.id);
  if (found.empty()) return RepairAnswer{RepairAnswer::Kind::not_open, std::nullopt};
  domain::Dispatch dispatch = read_dispatch(found[0]);
  if (dispatch.state != domain::DispatchState::sent) return RepairAnswer{RepairAnswer::Kind::not_sent, dispatch};
  domain::Attempt attempt;
  attempt.started_at = found[0].time(13);
  repair(dispatch, row->execution.spec, batch.now);
  batch.connection.run(
      "UPDATE dispatches SET repair = $3, dispatch_id = $4, external_id = $5, state = $6, accepted_at = NULL,"
      " next_send_at = $7 WHERE tenant = $1 AND attempt_id = $2",
      command.tenant, dispatch.attempt_id, dispatch.repair, dispatch.ids.internal, dispatch.ids.external,
      dispatch.state, *dispatch.next_send_at);
  batch.connection.run("UPDATE attempts SET lease_until = $3 WHERE tenant = $1 AND id = $2", command.tenant,
                       dispatch.attempt_id, unaccepted_lease_end(row->execution, attempt, batch.now));
  write_audit(batch, command.tenant, command.by, "dispatch.repair", command.id.text());
  return RepairAnswer{RepairAnswer::Kind::repaired, std::move(dispatch)};
}

Outcome apply(Batch& batch, const KeepSecret& command) {
  batch.connection.run("INSERT INTO secrets (tenant, name, value) VALUES ('', $1, $2) ON CONFLICT DO NOTHING",
                       command.name, command.proposed);
  const Rows kept = batch.connection.run("SELECT value FROM secrets WHERE tenant = '' AND name = $1", command.name);
  return SecretKept{kept[0].hash(0)};
}

}  // namespace semel::store::postgres
