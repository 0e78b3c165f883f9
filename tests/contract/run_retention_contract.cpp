#include "tests/contract/run_fixture.hpp"

namespace semel::test {
namespace {

/// A run goes as one, with its tasks and its history.
class RunRetentionContract : public RunContract {
 protected:
  std::vector<domain::Step> pair() { return {Builder("a"), Builder("b", {"a"})}; }

  void expect_gone(ExecutionId run) {
    EXPECT_EQ(find(run), std::nullopt);
    EXPECT_EQ(find(task_in(run, "a")), std::nullopt);
    EXPECT_EQ(find(task_in(run, "b")), std::nullopt);
    EXPECT_EQ(store().run(default_tenant, run), std::nullopt);
    EXPECT_TRUE(store().history(default_tenant, run, 0, 10).empty());
  }
  Swept sweep() { return as<Swept>(apply(Sweep{1000})); }
};
SEMEL_ON_STORES_THAT_SWEEP_ONE_BY_ONE(RunRetentionContract);

TEST_P(RunRetentionContract, ARunIsRemovedWithAllThatItHas) {
  const ExecutionId run = start(pair());
  EXPECT_EQ(remove(run), Removed::Kind::still_open);
  work_off();

  EXPECT_EQ(remove(run), Removed::Kind::removed);

  expect_gone(run);
}

TEST_P(RunRetentionContract, ATaskOfARunIsNotRemovedWithoutIt) {
  const ExecutionId run = start(pair());
  work_off();

  EXPECT_EQ(remove(task_in(run, "a")), Removed::Kind::goes_with_its_run);

  EXPECT_EQ(state_of(task_in(run, "a")), State::completed);
}

TEST_P(RunRetentionContract, TheSweeperKeepsTasksAsLongAsTheirRun) {
  const ExecutionId plain = create(task()).id;
  const ExecutionId run = start(pair());
  work_off();

  advance(domain::default_task_retention);
  sweep();

  EXPECT_EQ(find(plain), std::nullopt);
  EXPECT_EQ(state_of(run), State::completed);
  EXPECT_EQ(state_of(task_in(run, "a")), State::completed);
  advance(domain::default_run_retention);
  sweep();
  expect_gone(run);
}

TEST_P(RunRetentionContract, TheQueueOfARunSaysHowLongItIsKept) {
  domain::QueueOptions options;
  options.retention = 1h;
  put_queue(options, "runs");
  const ExecutionId run = create(run_of(pair()).queue("runs")).id;
  work_off();
  advance(1h - 1ms);
  sweep();
  EXPECT_EQ(state_of(run), State::completed);

  advance(1ms);
  sweep();

  expect_gone(run);
}

TEST_P(RunRetentionContract, OpenRunsAreNotSweptHoweverOldTheirTasks) {
  const ExecutionId run = start(pair());
  lease_all();
  finish("a");
  advance(2 * domain::default_run_retention);

  sweep();

  EXPECT_EQ(state_of(task_in(run, "a")), State::completed);
  work_off();
  EXPECT_EQ(state_of(run), State::completed);
}

TEST_P(RunRetentionContract, AQueueThatKeepsNothingRemovesARunWhenItEnds) {
  domain::QueueOptions options;
  options.retention = Duration{0};
  put_queue(options);
  const ExecutionId run = start(pair());
  lease_all();
  finish("a", "1");
  EXPECT_EQ(state_of(task_in(run, "a")), State::completed);  // as long as its run is open
  lease_all();

  const Complete last{std::string(default_tenant), lease_of("b").attempt_id, "2"};
  const Applied applied = store().apply(std::vector<Command>{last});

  std::vector<std::string> gone;
  for (const domain::Execution& each : applied.gone) {
    gone.push_back(each.spec.step ? each.spec.step->task_key : each.result.value_or("-"));
  }
  std::sort(gone.begin(), gone.end());
  EXPECT_EQ(gone, (std::vector<std::string>{"b", R"({"a":1,"b":2})"}));
  expect_gone(run);
}

TEST_P(RunRetentionContract, KeysThatAreStillHeldLeaveTombstones) {
  const ExecutionId run = create(run_of({Builder("a").key("k"), Builder("b", {"a"})}).key("order-7")).id;
  const Hash32 hash = task_of(run, "a").spec.identity.hash;
  work_off();

  EXPECT_EQ(remove(run), Removed::Kind::left_tombstone);

  expect_gone(run);
  EXPECT_EQ(find_holder(hash).value().holder.id, task_in(run, "a"));
  EXPECT_TRUE(find_holder(hash).value().holder.tombstone);
  EXPECT_EQ(find_tombstone(run).value().kind, domain::Kind::workflow);
}

TEST_P(RunRetentionContract, RunsWithTheSamePlanDoNotTakeItAwayFromEachOther) {
  const ExecutionId first = start(pair());
  work_off();
  const ExecutionId second = start(pair());

  EXPECT_EQ(remove(first), Removed::Kind::removed);
  reopen();

  work_off();
  EXPECT_EQ(state_of(second), State::completed);
  EXPECT_EQ(remove(second), Removed::Kind::removed);
  const ExecutionId third = start(pair());
  work_off();
  EXPECT_EQ(state_of(third), State::completed);
}

}  // namespace
}  // namespace semel::test
