#include <algorithm>

#include "base/ensure.hpp"
#include "store/sqlite/inner.hpp"
#include "store/sqlite/open_run.hpp"

namespace semel::store {
namespace sqlite {
namespace {

domain::RunFacts read_facts(std::string_view text) {
  std::optional<domain::RunFacts> facts = domain::decode_facts(text);
  if (!facts) throw StoreFault("the facts of a run cannot be read");
  return *std::move(facts);
}

/// What was kept for steps, or what their tasks came to.
class Upstreams final : public UpstreamRows {
 public:
  Upstreams(Connection& connection, std::int64_t tenant_id, domain::ExecutionId run, const domain::Graph& graph)
      : connection_(connection), tenant_id_(tenant_id), run_(run), graph_(graph) {}

  std::string context() override {
    Scoped query = connection_.use("SELECT context FROM executions WHERE tenant_id = ?1 AND id = ?2");
    query->bind(1, tenant_id_).bind(2, run_.uuid);
    return query->step() ? query->text(0) : std::string();
  }
  domain::TaskOutcome kept(std::size_t step) override {
    Scoped query =
        connection_.use("SELECT result, error FROM outcomes WHERE tenant_id = ?1 AND run = ?2 AND step = ?3");
    query->bind(1, tenant_id_).bind(2, run_.uuid).bind(3, graph_.step(step).name);
    return read(*query);
  }
  domain::TaskOutcome of_task(domain::ExecutionId task) override {
    Scoped query = connection_.use("SELECT result, error FROM executions WHERE tenant_id = ?1 AND id = ?2");
    query->bind(1, tenant_id_).bind(2, task.uuid);
    return read(*query);
  }

 private:
  static domain::TaskOutcome read(Statement& query) {
    if (!query.step()) return {};
    return {domain::State::completed, query.optional_text(0), query.optional_text(1)};
  }

  Connection& connection_;
  const std::int64_t tenant_id_;
  const domain::ExecutionId run_;
  const domain::Graph& graph_;
};

/// By step.
std::vector<domain::StepOutcome> read_outcomes(Connection& connection, std::int64_t tenant_id, domain::ExecutionId run,
                                               const domain::Graph& graph) {
  std::vector<domain::StepOutcome> outcomes;
  Scoped query = connection.use("SELECT step, result, error FROM outcomes WHERE tenant_id = ?1 AND run = ?2");
  query->bind(1, tenant_id).bind(2, run.uuid);
  while (query->step()) {
    const std::optional<std::size_t> step = graph.find(query->view(0));
    if (step) outcomes.push_back({*step, query->optional_text(1), query->optional_text(2)});
  }
  std::sort(outcomes.begin(), outcomes.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return outcomes;
}

}  // namespace

domain::StepInput StepInputs::of(std::int64_t tenant_id, const domain::ExecutionSpec& task) {
  const std::string step = domain::step_of(task.step->task_key);
  Hash32 plan{};
  domain::RunFacts facts;
  if (run_ != task.step->run || step_ != step) {
    Scoped query = batch_.connection.use("SELECT plan, facts FROM runs WHERE tenant_id = ?1 AND id = ?2");
    query->bind(1, tenant_id).bind(2, task.step->run.uuid);
    ensure(query->step());  // a task goes with its run
    plan = query->hash(0);
    facts = read_facts(query->view(1));
    const Plans::Shared graph = load_plan(batch_.connection, batch_.plans, tenant_id, plan);
    Upstreams upstreams(batch_.connection, tenant_id, task.step->run, *graph);
    last_ = input_of(task, *graph, facts, upstreams);
    run_ = task.step->run;
    step_ = step;
  }
  domain::StepInput input = last_;
  input.index = domain::index_of(task.step->task_key);
  return input;
}

}  // namespace sqlite

std::optional<StoredRun> SqliteStore::run(std::string_view tenant, domain::ExecutionId id) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  auto reader = inner_->readers.borrow();
  const sqlite::Snapshot snapshot(*reader);
  sqlite::Scoped query = (*reader).use("SELECT plan, facts, history_length FROM runs WHERE tenant_id = ?1 AND id = ?2");
  query->bind(1, *tenant_id).bind(2, id.uuid);
  if (!query->step()) return std::nullopt;
  StoredRun run;
  run.graph = sqlite::load_plan(*reader, inner_->plans, *tenant_id, query->hash(0));
  run.facts = sqlite::read_facts(query->view(1));
  run.history_length = query->integer(2);
  run.outcomes = sqlite::read_outcomes(*reader, *tenant_id, id, *run.graph);
  return run;
}

std::vector<HistoryEntry> SqliteStore::history(std::string_view tenant, domain::ExecutionId id, std::int64_t after,
                                               std::size_t limit) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return {};
  auto reader = inner_->readers.borrow();
  sqlite::Scoped query = (*reader).use(
      "SELECT sequence, at, kind, task_key, detail FROM history WHERE tenant_id = ?1 AND run = ?2 AND sequence > ?3"
      " ORDER BY sequence LIMIT ?4");
  query->bind(1, *tenant_id).bind(2, id.uuid).bind(3, after).bind(4, static_cast<std::int64_t>(limit));
  std::vector<HistoryEntry> entries;
  while (query->step()) {
    entries.push_back({query->integer(0),
                       query->time(1),
                       {static_cast<domain::HistoryKind>(query->integer(2)), query->text(3), query->text(4)}});
  }
  return entries;
}

}  // namespace semel::store
