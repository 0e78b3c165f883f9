#include "store/postgres/closed.hpp"
#include "store/postgres/places.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// One submission by itself: for those that a set cannot do in their order, takeovers among them.
namespace semel::store::postgres {
namespace {

/// Whoever holds the identity, which nobody else can take or give up until the transaction ends.
std::optional<FoundHolder> find_locked_holder(Batch& batch, const TenantAndHash& identity,
                                              std::optional<Time>& promised_until) {
  const LockedIdentities locked = lock_identities(batch.connection, {&identity, 1});
  if (locked.empty()) return std::nullopt;
  promised_until = locked.begin()->second.promised_until;
  std::map<TenantAndHash, FoundHolder> found = find_holders(batch.connection, {&identity, 1});
  if (found.empty()) throw Contention("an identity has lost its holder");
  return std::move(found.begin()->second);
}

Outcome create(Batch& batch, const Submit& command, const std::optional<domain::Holder>& before) {
  const domain::ExecutionSpec& spec = command.spec;
  NewRow row{&spec, run_at_of(command, batch.now)};
  row.deadline = deadline_of(command, batch.now);
  if (before) row.previous = before->id;
  const bool is_due = row.run_at <= batch.now;
  if (spec.kind == domain::Kind::promise) {
    row.phase = Phase::neither;
  } else if (!is_due) {
    row.phase = Phase::waiting;
  } else if (command.plan) {
    row.phase = Phase::neither;
  } else {
    lock_place(batch, spec);
    row.phase = entry_phase(batch, spec);
  }
  insert_execution(batch.connection, row, batch.now);
  const TenantAndId id{spec.tenant, spec.id};
  if (spec.client_made_id && any_was_used(batch.connection, {&id, 1}))
    throw Contention("the id was used, and left, meanwhile");
  batch.changes.push_back(created_change(row));
  if (command.plan && is_due) batch.changes.back().state = domain::State::suspended;
  batch.usages.opened(spec.tenant, spec.context.size());
  Created created{spec.id, batch.now, row.run_at, row.phase == Phase::ready, row.previous, {}};
  if (before) created.previous_created_by = before->created_by;
  if (command.plan) {
    created.ready = is_due;
    add_run(batch, command, is_due);
  }
  if (is_code_workflow(command)) add_workflow(batch, spec, row.run_at, row.deadline, false);
  return created;
}

/// A tombstone that holds nothing any more makes room for a new execution with its id.
void forget_tombstone(Batch& batch, const domain::ExecutionSpec& spec, std::optional<FoundHolder>& holder) {
  if (!spec.client_made_id) return;
  const TenantAndId id{spec.tenant, spec.id};
  remove_tombstones(batch.connection, {&id, 1});
  if (holder && holder->holder().id == spec.id) holder.reset();  // its identity has gone with it
}

}  // namespace

Time run_at_of(const Submit& command, Time now) {
  return command.run_at.value_or(now + command.delay.value_or(Duration{0}));
}

std::optional<Time> deadline_of(const Submit& command, Time now) {
  if (command.deadline_after) return now + *command.deadline_after;
  return command.deadline;
}

Change created_change(const NewRow& row) {
  Change change = change_of(*row.spec, domain::State::pending);
  change.is_new = true;
  change.took_over = row.previous.has_value();
  change.is_ready = row.phase == Phase::ready;
  change.timer = pending_timer(row.phase != Phase::waiting, row.run_at, row.deadline);
  return change;
}

Outcome apply(Batch& batch, const Submit& command) {
  const domain::ExecutionSpec& spec = command.spec;
  if (is_code_workflow(command)) {
    if (auto refusal = domain::code::refusal_of_workflow(spec)) return Rejected{*std::move(refusal)};
  }
  const TenantAndId id{spec.tenant, spec.id};
  if (spec.client_made_id) {
    auto same = find_by_client_ids(batch.connection, {&id, 1}, batch.now);
    if (!same.empty()) return std::move(same.begin()->second).held(true);
  }
  const TenantAndHash identity{spec.tenant, spec.identity.hash};
  const bool has_identity = spec.identity.mode != domain::Mode::none;
  while (true) {
    std::optional<FoundHolder> holder;
    std::optional<Time> promised_until;
    if (has_identity) holder = find_locked_holder(batch, identity, promised_until);
    if (holder && !takes_over(decide(holder->holder(), command.reuse, batch.now)))
      return std::move(*holder).held(false);
    if (holder && promised_until && *promised_until > batch.now) return postpone(batch, identity, *promised_until);
    if (auto refusal = batch.usages.refusal(spec.tenant, spec.context.size())) return Rejected{*std::move(refusal)};
    forget_tombstone(batch, spec, holder);
    if (!has_identity) return create(batch, command, std::nullopt);
    if (holder) {
      hand_over(batch, identity, *holder, spec.id);
      return create(batch, command, holder->holder());
    }
    if (claim_identity(batch, identity, spec.id)) return create(batch, command, std::nullopt);
  }
}

}  // namespace semel::store::postgres
