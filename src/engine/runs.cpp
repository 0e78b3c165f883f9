#include "domain/workflow/code/names.hpp"
#include "domain/workflow/step_task.hpp"
#include "engine/engine.hpp"

/// Reading runs of steps.
namespace semel::engine {
namespace {

tl::unexpected<Error> no_run(domain::ExecutionId id) {
  return refuse(ErrorCode::not_found, "task {} has no steps: it is no run of a template with several", id.text());
}

/// Whoever works must be able to replay what is written as code.
bool may_replay(const domain::Principal& principal, const domain::ExecutionSpec& spec) {
  return principal.may(domain::Permission::workers) && domain::code::is_workflow_handler(spec.handler);
}

}  // namespace

/// What is known of a step whose task is open is that it is; how far the task has come stands in its own row.
RunView Engine::view_of(const std::string& tenant, domain::ExecutionId id, StoredRun run) {
  RunView view;
  view.tasks.resize(run.facts.steps.size());
  for (std::size_t i = 0; i < view.tasks.size(); ++i) {
    const bool has_one = run.facts.steps[i].state == domain::StepState::scheduled && !run.graph->step(i).for_each;
    if (!has_one) continue;
    if (const auto task = store_.find(tenant, domain::task_id(*run.graph, id, {i, std::nullopt})))
      view.tasks[i] = task->state;
  }
  view.run = std::move(run);
  return view;
}

Result<RunView> Engine::run(const domain::Principal& principal, domain::ExecutionId id) {
  const std::optional<domain::Execution> execution = store_.find(principal.tenant, id);
  if (!execution || !domain::may_read(principal, execution->spec.created_by)) return no_such_task(id);
  std::optional<StoredRun> run = store_.run(principal.tenant, id);
  if (!run) return no_run(id);
  return view_of(principal.tenant, id, *std::move(run));
}

Result<HistoryView> Engine::history(const domain::Principal& principal, domain::ExecutionId id, std::int64_t after,
                                    std::size_t limit) {
  const std::optional<domain::Execution> execution = store_.find(principal.tenant, id);
  if (!execution) return no_such_task(id);
  const domain::ExecutionSpec& spec = execution->spec;
  if (!domain::may_read(principal, spec.created_by) && !may_replay(principal, spec)) return no_such_task(id);
  if (spec.kind != domain::Kind::workflow) return no_run(id);
  HistoryView view{store_.history(principal.tenant, id, after, limit + 1), std::nullopt};
  if (view.entries.size() <= limit) return view;
  view.entries.resize(limit);
  view.next = view.entries.back().sequence;
  return view;
}

/// Taking a reason and keeping it nowhere would be a lie.
Result<void> Engine::check_why(const domain::Principal& principal, domain::ExecutionId id, const std::string& why) {
  if (why.empty()) return {};
  const std::optional<domain::Execution> execution = store_.find(principal.tenant, id);
  if (!execution) return no_such_task(id);
  if (execution->spec.kind == domain::Kind::workflow || execution->spec.step) return {};
  return bad_request("why is recorded in the history of runs; task {} is no part of one", id.text());
}

}  // namespace semel::engine
