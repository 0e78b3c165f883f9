#include "domain/workflow/step_id.hpp"
#include "store/memory/tables.hpp"

/// Opening a closed execution again by hand (DESIGN §3.4, §4).
namespace semel::store::memory {

std::optional<domain::ExecutionId> other_holder(const Tables& tables, const domain::ExecutionSpec& spec, Time now) {
  if (spec.identity.mode == domain::Mode::none) return std::nullopt;
  const std::optional<Held> held = holder_of_hash(tables, spec.tenant, spec.identity.hash);
  if (!held || held->holder.id == spec.id) return std::nullopt;
  if (takes_over(decide(held->holder, domain::Reuse::reject_duplicate, now))) return std::nullopt;
  return held->holder.id;
}

void claim_identity(Tables& tables, const domain::ExecutionSpec& spec) {
  if (spec.identity.mode == domain::Mode::none) return;
  const TenantAndHash identity{spec.tenant, spec.identity.hash};
  if (const auto old = tables.holders.find(identity); old != tables.holders.end() && old->second != spec.id)
    take_from_tombstone(tables, {spec.tenant, old->second});
  tables.holders[identity] = spec.id;
}

namespace {

/// Opens the run of all that is asked for again, as far as that is needed.
ReopenAnswer reopen_in_run(Tables& tables, const Reopen& reopen, const RetrySteps& retry, Time now) {
  const RunAnswer answer = retry_run(tables, retry, now);
  settle_runs(tables, now);
  const domain::State state = tables.executions.at({reopen.tenant, reopen.id}).execution.state;
  switch (answer.kind) {
    case RunAnswer::Kind::done: return {ReopenAnswer::Kind::reopened, state, std::nullopt, {}};
    case RunAnswer::Kind::identity_held: return {ReopenAnswer::Kind::identity_held, state, answer.holder, {}};
    default: return {ReopenAnswer::Kind::not_retryable, state, std::nullopt, answer.refusal};
  }
}

}  // namespace

Outcome apply(Tables& tables, const Reopen& reopen, Time now) {
  Record* record = find_record(tables, reopen.tenant, reopen.id);
  if (record == nullptr) return ReopenAnswer{};
  domain::Execution& execution = record->execution;
  const std::optional<domain::State> state = next(execution.state, domain::Event::reopened);
  if (!state) return ReopenAnswer{ReopenAnswer::Kind::not_retryable, execution.state, std::nullopt, {}};
  if (const char* refusal = domain::code::refusal_of_retry(execution.spec))
    return ReopenAnswer{ReopenAnswer::Kind::not_retryable, execution.state, std::nullopt, refusal};
  if (execution.spec.kind == domain::Kind::workflow)
    return reopen_in_run(tables, reopen, {reopen.tenant, reopen.id, {}, reopen.by, {}}, now);
  if (const auto& step = execution.spec.step)
    return reopen_in_run(tables, reopen, {reopen.tenant, step->run, {domain::step_of(step->task_key)}, reopen.by, {}},
                         now);
  if (const auto other = other_holder(tables, execution.spec, now))
    return ReopenAnswer{ReopenAnswer::Kind::identity_held, execution.state, other, {}};
  claim_identity(tables, execution.spec);
  reopen_execution(execution, now);
  enter_queue(tables, *record, now);
  note(tables, reopen.tenant, {0, now, reopen.by, "task.retry", reopen.id.text()});
  tell(tables, *record);
  return ReopenAnswer{ReopenAnswer::Kind::reopened, execution.state, std::nullopt, {}};
}

}  // namespace semel::store::memory
