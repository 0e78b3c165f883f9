#include "store/memory/tables.hpp"

/// Opening a closed execution again by hand (DESIGN §3.4, §4).
namespace semel::store::memory {
namespace {

/// Who else holds the execution's identity, so that it cannot have it back.
std::optional<domain::ExecutionId> other_holder(const Tables& tables, const domain::ExecutionSpec& spec, Time now) {
  if (spec.identity.mode == domain::Mode::none) return std::nullopt;
  const std::optional<Held> held = holder_of_hash(tables, spec.tenant, spec.identity.hash);
  if (!held || held->holder.id == spec.id) return std::nullopt;
  if (takes_over(decide(held->holder, domain::Reuse::reject_duplicate, now))) return std::nullopt;
  return held->holder.id;
}

}  // namespace

Outcome apply(Tables& tables, const Reopen& reopen, Time now) {
  Record* record = find_record(tables, reopen.tenant, reopen.id);
  if (record == nullptr) return ReopenAnswer{};
  domain::Execution& execution = record->execution;
  const std::optional<domain::State> state = next(execution.state, domain::Event::reopened);
  if (!state) return ReopenAnswer{ReopenAnswer::Kind::not_retryable, execution.state, std::nullopt};
  if (const auto other = other_holder(tables, execution.spec, now))
    return ReopenAnswer{ReopenAnswer::Kind::identity_held, execution.state, other};
  if (execution.spec.identity.mode != domain::Mode::none) {
    const TenantAndHash identity{execution.spec.tenant, execution.spec.identity.hash};
    if (const auto old = tables.holders.find(identity); old != tables.holders.end() && old->second != execution.spec.id)
      take_from_tombstone(tables, {execution.spec.tenant, old->second});
    tables.holders[identity] = execution.spec.id;
  }
  reopen_execution(execution, now);
  enter_queue(tables, *record, now);
  note(tables, reopen.tenant, {0, now, reopen.by, "task.retry", reopen.id.text()});
  tell(tables, *record);
  return ReopenAnswer{ReopenAnswer::Kind::reopened, execution.state, std::nullopt};
}

}  // namespace semel::store::memory
