#include <algorithm>
#include <map>

#include "store/memory/memory_store.hpp"
#include "tests/contract/random_workflows.hpp"
#include "tests/contract/store_contract.hpp"

/// Random commands about code workflows, given to the store under test and to the memory store: all that can be seen
/// must be the same, also after the store was opened again between any two commits.
namespace semel::test {
namespace {

constexpr std::uint32_t workflow_sequences = 60;
constexpr int commands_in_sequence = 150;

std::string label_of_answer(const Outcome& outcome) {
  if (const auto* answer = std::get_if<AttemptAnswer>(&outcome))
    return fmt::format("answer {}", static_cast<int>(answer->kind));
  if (const auto* answer = std::get_if<SignalAnswer>(&outcome))
    return fmt::format("signal {}", static_cast<int>(answer->kind));
  if (const auto* answer = std::get_if<SettleAnswer>(&outcome))
    return fmt::format("settle {}", static_cast<int>(answer->kind));
  if (const auto* answer = std::get_if<CancelAnswer>(&outcome))
    return fmt::format("cancel {}", static_cast<int>(answer->kind));
  if (const auto* removed = std::get_if<Removed>(&outcome))
    return fmt::format("remove {}", static_cast<int>(removed->kind));
  return std::holds_alternative<Rejected>(outcome) ? "rejected" : "other";
}

/// Sorted: no order is promised between things that happen in one commit.
template <typename T>
std::string unordered(const std::vector<T>& values) {
  std::vector<std::string> lines;
  for (const T& value : values) lines.push_back(describe(value));
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string without_order(std::vector<HistoryEntry> entries) {
  for (HistoryEntry& entry : entries) entry.sequence = 0;
  return unordered(entries);
}

std::string without_order(Outcome outcome) {
  std::string events;
  if (auto* claimed = std::get_if<Claimed>(&outcome)) {
    for (Lease& lease : claimed->leases) {
      if (lease.activation) events += without_order(std::exchange(lease.activation->events, {}));
    }
  }
  return describe(outcome) + "\n" + events;
}

std::string all_of_workflow(Store& store, const std::string& tenant, domain::ExecutionId id) {
  ListQuery query{tenant};
  query.run = id;
  query.limit = 1'000;
  return describe(store.workflow(tenant, id)) + "\n" + without_order(store.history(tenant, id, 0, 10'000)) +
         unordered(store.list(query).value().executions);
}

std::string all_there_is(Store& store, const RandomWorkflows& random) {
  std::string text = "next timer " + describe(store.next_timer()) + "\n";
  for (const domain::ExecutionId id : random.executions()) {
    text += describe(store.find(random.tenant(), id)) + " " + describe(store.find_tombstone(random.tenant(), id)) +
            "\n" + describe_all(store.attempts(random.tenant(), id));
  }
  for (const domain::ExecutionId id : random.workflows()) text += all_of_workflow(store, random.tenant(), id);
  for (const Hash32& hash : random.hashes()) text += describe(store.find_holder(random.tenant(), hash)) + "\n";
  return text + describe_all(store.queue_depths());
}

/// A workflow that counted more than it has would never close when it is cancelled, one that counted less too soon.
void expect_counts(Store& store, const std::string& tenant, domain::ExecutionId id) {
  const std::optional<StoredWorkflow> workflow = store.workflow(tenant, id);
  if (!workflow || workflow->facts.phase == domain::RunPhase::closed) return;
  ListQuery query{tenant};
  query.run = id;
  query.limit = 1'000;
  const std::vector<domain::Execution> children = store.list(query).value().executions;
  const auto open = std::count_if(children.begin(), children.end(),
                                  [](const domain::Execution& child) { return domain::is_open(child.state); });
  EXPECT_EQ(workflow->facts.open_children, open) << id.text();
}

class WorkflowModelContract : public StoreContract {
 protected:
  /// One sequence on fresh stores; stops at the first difference.
  void run(std::uint32_t seed) {
    fresh_ = GetParam().make({});
    model_clock_.set(ManualClock::start);
    model_.emplace(model_clock_);
    RandomWorkflows random(seed);
    for (int count = 0; count < commands_in_sequence && !HasFailure(); ++count) {
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
  void apply_to_both(const Command& command, RandomWorkflows& random) {
    const Applied expected = model_->apply({&command, 1});
    const Applied actual = fresh_->store().apply({&command, 1});
    ASSERT_EQ(without_order(actual.outcomes.at(0)), without_order(expected.outcomes.at(0)));
    EXPECT_EQ(unordered(actual.changes), unordered(expected.changes));
    EXPECT_EQ(unordered(actual.ready), unordered(expected.ready));
    EXPECT_EQ(unordered(actual.gone), unordered(expected.gone));
    random.learn(command, expected.outcomes[0]);
    random.learn(expected.changes);
    ++reached_[label_of_answer(expected.outcomes[0])];
    for (const Change& change : expected.changes) {
      const std::string_view kind = name_of(change.kind);
      ++reached_[fmt::format("{} {}", kind, name_of(change.state))];
    }
    if (expected.gone.size() > 1) ++reached_["gone together"];
  }

  void compare(const RandomWorkflows& random) {
    for (const domain::ExecutionId id : random.workflows()) {
      expect_counts(*model_, random.tenant(), id);
      for (const HistoryEntry& entry : model_->history(random.tenant(), id, 0, 10'000))
        kinds_[std::string(domain::name_of(entry.event.kind))] += 1;
    }
    EXPECT_EQ(all_there_is(fresh_->store(), random), all_there_is(*model_, random));
  }

  ManualClock model_clock_;
  std::optional<store::MemoryStore> model_;
  std::unique_ptr<StoreUnderTest> fresh_;

 protected:
  std::map<std::string, int> kinds_;  // of events that were seen
};

/// PostgreSQL once.
std::vector<StoreFactory> stores_of_workflows() {
  std::vector<StoreFactory> stores = all_stores();
  std::erase_if(stores, [](const StoreFactory& each) { return each.name == "postgres"; });
  return stores;
}
INSTANTIATE_TEST_SUITE_P(Stores, WorkflowModelContract, testing::ValuesIn(stores_of_workflows()), store_name);

TEST_P(WorkflowModelContract, RandomCommandsAboutWorkflowsComeToTheSameAsInTheMemoryStore) {
  const Sequences chosen = sequences_on(GetParam(), workflow_sequences);
  for (std::uint32_t seed = chosen.first; seed <= chosen.last && !HasFailure(); ++seed) run(seed);
  if (HasFailure() || !chosen.are_all) return;  // what all of them reach, a part need not

  for (const std::string_view reached :
       {"answer 0",           "answer 1",           "answer 2",           "signal 0",           "signal 1",
        "signal 2",           "signal 3",           "settle 0",           "settle 1",           "settle 2",
        "cancel 1",           "cancel 2",           "remove 1",           "remove 2",           "remove 3",
        "remove 4",           "rejected",           "workflow suspended", "workflow completed", "workflow failed",
        "workflow cancelled", "workflow timed_out", "promise completed",  "promise failed",     "promise cancelled",
        "promise timed_out",  "task completed",     "task failed",        "task cancelled",     "task suspended",
        "gone together"})
    EXPECT_GE(reached_[std::string(reached)], 5) << reached;
  for (const std::string_view kind :
       {"task_attached", "timer_started", "timer_fired", "timer_cancelled", "child_started", "promise_created",
        "signal_received", "marker", "task_cancel_requested", "continued", "key_conflict", "run_timed_out"})
    EXPECT_GE(kinds_[std::string(kind)], 5) << kind;
}

}  // namespace
}  // namespace semel::test
