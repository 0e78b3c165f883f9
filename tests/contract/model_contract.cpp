#include <algorithm>
#include <map>
#include <set>

#include "store/memory/memory_store.hpp"
#include "tests/contract/everything.hpp"
#include "tests/contract/random_commands.hpp"
#include "tests/contract/store_contract.hpp"

/// Random commands, given to the store under test and to the memory store: all that can be seen must be the
/// same. What is compared with what holds for the memory store too: no identity is held twice, and a probe
/// agrees with apply.
namespace semel::test {
namespace {

constexpr std::uint32_t sequences = 150;
constexpr int batches_a_sequence = 60;  // long enough for submit, claim, complete, remove and submit again

/// Names the outcomes worth reaching, so that the test can say that its commands reached them.
std::string label_of(const Outcome& outcome) {
  if (const Created* created = std::get_if<Created>(&outcome)) return created->previous ? "took over" : "created";
  if (const Held* held = std::get_if<Held>(&outcome)) {
    return fmt::format("held by {}{}", held->by_id ? "id, " : "", held->execution ? "an execution" : "a tombstone");
  }
  if (const Claimed* claimed = std::get_if<Claimed>(&outcome))
    return claimed->leases.empty() ? "none ready" : "claimed";
  if (const AttemptAnswer* answer = std::get_if<AttemptAnswer>(&outcome)) {
    return fmt::format("answer {} {}", static_cast<int>(answer->kind),
                       answer->state ? name_of(*answer->state) : "unknown");
  }
  if (const CancelAnswer* answer = std::get_if<CancelAnswer>(&outcome))
    return fmt::format("cancel {}", static_cast<int>(answer->kind));
  if (const ReopenAnswer* answer = std::get_if<ReopenAnswer>(&outcome))
    return fmt::format("reopen {}", static_cast<int>(answer->kind));
  if (const GivenBack* back = std::get_if<GivenBack>(&outcome)) return back->count > 0 ? "given back" : "other";
  if (const Removed* removed = std::get_if<Removed>(&outcome))
    return fmt::format("remove {}", static_cast<int>(removed->kind));
  if (const Swept* swept = std::get_if<Swept>(&outcome))
    return swept->executions > 0 ? "swept" : swept->tombstones > 0 ? "swept tombstones" : "nothing swept";
  if (const Released* released = std::get_if<Released>(&outcome))
    return fmt::format("release {}", static_cast<int>(released->kind));
  if (const ScheduleAdvanced* advanced = std::get_if<ScheduleAdvanced>(&outcome))
    return !advanced->schedule ? "not as seen" : advanced->firings.empty() ? "advanced" : "fired";
  return "other";
}

class ModelContract : public StoreContract {
 protected:
  /// One sequence on fresh stores; stops at the first difference.
  void run(std::uint32_t seed) {
    fresh_ = GetParam().make({});
    model_clock_.set(ManualClock::start);
    model_.emplace(model_clock_);
    RandomCommands random(seed);
    for (int count = 0; count < batches_a_sequence && !HasFailure(); ++count) {
      const std::vector<Command> batch = random.batch();
      SCOPED_TRACE(fmt::format("seed {}, batch {}", seed, count));
      disturb(random);
      apply_to_both(batch, random);
      if (random.chance(10)) compare_everything(random, Details::of_its_tenant);
    }
    if (!HasFailure()) compare_everything(random, Details::of_everyone);
  }

  std::map<std::string, int> reached_;

 private:
  Store& tested() { return fresh_->store(); }

  /// What happens around a store between two batches: time, restarts, housekeeping, a clock that is set back.
  void disturb(RandomCommands& random) {
    if (random.chance(5)) set_time(model_clock_.now() - 30min);  // from a time that both have seen
    set_time(std::min(model_clock_.now() + random.step(), last_time()));
    if (random.chance(25)) tested().tidy_up();
    if (random.chance(25)) fresh_->rest();
    if (random.chance(5)) {
      set_time(model_->now());  // a restart with the clock set back is tried in DurableContract
      fresh_->reopen();
    }
  }

  /// What was put away goes with its days when their time has passed, and the model only when it is swept.
  static Time last_time() {
    const bool goes_by_days = GetParam().name == "postgres_put_away";
    return goes_by_days ? ManualClock::start + domain::default_task_retention - 1ms : Time::max();
  }

  void set_time(Time time) {
    model_clock_.set(time);
    fresh_->clock().set(time);
  }

  void apply_to_both(std::vector<Command> batch, RandomCommands& random) {
    const std::optional<std::string> probed = probe_first(batch);
    const Applied expected = model_->apply(batch);
    const Applied actual = tested().apply(batch);
    EXPECT_EQ(describe(actual.now), describe(expected.now));
    ASSERT_EQ(describe_all(actual.outcomes), describe_all(expected.outcomes));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      random.learn(expected.outcomes[i]);
      ++reached_[label_of(expected.outcomes[i])];
    }
    EXPECT_EQ(describe_changes(actual.changes), describe_changes(expected.changes));
    EXPECT_EQ(describe_ready(actual.ready), describe_ready(expected.ready));
    EXPECT_EQ(describe_gone(actual.gone), describe_gone(expected.gone));
    if (!expected.gone.empty()) ++reached_["gone at once"];
    if (!expected.ready.empty()) ++reached_["promoted"];
    random.learn(expected.changes);
    for (const Change& change : expected.changes) ++reached_[fmt::format("came to {}", name_of(change.state))];
    if (!probed) return;
    const Held* held = std::get_if<Held>(&actual.outcomes[0]);
    EXPECT_EQ(*probed, held == nullptr ? "-" : describe(*held));
  }

