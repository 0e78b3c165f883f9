#include "store/sqlite/open_run.hpp"
#include "store/sqlite/open_workflow.hpp"
#include "store/sqlite/places.hpp"

namespace semel::store::sqlite {
namespace {

void tell_created(Batch& batch, const domain::ExecutionSpec& spec, const NewRow& row) {
  Change change = change_of(spec, row.state);
  change.is_new = true;
  change.took_over = row.previous.has_value();
  change.is_ready = row.phase == Phase::ready;
  change.timer = pending_timer(row.phase != Phase::waiting, row.run_at, row.deadline);  // a run has no other, either
  batch.changes.push_back(std::move(change));
}

NewRow begun(NewRow run) {
  run.phase = Phase::neither;
  run.state = domain::State::suspended;
  run.started_at = run.created_at;
  return run;
}

void start_run(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec) {
  OpenRun run(batch, tenant_id, spec.tenant, spec.id);
  run.start();
  run.save();
}

bool is_code_workflow(const Submit& command) { return command.spec.kind == domain::Kind::workflow && !command.plan; }

/// What a new execution takes the place of.
struct Before {
  std::optional<FoundHolder> holder{};  // of its identity
  bool has_old_tombstone = false;       // of its id
};

Outcome create(Batch& batch, const Submit& command, std::int64_t tenant_id, const Before& before_it) {
  const std::optional<FoundHolder>& old = before_it.holder;
  NewRow row{batch.last_seq + 1, tenant_id, batch.now,
             command.run_at.value_or(batch.now + command.delay.value_or(Duration{0}))};
  const bool waits = row.run_at > batch.now;
  const bool begins = command.plan && !waits;  // a run
  if (!begins) row.phase = waits ? Phase::waiting : entry_phase(batch, tenant_id, command.spec);
  else row = begun(row);
  if (command.spec.kind == domain::Kind::promise) row.phase = Phase::neither;
  row.deadline = command.deadline;
  if (command.deadline_after) row.deadline = batch.now + *command.deadline_after;
  std::string previous_created_by;
  if (old) {
    hand_over(batch, tenant_id, *old);
    const domain::Holder before = old->holder();
    if (before.id != command.spec.id) row.previous = before.id;  // an id that is free again is not its own predecessor
    previous_created_by = before.created_by;
  }
  if (before_it.has_old_tombstone) remove_tombstone(batch.connection, tenant_id, command.spec.id);
  insert_execution(batch.connection, row, command.spec);
  batch.last_seq = row.seq;
  tell_created(batch, command.spec, row);
  batch.usages.opened(tenant_id, command.spec.context.size());
  const domain::Identity& identity = command.spec.identity;
  if (identity.mode != domain::Mode::none) batch.identities.stage({tenant_id, identity.hash}, row.seq);
  if (command.plan) insert_run(batch, tenant_id, command.spec.id, *command.plan);
  if (begins) start_run(batch, tenant_id, command.spec);
  if (is_code_workflow(command)) insert_workflow(batch, tenant_id, command.spec, row.run_at, false);
  const bool is_ready = begins || row.phase == Phase::ready;
  return Created{command.spec.id, batch.now, row.run_at, is_ready, row.previous, std::move(previous_created_by)};
}

/// Whoever holds the identity. Where a probe saw it free and nothing has left memory since, memory alone knows.
std::optional<FoundHolder> find_holder(Batch& batch, const Submit& command, const IdentityKey& key) {
  const bool memory_knows = command.probe_note == batch.identities.epoch();
  if (memory_knows && !batch.identities.find_in_memory(key)) return std::nullopt;
  return load_holder(batch.connection, command.spec.tenant, key, batch.identities.find(batch.connection, key));
}

}  // namespace

void hand_over(Batch& batch, std::int64_t tenant_id, const FoundHolder& holder) {
  if (holder.tombstone) {
    drop_tombstone_identity(batch.connection, tenant_id, *holder.tombstone);
    return;
  }
  batch.connection.use("UPDATE executions SET superseded = 1 WHERE seq = ?1")->bind(1, holder.row->seq).run();
}

Outcome apply(Batch& batch, const Submit& command) {
  const domain::ExecutionSpec& spec = command.spec;
  if (is_code_workflow(command)) {
    if (auto refusal = domain::code::refusal_of_workflow(spec)) return Rejected{*std::move(refusal)};
  }
  std::optional<std::int64_t> tenant_id = batch.tenants.find(spec.tenant);
  if (!tenant_id) {
    batch.begin_writing();
    tenant_id = batch.tenants.id_of(batch.connection, spec.tenant);
  }
  Before before;
  if (spec.client_made_id) {
    ClientId same = find_client_id(batch.connection, spec.tenant, *tenant_id, spec.id, batch.now);
    if (same.taken_by) return std::move(*same.taken_by).held(true);
    before.has_old_tombstone = same.has_old_tombstone;
  }
  std::optional<FoundHolder>& holder = before.holder;
  if (spec.identity.mode != domain::Mode::none) {
    holder = find_holder(batch, command, {*tenant_id, spec.identity.hash});
    const bool free = !holder || domain::takes_over(domain::decide(holder->holder(), command.reuse, batch.now));
    if (!free) return std::move(*holder).held(false);
  }
  if (auto refusal = batch.usages.refusal(*tenant_id, spec.context.size())) return Rejected{*std::move(refusal)};
  batch.begin_writing();
  return create(batch, command, *tenant_id, before);
}

}  // namespace semel::store::sqlite
