#include <random>

#include "domain/workflow/graph_view.hpp"
#include "tests/contract/run_fixture.hpp"
#include "tests/support/any_dag.hpp"

/// Whatever the order in which tasks end, and whatever is said twice or interrupted between two commits: a run comes to
/// the same end, and no step starts before what it depends on.
namespace semel::test {
namespace {

using domain::AnyDag;
using domain::StepState;

class RunOrderContract : public RunContract {
 protected:
  /// What is left of a run at its end, however it came there.
  struct End {
    std::vector<StepState> states;
    std::optional<State> state;
    std::optional<std::string> result;

    bool operator==(const End&) const = default;
  };

  /// A task that has not ended in time and one that has failed are the same to all others.
  static StepState without_time(StepState state) { return state == StepState::timed_out ? StepState::failed : state; }

  static std::vector<StepState> expected_states(const domain::Graph& graph, const AnyDag& dag) {
    std::vector<StepState> states = domain::expected_states(graph, dag);
    for (StepState& state : states) state = without_time(state);
    return states;
  }

  /// Leases what is ready. Its upstreams have ended.
  void lease_ready() {
    for (const Lease& lease : claim(100, 24h)) {
      ASSERT_TRUE(lease.input.has_value());
      for (const domain::Upstream& upstream : lease.input->upstream) {
        EXPECT_TRUE(domain::is_closed(upstream.state))
            << lease.execution.spec.step->task_key << " started before " << upstream.step;
      }
      EXPECT_EQ(lease.execution.attempt, 1);
      leased_.push_back(lease);
    }
    after_commit();
  }

  void after_commit() {
    if (crashes_) crash();
  }

  void end_one(const AnyDag& dag, std::mt19937& random) {
    const auto place = static_cast<std::ptrdiff_t>(random() % leased_.size());
    const Lease lease = leased_[static_cast<std::size_t>(place)];
    leased_.erase(leased_.begin() + place);
    const domain::TaskOutcome outcome = dag.outcome_of(lease.execution.spec.step->task_key);
    if (outcome.state == State::cancelled) {
      cancel_by(lease.execution.spec.id, true);
      after_commit();
      if (random() % 2 == 0) {
        EXPECT_EQ(complete(lease.attempt_id, "1").kind, AttemptAnswer::Kind::stale);
      }
      return;
    }
    for (int times = random() % 2 == 0 ? 2 : 1; times > 0; --times) {
      const AttemptAnswer answer =
          outcome.state == State::completed ? complete(lease.attempt_id, outcome.result) : fail(lease.attempt_id);
      EXPECT_NE(answer.kind, AttemptAnswer::Kind::stale);
      if (random() % 8 == 0) reopen();
      after_commit();
    }
  }

  End run_to_its_end(const std::vector<domain::Step>& steps, const AnyDag& dag, std::mt19937& random) {
    const ExecutionId run = start(steps);
    after_commit();
    for (lease_ready(); !leased_.empty() && !HasFailure(); lease_ready()) end_one(dag, random);
    End end;
    for (const domain::StepFacts& each : read_run(run).facts.steps) end.states.push_back(without_time(each.state));
    const std::optional<domain::Execution> execution = find(run);
    end.state = execution->state;
    end.result = execution->result;
    if (end.state == State::suspended) cancel_by(run);  // a step is blocked
    return end;
  }

  std::vector<Lease> leased_;
  bool crashes_ = false;  // after every commit
};
SEMEL_ON_ALL_STORES(RunOrderContract);

TEST_P(RunOrderContract, EveryOrderWithRepetitionsAndRestartsComesToTheSame) {
  constexpr std::uint32_t dags = 40;
  constexpr int orders = 3;
  std::mt19937 random(7);
  for (std::uint32_t seed = 1; seed <= dags && !HasFailure(); ++seed) {
    AnyDag dag(seed);
    const domain::Graph graph = dag.any_graph(8);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, domain::graph_mermaid(graph)));

    const End first = run_to_its_end(graph.steps(), dag, random);

    EXPECT_EQ(first.states, expected_states(graph, dag));
    for (int order = 1; order < orders; ++order) EXPECT_EQ(run_to_its_end(graph.steps(), dag, random), first);
  }
}

TEST_P(RunOrderContract, ACrashAfterEveryCommitChangesNothing) {
  constexpr std::uint32_t dags = 4;
  std::mt19937 random(11);
  for (std::uint32_t seed = 1; seed <= dags && !HasFailure(); ++seed) {
    AnyDag dag(seed);
    const domain::Graph graph = dag.any_graph(8);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, domain::graph_mermaid(graph)));
    crashes_ = false;
    const End undisturbed = run_to_its_end(graph.steps(), dag, random);

    crashes_ = true;
    const End crashed = run_to_its_end(graph.steps(), dag, random);

    EXPECT_EQ(crashed, undisturbed);
  }
}

}  // namespace
}  // namespace semel::test