  /// Sorted: no order is promised between kinds of commands, nor between leases that end at one tick.
  static std::string describe_changes(std::vector<Change> changes) {
    std::sort(changes.begin(), changes.end());
    return describe_all(changes);
  }

  static std::string describe_gone(std::vector<domain::Execution> gone) {
    std::sort(gone.begin(), gone.end(), [](const auto& one, const auto& other) { return one.spec.id < other.spec.id; });
    return describe_all(gone);
  }

  static std::string describe_ready(std::vector<Ready> ready) {
    std::sort(ready.begin(), ready.end());
    return describe_all(ready);
  }

  /// What a probe says of the batch's first submission, which no other command comes before. All submissions are
  /// probed, as the engine does, so that the store applies them with the notes it left itself.
  std::optional<std::string> probe_first(std::vector<Command>& batch) {
    std::vector<Submit*> submissions;
    for (Command& command : batch) {
      if (auto* submit = std::get_if<Submit>(&command)) submissions.push_back(submit);
    }
    const std::vector<std::optional<Held>> probed = tested().probe(submissions);
    if (!std::holds_alternative<Submit>(batch[0])) return std::nullopt;
    return describe(probed.at(0));
  }

  void compare_everything(const RandomCommands& random, Details details) {
    const std::string expected = everything(*model_, random, details);
    const std::string actual = everything(tested(), random, details);
    EXPECT_EQ(actual, expected);
    expect_every_identity_held_once(random);
  }

  /// Of all open executions that carry an identity and were not released, there is one at most: its holder. Asked of
  /// the model, which the store under test has just been found to be the same as: it is quicker.
  void expect_every_identity_held_once(const RandomCommands& random) {
    const std::set<domain::ExecutionId> ids(random.executions().begin(), random.executions().end());
    for (const std::string& tenant : random.tenants()) {
      for (const domain::ExecutionId id : ids) {
        const std::optional<domain::Execution> execution = model_->find(tenant, id);
        if (!execution || execution->spec.identity.mode == domain::Mode::none) continue;
        if (is_closed(execution->state) || execution->released_at) continue;
        const std::optional<Held> held = model_->find_holder(tenant, execution->spec.identity.hash);
        EXPECT_EQ(held ? describe(held->holder.id) : "nobody", describe(id));
      }
    }
  }

  ManualClock model_clock_;
  std::optional<store::MemoryStore> model_;
  std::unique_ptr<StoreUnderTest> fresh_;
};

/// PostgreSQL once: where what has closed is put away now and then, it does everything that it does elsewhere too.
std::vector<StoreFactory> stores_to_compare() {
  std::vector<StoreFactory> stores = all_stores();
  std::erase_if(stores, [](const StoreFactory& each) { return each.name == "postgres"; });
  return stores;
}
INSTANTIATE_TEST_SUITE_P(Stores, ModelContract, testing::ValuesIn(stores_to_compare()), store_name);

TEST_P(ModelContract, RandomCommandsComeToTheSameAsInTheMemoryStore) {
  const Sequences chosen = sequences_on(GetParam(), sequences);
  for (std::uint32_t seed = chosen.first; seed <= chosen.last && !HasFailure(); ++seed) run(seed);
  if (HasFailure() || !chosen.are_all) return;  // what all of them reach, a part need not

  for (const std::string_view label : {"created",
                                       "took over",
                                       "held by an execution",
                                       "held by a tombstone",
                                       "held by id, an execution",
                                       "held by id, a tombstone",
                                       "claimed",
                                       "none ready",
                                       "answer 0 completed",
                                       "answer 0 failed",
                                       "answer 0 cancelled",
                                       "answer 0 running",
                                       "answer 1 completed",
                                       "answer 1 failed",
                                       "answer 2 timed_out",
                                       "answer 2 completed",
                                       "answer 2 unknown",
                                       "cancel 0",
                                       "cancel 1",
                                       "cancel 2",
                                       "cancel 3",
                                       "remove 0",
                                       "remove 1",
                                       "remove 2",
                                       "remove 3",
                                       "release 0",
                                       "release 1",
                                       "release 2",
                                       "came to timed_out",
                                       "came to pending",
                                       "answer 0 pending",
                                       "reopen 0",
                                       "reopen 1",
                                       "reopen 2",
                                       "reopen 3",
                                       "given back",
                                       "came to cancelled",
                                       "promoted",
                                       "swept",
                                       "swept tombstones",
                                       "gone at once",
                                       "not as seen",
                                       "advanced",
                                       "fired"}) {
    EXPECT_GE(reached_[std::string(label)], 10) << label;
  }
}

}  // namespace
}  // namespace semel::test
