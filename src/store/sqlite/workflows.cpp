#include <algorithm>

#include "base/ensure.hpp"
#include "store/sqlite/attempt_row.hpp"
#include "store/sqlite/child_entry.hpp"
#include "store/sqlite/inner.hpp"
#include "store/sqlite/open_workflow.hpp"

/// Commands about code workflows and promises (ADR 0018).
namespace semel::store {
namespace sqlite {
namespace {

using domain::AttemptOutcome;

bool exists_attempt(Batch& batch, std::int64_t tenant_id, domain::AttemptId id) {
  Scoped query = batch.connection.use("SELECT 1 FROM attempts WHERE id = ?1 AND tenant_id = ?2");
  query->bind(1, id.uuid).bind(2, tenant_id);
  return query->step();
}

AttemptAnswer answer_as(AttemptAnswer::Kind kind, const OpenWorkflow& workflow) {
  AttemptAnswer answer;
  answer.kind = kind;
  answer.execution_id = workflow.loaded.spec.id;
  answer.state = workflow.loaded.state;
  return answer;
}

/// An answer about an attempt that is none of the workflow: it was answered before, is another's, or never was.
Outcome answer_unknown(Batch& batch, std::int64_t tenant_id, const EndActivation& command,
                       const OpenWorkflow& workflow) {
  if (exists_attempt(batch, tenant_id, command.attempt_id))
    return Rejected{{ErrorCode::bad_request, domain::code::is_no_activation}};
  const bool was_answered = workflow.exists() && workflow.last_activation() == command.attempt_id;
  return was_answered ? answer_as(AttemptAnswer::Kind::already_recorded, workflow) : AttemptAnswer{};
}

/// Whether it was received before.
bool is_repeated(Batch& batch, std::int64_t tenant_id, const SignalWorkflow& command) {
  Scoped query =
      batch.connection.use("SELECT 1 FROM signals WHERE tenant_id = ?1 AND run = ?2 AND name = ?3 AND key = ?4");
  query->bind(1, tenant_id).bind(2, command.id.uuid).bind(3, command.signal.name).bind(4, *command.key);
  return query->step();
}

void keep_signal(Batch& batch, std::int64_t tenant_id, const SignalWorkflow& command) {
  batch.connection.use("INSERT INTO signals (tenant_id, run, name, key) VALUES (?1, ?2, ?3, ?4)")
      ->bind(1, tenant_id)
      .bind(2, command.id.uuid)
      .bind(3, command.signal.name)
      .bind(4, *command.key)
      .run();
}

/// By its id, or whoever holds its key.
std::optional<FoundHolder> find_promise(Batch& batch, std::int64_t tenant_id, const SettlePromise& command) {
  std::optional<FoundHolder> found;
  if (const auto* key = std::get_if<std::string>(&command.promise)) {
    const IdentityKey identity{tenant_id, domain::code::hash_of_key(command.tenant, *key)};
    found = load_holder(batch.connection, command.tenant, identity, batch.identities.find(batch.connection, identity));
  } else if (auto row = find_by_id(batch.connection, command.tenant, tenant_id,
                                   std::get<domain::ExecutionId>(command.promise))) {
    found = FoundHolder{std::move(row), std::nullopt};
  }
  if (found && found->holder().kind != domain::Kind::promise) found.reset();
  return found;
}

}  // namespace

Outcome apply(Batch& batch, const EndActivation& command) {
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return AttemptAnswer{};
  OpenWorkflow workflow(batch, *tenant_id, command.tenant, command.workflow, command.attempt_id);
  if (!workflow.activation()) return answer_unknown(batch, *tenant_id, command, workflow);
  if (*workflow.activation() != AttemptOutcome::running) {
    count_stale_result(batch, command.attempt_id);
    return answer_as(AttemptAnswer::Kind::stale, workflow);
  }
  const auto decision = end_activation(workflow.loaded, workflow, command.answer, batch.now);
  if (!decision) return Rejected{decision.error()};
  batch.begin_writing();
  workflow.answered(command.attempt_id, command.answer.status);
  workflow.carry_out(*decision);
  workflow.save();
  return answer_as(AttemptAnswer::Kind::recorded, workflow);
}

Outcome apply(Batch& batch, const SignalWorkflow& command) {
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return SignalAnswer{};
  OpenWorkflow workflow(batch, *tenant_id, command.tenant, command.id);
  if (!workflow.exists()) return SignalAnswer{};
  if (command.key && is_repeated(batch, *tenant_id, command))
    return SignalAnswer{SignalAnswer::Kind::already_received, workflow.loaded.state};
  if (is_closed(workflow.loaded.state)) return SignalAnswer{SignalAnswer::Kind::closed, workflow.loaded.state};
  batch.begin_writing();
  if (command.key) keep_signal(batch, *tenant_id, command);
  workflow.carry_out(signal_received(workflow.loaded, command.signal));
  workflow.save();
  return SignalAnswer{SignalAnswer::Kind::received, workflow.loaded.state};
}

Outcome apply(Batch& batch, const SettlePromise& command) {
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return SettleAnswer{};
  const std::optional<FoundHolder> found = find_promise(batch, *tenant_id, command);
  if (!found) return SettleAnswer{};
  const domain::Holder promise = found->holder();
  const auto state = next(promise.state, command.resolves ? domain::Event::resolved : domain::Event::rejected);
  if (!state) return SettleAnswer{SettleAnswer::Kind::already_settled, promise.id, promise.state};
  batch.begin_writing();
  if (promise.state == domain::State::suspended) detach(batch, *tenant_id, promise.id);
  domain::TaskOutcome outcome{*state, std::nullopt, std::nullopt};
  (command.resolves ? outcome.result : outcome.error) = command.value;
  close_child(batch, *tenant_id, *found->row, outcome);
  return SettleAnswer{SettleAnswer::Kind::settled, promise.id, *state};
}

domain::State cancel_workflow(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec,
                              const domain::CancelRequest& request) {
  batch.begin_writing();
  OpenWorkflow workflow(batch, tenant_id, spec.tenant, spec.id);
  ensure(workflow.exists());
  workflow.by_force = request.force;
  workflow.cancel_requested();
  workflow.carry_out(domain::code::cancel_workflow(workflow.loaded, workflow, request));
  workflow.save();
  return workflow.loaded.state;
}

std::int64_t fire_timers(Batch& batch, std::int64_t max) {
  struct Due {
    std::int64_t tenant_id;
    domain::ExecutionId run;
    std::int64_t command;
  };
  std::vector<Due> due;
  {
    Scoped query = batch.connection.use(
        "SELECT tenant_id, run, command FROM timers INDEXED BY timers_by_time WHERE fire_at <= ?1"
        " ORDER BY fire_at, tenant_id, run, command LIMIT ?2");
    query->bind(1, batch.now).bind(2, max);
    while (query->step()) due.push_back({query->integer(0), {query->uuid(1)}, query->integer(2)});
  }
  if (!due.empty()) batch.begin_writing();
  for (const Due& each : due) {
    OpenWorkflow workflow(batch, each.tenant_id, batch.tenants.name_of(each.tenant_id), each.run);
    ensure(workflow.exists());  // its timers go with it
    workflow.stop_timer(each.command);
    workflow.carry_out(timer_fired(workflow.loaded, each.command));
    workflow.save();
  }
  return std::ssize(due);
}

void remove_workflow(Batch& batch, std::int64_t tenant_id, domain::ExecutionId id) {
  const auto remove = [&](std::string_view literal) {
    batch.connection.use(literal)->bind(1, tenant_id).bind(2, id.uuid).run();
  };
  remove("DELETE FROM workflows WHERE tenant_id = ?1 AND id = ?2");
  remove("DELETE FROM history WHERE tenant_id = ?1 AND run = ?2");
  remove("DELETE FROM timers WHERE tenant_id = ?1 AND run = ?2");
  remove("DELETE FROM signals WHERE tenant_id = ?1 AND run = ?2");
}

}  // namespace sqlite
}  // namespace semel::store
