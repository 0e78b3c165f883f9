#include "base/ensure.hpp"
#include "store/memory/tables.hpp"

/// Who holds an id or an identity, and what a submission makes of it (DESIGN §3.1, §3.4).
namespace semel::store::memory {
namespace {

bool id_is_taken(const Tombstone& tombstone, Time now) {
  return tombstone_holds(tombstone.holder, {tombstone.client_made_id, tombstone.hash.has_value()}, now);
}

std::optional<Held> holder_of_id(const Tables& tables, const TenantAndId& id, Time now) {
  if (const auto found = tables.executions.find(id); found != tables.executions.end()) {
    const domain::Execution& execution = found->second.execution;
    return Held{holder_of(execution), execution, true};
  }
  const auto left = tables.tombstones.find(id);
  if (left == tables.tombstones.end() || !id_is_taken(left->second, now)) return std::nullopt;
  return Held{left->second.holder, std::nullopt, true};
}

Time run_at_of(const Submit& submit, Time now) {
  ensure(!submit.run_at || !submit.delay);
  if (submit.run_at) return *submit.run_at;
  return now + submit.delay.value_or(Duration{0});
}

bool is_code(const Submit& submit) { return submit.spec.kind == domain::Kind::workflow && !submit.plan; }

Created create(Tables& tables, const Submit& submit, const std::optional<domain::Holder>& previous, Time now) {
  Record record;
  record.seq = ++tables.last_seq;
  record.execution.spec = submit.spec;
  record.execution.created_at = now;
  record.execution.run_at = run_at_of(submit, now);
  if (previous) record.execution.previous = previous->id;
  record.execution.deadline = submit.deadline;
  if (submit.deadline_after) record.execution.deadline = now + *submit.deadline_after;
  const auto [place, is_new] =
      tables.executions.emplace(TenantAndId{submit.spec.tenant, submit.spec.id}, std::move(record));
  ensure(is_new);  // only client-made ids may meet, and those were looked up
  Record& stored = place->second;
  if (submit.plan) add_run(tables, stored, *submit.plan);
  else enter_queue(tables, stored, now);
  if (is_code(submit)) add_workflow(tables, stored, false, now);
  const bool begins = submit.plan && stored.execution.run_at <= now;
  if (begins) suspend(stored, now);
  tell(tables, stored);
  tables.changes.back().is_new = true;
  tables.changes.back().took_over = previous.has_value();
  Created created{submit.spec.id, now, stored.execution.run_at, begins || stored.phase == Phase::ready, {}, {}};
  if (previous) {
    created.previous = previous->id;
    created.previous_created_by = previous->created_by;
  }
  if (begins) start_run(tables, stored, now);
  return created;
}

domain::Usage usage_of(const Tables& tables, const std::string& tenant) {
  domain::Usage usage;
  for (const auto& [id, record] : tables.executions) {
    if (id.first != tenant || domain::is_closed(record.execution.state)) continue;
    usage.open_tasks += 1;
    usage.payload_bytes += record.execution.spec.context.size();
  }
  return usage;
}

}  // namespace

/// A tombstone that holds nothing any more makes room for a new execution with its id.
void forget_tombstone(Tables& tables, const TenantAndId& id) {
  const auto left = tables.tombstones.find(id);
  if (left == tables.tombstones.end()) return;
  if (left->second.hash) tables.holders.erase({id.first, *left->second.hash});
  tables.tombstones.erase(left);
}

void take_from_tombstone(Tables& tables, const TenantAndId& id) {
  const auto left = tables.tombstones.find(id);
  if (left == tables.tombstones.end()) return;
  left->second.hash.reset();
  if (!left->second.client_made_id) tables.tombstones.erase(left);
}

std::optional<Held> holder_of_hash(const Tables& tables, std::string_view tenant, const Hash32& hash) {
  const auto found = tables.holders.find({std::string(tenant), hash});
  if (found == tables.holders.end()) return std::nullopt;
  const TenantAndId id{std::string(tenant), found->second};
  if (const auto left = tables.tombstones.find(id); left != tables.tombstones.end()) {
    return Held{left->second.holder, std::nullopt, false};
  }
  const domain::Execution& execution = tables.executions.at(id).execution;
  return Held{holder_of(execution), execution, false};
}

std::optional<Held> duplicate_of(const Tables& tables, const Submit& submit, Time now) {
  const domain::ExecutionSpec& spec = submit.spec;
  if (spec.client_made_id) {
    if (std::optional<Held> held = holder_of_id(tables, {spec.tenant, spec.id}, now)) return held;
  }
  if (spec.identity.mode == domain::Mode::none) return std::nullopt;
  std::optional<Held> held = holder_of_hash(tables, spec.tenant, spec.identity.hash);
  if (held && !takes_over(decide(held->holder, submit.reuse, now))) return held;
  return std::nullopt;
}

Outcome apply(Tables& tables, const Submit& submit, Time now) {
  if (is_code(submit)) {
    if (auto refusal = domain::code::refusal_of_workflow(submit.spec)) return Rejected{*std::move(refusal)};
  }
  if (std::optional<Held> held = duplicate_of(tables, submit, now)) return *std::move(held);
  const domain::ExecutionSpec& spec = submit.spec;
  if (tables.limits.is_set()) {
    auto refusal = domain::refusal_by_limits(tables.limits, usage_of(tables, spec.tenant), spec.context.size());
    if (refusal) return Rejected{*std::move(refusal)};
  }
  forget_tombstone(tables, {spec.tenant, spec.id});
  if (spec.identity.mode == domain::Mode::none) return create(tables, submit, std::nullopt, now);
  std::optional<domain::Holder> previous;
  const TenantAndHash identity{spec.tenant, spec.identity.hash};
  if (const std::optional<Held> held = holder_of_hash(tables, spec.tenant, spec.identity.hash)) {
    previous = held->holder;
    take_from_tombstone(tables, {spec.tenant, previous->id});
  }
  tables.holders[identity] = spec.id;
  return create(tables, submit, previous, now);
}

}  // namespace semel::store::memory
