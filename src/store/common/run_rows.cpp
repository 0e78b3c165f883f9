#include "store/common/run_rows.hpp"

#include "base/ensure.hpp"
#include "base/json/canonical.hpp"
#include "base/sha256.hpp"

namespace semel::store {
namespace {

/// The hash of the run's canonical context, made once, and only where a task has a key.
class ContextHash {
 public:
  explicit ContextHash(const domain::RunData& data) : data_(data) {}

  const Hash32& get() {
    if (!hash_) hash_ = sha256(json::canonicalize(data_.context()).value());
    return *hash_;
  }

 private:
  const domain::RunData& data_;
  std::optional<Hash32> hash_{};
};

/// Else it was never tried, or not since it was retried.
bool came_to_something(domain::StepState state) {
  switch (state) {
    case domain::StepState::completed:
    case domain::StepState::resolved:
    case domain::StepState::failed:
    case domain::StepState::timed_out:
    case domain::StepState::cancelled:
    case domain::StepState::unfit: return true;
    default: return false;
  }
}

}  // namespace

void carry_out(const domain::Decision& decision, const LoadedRun& run, RunRows& rows) {
  for (const domain::HistoryEvent& event : decision.events) rows.record(event);
  for (const domain::StepOutcome& outcome : decision.outcomes) rows.keep(outcome);
  ContextHash context(rows);
  for (const domain::StepTask& task : decision.make) {
    const domain::Step& step = run.graph->step(task.ref.step);
    const domain::QueueSettings settings = task.key ? rows.settings(step.queue) : domain::QueueSettings{};
    domain::TaskMaking making{run.spec, step, task, settings};
    if (task.key) making.context_hash = context.get();
    rows.make(spec_of_task(making), task.held);
  }
  const auto id_of = [&](domain::TaskRef task) { return task_id(*run.graph, run.spec.id, task); };
  for (const domain::TaskRef task : decision.release) rows.release(id_of(task));
  for (const domain::TaskRef task : decision.reopen) rows.reopen(id_of(task));
  for (const domain::TaskRef task : decision.cancel) rows.cancel(id_of(task));
  if (decision.end) rows.end(*decision.end);
}

domain::Event event_of(domain::State end) {
  switch (end) {
    case domain::State::completed: return domain::Event::completed;
    case domain::State::failed: return domain::Event::failed;
    case domain::State::cancelled: return domain::Event::cancelled;
    case domain::State::timed_out: return domain::Event::deadline_passed;
    default: break;
  }
  ensure(false);  // an open state is no end
  return domain::Event::failed;
}

domain::StepInput input_of(const domain::ExecutionSpec& task, const domain::Graph& graph, const domain::RunFacts& facts,
                           UpstreamRows& rows) {
  const std::optional<domain::TaskRef> ref = find_task(graph, task.step->task_key);
  ensure(ref.has_value());
  domain::StepInput input;
  input.context = rows.context();
  input.index = ref->item;
  for (const std::size_t step : graph.upstreams(ref->step)) {
    const domain::StepFacts& fact = facts.steps[step];
    domain::Upstream& upstream = input.upstream.emplace_back();
    upstream.step = graph.step(step).name;
    upstream.state = fact.state;
    if (!came_to_something(fact.state)) continue;
    const bool is_kept = is_kept_as_outcome(graph.step(step), fact.state);
    domain::TaskOutcome outcome = is_kept ? rows.kept(step) : rows.of_task(task_id(graph, task.step->run, {step, {}}));
    upstream.result = std::move(outcome.result);
    upstream.error = std::move(outcome.error);
  }
  return input;
}

}  // namespace semel::store
