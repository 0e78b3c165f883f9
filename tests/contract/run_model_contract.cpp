#include <algorithm>
#include <map>

#include "store/memory/memory_store.hpp"
#include "tests/contract/random_runs.hpp"
#include "tests/contract/store_contract.hpp"

/// Random commands about runs, given to the store under test and to the memory store: all that can be seen must be the
/// same, also after the store was opened again between any two commits.
namespace semel::test {
namespace {

constexpr std::uint32_t run_sequences = 60;
constexpr int commands_a_sequence = 120;

/// Names the outcomes worth reaching, so that the test can say that its commands reached them.
std::string label_of_outcome(const Outcome& outcome) {
  if (const auto* answer = std::get_if<AttemptAnswer>(&outcome))
    return fmt::format("answer {}", static_cast<int>(answer->kind));
  if (const auto* answer = std::get_if<RunAnswer>(&outcome))
    return fmt::format("run {}", static_cast<int>(answer->kind));
  if (const auto* answer = std::get_if<CancelAnswer>(&outcome))
    return fmt::format("cancel {}", static_cast<int>(answer->kind));
  if (const auto* answer = std::get_if<ReopenAnswer>(&outcome))
    return fmt::format("reopen {}", static_cast<int>(answer->kind));
  if (const auto* removed = std::get_if<Removed>(&outcome))
    return fmt::format("remove {}", static_cast<int>(removed->kind));
  return "other";
}

/// Sorted: no order is promised between things that happen in one commit.
template <typename T>
std::string in_any_order(const std::vector<T>& values) {
  std::vector<std::string> lines;
  for (const T& value : values) lines.push_back(describe(value));
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string all_of_run(Store& store, const std::string& tenant, domain::ExecutionId run) {
  std::vector<HistoryEntry> history = store.history(tenant, run, 0, 10'000);
  for (HistoryEntry& entry : history) entry.sequence = 0;
  ListQuery query{tenant};
  query.run = run;
  query.limit = 1'000;
  return describe(store.run(tenant, run)) + "\n" + in_any_order(history) +
         in_any_order(store.list(query).value().executions);
}

std::string all_of(Store& store, const RandomRuns& random) {
  std::string text = "next timer " + describe(store.next_timer()) + "\n";
  for (const domain::ExecutionId id : random.executions()) {
    text += describe(store.find(random.tenant(), id)) + " " + describe(store.find_tombstone(random.tenant(), id)) +
            "\n" + describe_all(store.attempts(random.tenant(), id));
  }
  for (const domain::ExecutionId run : random.runs()) text += all_of_run(store, random.tenant(), run);
  for (const Hash32& hash : random.hashes()) text += describe(store.find_holder(random.tenant(), hash)) + "\n";
  return text + describe_all(store.queue_depths());
}

class RunModelContract : public StoreContract {
 protected:
  /// One sequence on fresh stores; stops at the first difference.
  void run(std::uint32_t seed) {
    fresh_ = GetParam().make({});
    model_clock_.set(ManualClock::start);
    model_.emplace(model_clock_);
    RandomRuns random(seed);
    for (int count = 0; count < commands_a_sequence && !HasFailure(); ++count) {
      SCOPED_TRACE(fmt::format("seed {}, command {}", seed, count));
      const Duration step = random.step_of_time();
      model_clock_.advance(step);
      fresh_->clock().advance(step);
      if (random.chance(10)) fresh_->reopen();
      if (random.chance(20)) fresh_->rest();
      apply_to_both(random.command(), random);
      if (random.chance(10)) compare(random);
    }
    if (!HasFailure()) compare(random);
  }

  std::map<std::string, int> reached_;

 private:
  void apply_to_both(const Command& command, RandomRuns& random) {
    const Applied expected = model_->apply({&command, 1});
    const Applied actual = fresh_->store().apply({&command, 1});
    ASSERT_EQ(describe_all(actual.outcomes), describe_all(expected.outcomes));
    EXPECT_EQ(in_any_order(actual.changes), in_any_order(expected.changes));
    EXPECT_EQ(in_any_order(actual.ready), in_any_order(expected.ready));
    EXPECT_EQ(in_any_order(actual.gone), in_any_order(expected.gone));
    random.learn(command, expected.outcomes[0]);
    random.learn(expected.changes);
    ++reached_[label_of_outcome(expected.outcomes[0])];
    for (const Change& change : expected.changes) ++reached_[fmt::format("came to {}", name_of(change.state))];
    if (!expected.ready.empty()) ++reached_["ready"];
    if (expected.gone.size() > 1) ++reached_["gone with its tasks"];
  }

  void compare(const RandomRuns& random) {
    const std::string expected = all_of(*model_, random);
    const std::string actual = all_of(fresh_->store(), random);
    EXPECT_EQ(actual, expected);
  }

  ManualClock model_clock_;
  std::optional<store::MemoryStore> model_;
  std::unique_ptr<StoreUnderTest> fresh_;
};

/// PostgreSQL once: where what has closed is put away, steps meet holders of their keys there too.
std::vector<StoreFactory> stores_of_runs() {
  std::vector<StoreFactory> stores = all_stores();
  std::erase_if(stores, [](const StoreFactory& each) { return each.name == "postgres"; });
  return stores;
}
INSTANTIATE_TEST_SUITE_P(Stores, RunModelContract, testing::ValuesIn(stores_of_runs()), store_name);

TEST_P(RunModelContract, RandomCommandsAboutRunsComeToTheSameAsInTheMemoryStore) {
  const Sequences chosen = sequences_on(GetParam(), run_sequences);
  for (std::uint32_t seed = chosen.first; seed <= chosen.last && !HasFailure(); ++seed) run(seed);
  if (HasFailure() || !chosen.are_all) return;  // what all of them reach, a part need not

  for (const std::string_view label : {"answer 0",
                                       "answer 1",
                                       "answer 2",
                                       "run 0",
                                       "run 1",
                                       "run 2",
                                       "run 3",
                                       "cancel 1",
                                       "cancel 2",
                                       "reopen 1",
                                       "reopen 2",
                                       "remove 1",
                                       "remove 2",
                                       "remove 3",
                                       "remove 4",
                                       "came to suspended",
                                       "came to completed",
                                       "came to failed",
                                       "came to cancelled",
                                       "came to timed_out",
                                       "ready",
                                       "gone with its tasks"}) {
    EXPECT_GE(reached_[std::string(label)], 5) << label;
  }
}

}  // namespace
}  // namespace semel::test
