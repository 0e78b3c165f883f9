#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How tasks of runs get their keys, and what becomes of those whose key another has (DESIGN §3.6).
namespace semel::store::postgres {
namespace {

/// False when the holder has closed meanwhile. Whoever closes it from now on sees that somebody waits.
bool wait_for(Batch& batch, const ExecutionRow& task, domain::ExecutionId holder) {
  const domain::ExecutionSpec& spec = task.execution.spec;
  const Rows marked = batch.connection.run(
      "UPDATE executions SET awaited = true WHERE tenant = $1 AND id = $2 AND closed_at IS NULL RETURNING 1",
      spec.tenant, holder);
  if (marked.empty()) return false;
  batch.connection.run("INSERT INTO attachments (tenant, id, holder) VALUES ($1, $2, $3)", spec.tenant, spec.id,
                       holder);
  add_history(batch, spec, attached_event(spec, holder));
  return true;
}

}  // namespace

void add_history(Batch& batch, const domain::ExecutionSpec& task, const domain::HistoryEvent& event) {
  const TenantAndId id{task.tenant, task.step->run};
  if (is_of_code(*task.step)) {
    HeldWorkflow* const workflow = hold_workflow(batch, id);
    if (workflow == nullptr) throw StoreFault("the workflow of a task is missing");
    return add_event(*workflow, event);
  }
  HeldRun* const run = hold_run(batch, id);
  if (run == nullptr) throw StoreFault("the run of a task is missing");
  run->history.push_back(event);
  run->is_changed = true;
}

KeyAnswered ask_for_key(Batch& batch, const ExecutionRow& task, domain::code::KeyConflict on_conflict) {
  const domain::ExecutionSpec& spec = task.execution.spec;
  const TenantAndHash identity{spec.tenant, spec.identity.hash};
  while (true) {
    KeyAnswered answered;
    if (lock_identities(batch.connection, {&identity, 1}).empty()) {
      if (claim_identity(batch, identity, spec.id)) return answered;
      continue;
    }
    const auto found = find_holders(batch.connection, {&identity, 1});
    if (found.empty()) throw Contention("an identity has lost its holder");
    const FoundHolder& other = found.begin()->second;
    const domain::Holder holder = other.holder();
    const auto policy = domain::code::key_policy(on_conflict, batch.queues.settings({spec.tenant, spec.queue}));
    const domain::KeyVerdict verdict = judge_child_key(&holder, spec, policy, batch.now);
    answered.answer = verdict.answer;
    switch (verdict.answer) {
      case domain::KeyAnswer::claim:
        if (holder.id == spec.id) return answered;
        hand_over(batch, identity, other, spec.id);
        answered.previous = holder.id;
        return answered;
      case domain::KeyAnswer::attach:
        if (!wait_for(batch, task, holder.id)) continue;
        return answered;
      case domain::KeyAnswer::take_result:
        answered.outcome = domain::TaskOutcome{holder.state, other.row->execution.result, other.row->execution.error};
        return answered;
      case domain::KeyAnswer::fail:
        answered.outcome = domain::TaskOutcome{domain::State::failed, std::nullopt, verdict.error};
        return answered;
      case domain::KeyAnswer::apart: answered.holder = holder.id; return answered;
    }
  }
}

}  // namespace semel::store::postgres
