#include <algorithm>

#include "base/ensure.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// What handlers of tasks of runs get: read when they are leased, for all leases of a batch together.
namespace semel::store::postgres {
namespace {

using domain::TaskOutcome;

/// What a batch of leases needs, and what was found of it at one moment.
struct Inputs {
  struct Run {
    domain::RunFacts facts{};
    std::string context{};
  };
  std::map<TenantAndId, Run> runs{};
  std::map<TenantAndId, TaskOutcome> tasks{};
  std::map<std::pair<TenantAndId, std::string>, TaskOutcome> kept{};  // by run and step
};

/// What is to be read: the runs, the only tasks of upstream steps, and what may be kept instead of these.
Inputs wanted_by(const std::vector<Lease*>& leases, const std::map<TenantAndId, Plans::Shared>& graphs) {
  Inputs wanted;
  for (const Lease* lease : leases) {
    const domain::ExecutionSpec& spec = lease->execution.spec;
    const TenantAndId run{spec.tenant, spec.step->run};
    wanted.runs.try_emplace(run);
    const domain::Graph& graph = *graphs.at(run);
    const std::optional<domain::TaskRef> ref = find_task(graph, spec.step->task_key);
    ensure(ref.has_value());
    for (const std::size_t step : graph.upstreams(ref->step)) {
      wanted.kept.try_emplace({run, graph.step(step).name});
      if (!graph.step(step).for_each)
        wanted.tasks.try_emplace({run.first, task_id(graph, run.second, {step, std::nullopt})});
    }
  }
  return wanted;
}

struct InputColumns {
  Array run_tenants{Type::text}, runs{Type::uuid}, task_tenants{Type::text}, tasks{Type::uuid},
      kept_tenants{Type::text}, kept_runs{Type::uuid}, kept_steps{Type::text};

  explicit InputColumns(const Inputs& wanted) {
    for (const auto& [id, run] : wanted.runs) {
      run_tenants.add(id.first);
      runs.add(id.second);
    }
    for (const auto& [id, outcome] : wanted.tasks) {
      task_tenants.add(id.first);
      tasks.add(id.second);
    }
    for (const auto& [place, outcome] : wanted.kept) {
      kept_tenants.add(place.first.first);
      kept_runs.add(place.first.second);
      kept_steps.add(place.second);
    }
  }
};

/// One statement, so that facts and results are of one moment.
void read_inputs(Connection& connection, Inputs& inputs) {
  const InputColumns wanted(inputs);
  const Rows rows = connection.run(
      "SELECT 0::bigint, r.tenant, r.id, ''::text, r.facts, e.context FROM unnest($1::text[], $2::uuid[])"
      " AS u (tenant, id) JOIN runs r ON r.tenant = u.tenant AND r.id = u.id"
      " JOIN executions e ON e.tenant = u.tenant AND e.id = u.id"
      " UNION ALL SELECT 1, e.tenant, e.id, '', e.result, e.error FROM unnest($3::text[], $4::uuid[])"
      " AS u (tenant, id) JOIN executions e ON e.tenant = u.tenant AND e.id = u.id"
      " UNION ALL SELECT 2, o.tenant, o.run, o.step, o.result, o.error"
      " FROM unnest($5::text[], $6::uuid[], $7::text[]) AS u (tenant, run, step)"
      " JOIN outcomes o ON o.tenant = u.tenant AND o.run = u.run AND o.step = u.step",
      wanted.run_tenants, wanted.runs, wanted.task_tenants, wanted.tasks, wanted.kept_tenants, wanted.kept_runs,
      wanted.kept_steps);
  for (const Row row : rows) {
    const TenantAndId id{row.text(1), {row.uuid(2)}};
    const TaskOutcome outcome{domain::State::completed, row.optional_text(4), row.optional_text(5)};
    if (row.integer(0) == 1) inputs.tasks[id] = outcome;
    if (row.integer(0) == 2) inputs.kept[{id, row.text(3)}] = outcome;
    if (row.integer(0) != 0) continue;
    std::optional<domain::RunFacts> facts = domain::decode_facts(row.view(4));
    if (!facts) throw StoreFault("the facts of a run cannot be read");
    inputs.runs[id] = {*std::move(facts), row.text(5)};
  }
}

/// Where the input of one task is taken from.
class ReadUpstreams final : public UpstreamRows {
 public:
  ReadUpstreams(const Inputs& inputs, const domain::Graph& graph, TenantAndId run)
      : inputs_(inputs), graph_(graph), run_(std::move(run)) {}

  std::string context() override { return inputs_.runs.at(run_).context; }
  TaskOutcome kept(std::size_t step) override { return inputs_.kept.at({run_, graph_.step(step).name}); }
  TaskOutcome of_task(domain::ExecutionId task) override { return inputs_.tasks.at({run_.first, task}); }

 private:
  const Inputs& inputs_;
  const domain::Graph& graph_;
  const TenantAndId run_;
};

}  // namespace

void add_inputs(Batch& batch, std::span<Claimed> claimed) {
  std::vector<Lease*> leases;
  std::set<TenantAndId> runs;
  for (Claimed& each : claimed) {
    for (Lease& lease : each.leases) {
      const domain::ExecutionSpec& spec = lease.execution.spec;
      if (!spec.step || is_of_code(*spec.step)) continue;
      leases.push_back(&lease);
      runs.emplace(spec.tenant, spec.step->run);
    }
  }
  if (leases.empty()) return;
  const std::map<TenantAndId, Plans::Shared> graphs = graphs_of(batch, runs);
  Inputs inputs = wanted_by(leases, graphs);
  read_inputs(batch.connection, inputs);
  for (Lease* lease : leases) {
    const domain::ExecutionSpec& spec = lease->execution.spec;
    const TenantAndId run{spec.tenant, spec.step->run};
    ReadUpstreams upstreams(inputs, *graphs.at(run), run);
    lease->input = input_of(spec, *graphs.at(run), inputs.runs.at(run).facts, upstreams);
  }
}

}  // namespace semel::store::postgres
