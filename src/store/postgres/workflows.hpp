#pragma once
#include <optional>
#include <set>
#include <span>
#include <string>

#include "domain/workflow/code/names.hpp"
#include "store/postgres/batch.hpp"

/// What happens to code workflows: decided by the domain, carried out here (ADR 0018). What is decided about one whose
/// row is locked is kept in memory, and written by settle_runs().
namespace semel::store::postgres {

/// Whether the execution is a code workflow: no run of steps has such a handler.
inline bool is_code(const domain::ExecutionSpec& spec) { return domain::code::is_workflow_handler(spec.handler); }
/// Whether a code workflow has begun it.
inline bool is_of_code(const domain::StepOf& step) { return domain::code::command_of(step.task_key).has_value(); }
inline bool is_code_workflow(const Submit& command) {
  return command.spec.kind == domain::Kind::workflow && !command.plan;
}

// The handlers of code workflows, as a range: the character after the colon is beyond all kinds. The table must be
// called e.
#define SEMEL_NO_WORKFLOW_HANDLER "(e.handler < 'workflow:' OR e.handler > 'workflow;')"

/// Locks those of the workflows that the transaction does not hold yet, in their order, and reads them.
void hold_workflows(Batch& batch, const std::set<TenantAndId>& ids);
/// Null when there is no such workflow.
HeldWorkflow* hold_workflow(Batch& batch, const TenantAndId& id);
/// Runs first, then workflows.
void hold_owners(Batch& batch, const Owners& owners);
/// The execution of a held workflow is locked by now, and has this state.
void observe(HeldWorkflow& workflow, const domain::Execution& execution);
/// All locks that come before the executions of workflows that are to be cancelled: queues, and all workflows above and
/// below, and those of tasks that are attached to something below.
void lock_before_cancelling_code(Batch& batch, const std::set<TenantAndId>& ids);

/// What decisions about a held workflow may look at.
std::unique_ptr<WorkflowRows> rows_of(Batch& batch, HeldWorkflow& workflow, bool by_force = false);
/// Carries out what was decided about a held workflow. What it needs of children is left for settle_runs().
void carry_out(Batch& batch, HeldWorkflow& workflow, const domain::code::Decision& decision, bool by_force = false);
/// Adds to its history what the store knows.
void add_event(HeldWorkflow& workflow, const domain::HistoryEvent& event);
/// Writes what was changed of workflows that are held.
void write_workflows(Batch& batch);

/// Makes what belongs to a code workflow whose execution has just been inserted.
void add_workflow(Batch& batch, const domain::ExecutionSpec& spec, Time run_at, std::optional<Time> deadline,
                  bool abandon);
/// Nothing new is begun, and what is open below is cancelled. The execution is locked, or looked at again when it is
/// written.
void cancel_workflow(Batch& batch, HeldWorkflow& workflow, const domain::CancelRequest& request);
/// What a code workflow has begun has closed.
void tell_workflow(Batch& batch, const ClosedTask& child);
/// An activation has ended without an answer.
void end_activation_badly(Batch& batch, HeldWorkflow& workflow, const domain::Ending& ending,
                          std::optional<std::string_view> error);

/// A timer whose time has come.
struct DueTimer {
  TenantAndId workflow;
  std::int64_t command = 0;
};
std::vector<DueTimer> read_due_timers(Batch& batch, std::int64_t max);
/// Of workflows that are held: fires those that are still there.
void fire_timers(Batch& batch, std::span<const DueTimer> due);

/// What is open below workflows that end is cancelled, or cut loose.
void drop_children(Batch& batch);

/// What is below code workflows that go, and was closed by the same command: for whoever waits for it.
void note_leaving_below(Batch& batch, std::span<const TenantAndId> roots);

/// Adds to leases of code workflows what their workers get.
void add_activations(Batch& batch, std::span<Claimed> claimed);

}  // namespace semel::store::postgres
