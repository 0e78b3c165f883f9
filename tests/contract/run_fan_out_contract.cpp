#include "tests/contract/run_fixture.hpp"

namespace semel::test {
namespace {

using Keys = std::vector<std::string>;

/// One task for each element of an array, and what they come to together.
class RunFanOutContract : public RunContract {
 protected:
  /// list → mail, one for each → sum
  ExecutionId fanned_out(const std::string& users, std::optional<int> max_parallel = {},
                         domain::Join join = domain::Join::all) {
    const ExecutionId run = start({Builder("list"), Builder("mail", {"list"}).for_each("list", "", max_parallel, join),
                                   Builder("sum", {"mail"})});
    lease_all();
    finish("list", users);
    return run;
  }
  static std::string numbers(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i == 0 ? "[" : ",") + std::to_string(i);
    return text + "]";
  }
};
SEMEL_ON_ALL_STORES(RunFanOutContract);

TEST_P(RunFanOutContract, AThousandItemsAreWorkedOffAndJoined) {
  constexpr int count = 1'000;
  const ExecutionId run = fanned_out(numbers(count), 100);
  std::vector<std::string> expected(count);

  std::size_t worked = 0;
  while (worked < count) {
    const Keys keys = lease_all();
    ASSERT_FALSE(keys.empty());
    EXPECT_LE(keys.size(), 100u);
    worked += keys.size();
    std::vector<Command> answers;
    for (const std::string& key : keys) {
      const Lease& lease = lease_of(key);
      expected.at(lease.input->index.value()) = lease.execution.spec.step->item.value();
      answers.push_back(Complete{std::string(default_tenant), lease.attempt_id, lease.execution.spec.step->item});
    }
    apply_all(answers);
  }

  EXPECT_EQ(worked, std::size_t{count});
  EXPECT_EQ(lease_all(), Keys{"sum"});
  EXPECT_EQ(lease_of("sum").input.value().upstream.at(0).result, numbers(count));
  EXPECT_EQ(expected.at(999), "999");
  finish("sum");
  EXPECT_EQ(state_of(run), State::completed);
}

TEST_P(RunFanOutContract, ItemsKnowTheirItemAndIndex) {
  const ExecutionId run = fanned_out(R"([{"id": 1.0}, "two"])");

  EXPECT_EQ(lease_all(), (Keys{"mail[0]", "mail[1]"}));
  EXPECT_EQ(lease_of("mail[0]").execution.spec.step, (domain::StepOf{run, "mail[0]", R"({"id":1})"}));
  EXPECT_EQ(lease_of("mail[1]").execution.spec.step, (domain::StepOf{run, "mail[1]", R"("two")"}));
  EXPECT_EQ(lease_of("mail[1]").input.value().index, 1u);
  EXPECT_EQ(lease_of("mail[1]").input.value().upstream.at(0).result, R"([{"id": 1.0}, "two"])");
}

TEST_P(RunFanOutContract, OnlySoManyItemsAreGivenOutAtOnce) {
  const ExecutionId run = fanned_out("[1,2,3,4]", 2);

  EXPECT_EQ(lease_all(), (Keys{"mail[0]", "mail[1]"}));
  const domain::Execution held = task_of(run, "mail[2]");
  EXPECT_EQ(held.state, State::pending);
  EXPECT_TRUE(lease_all().empty());
  finish("mail[1]");
  EXPECT_EQ(ready_, (std::vector<Ready>{{std::string(default_tenant), std::string(default_queue), "do_mail"}}));
  EXPECT_EQ(lease_all(), Keys{"mail[2]"});
  give_up("mail[2]");
  EXPECT_EQ(lease_all(), Keys{"mail[3]"});
}

TEST_P(RunFanOutContract, HeldItemsAreNotCountedAsReady) {
  fanned_out("[1,2,3,4]", 1);

  const std::vector<QueueDepth> depths = store().queue_depths();

  ASSERT_EQ(depths.size(), 1u);
  EXPECT_EQ(depths[0].ready, 1u);
  EXPECT_EQ(depths[0].waiting + depths[0].blocked + depths[0].running, 0u);
}

TEST_P(RunFanOutContract, AFanOutOverNothingIsDoneAtOnce) {
  fanned_out("[]");

  EXPECT_EQ(lease_all(), Keys{"sum"});
  EXPECT_EQ(lease_of("sum").input.value().upstream.at(0).result, "[]");
}

TEST_P(RunFanOutContract, AFanOutOverNoArrayFailsItsStep) {
  const ExecutionId run = fanned_out(R"({"no": "array"})");

  EXPECT_EQ(states(run), "list=completed mail=failed(unfit) sum=cancelled(upstream_failed)");
  EXPECT_EQ(state_of(run), State::failed);
  const StoredRun stored = read_run(run);
  ASSERT_EQ(stored.outcomes.size(), 1u);
  EXPECT_EQ(stored.outcomes[0].step, 1u);
  EXPECT_NE(stored.outcomes[0].error.value_or("").find("FOR_EACH_UNFIT"), std::string::npos);
}

TEST_P(RunFanOutContract, OneFailedItemFailsTheStepWhenAllHaveEnded) {
  const ExecutionId run = fanned_out("[1,2,3]");
  lease_all();

  give_up("mail[0]");
  EXPECT_EQ(state_of(run), State::suspended);
  finish("mail[1]");
  finish("mail[2]");

  EXPECT_EQ(states(run), "list=completed mail=failed sum=cancelled(upstream_failed)");
  EXPECT_EQ(read_run(run).outcomes.at(0).error,
            R"({"type":"ITEMS_FAILED","message":"1 of 3 items did not complete; the first is [0]"})");
}

TEST_P(RunFanOutContract, ASettledFanOutTellsWhatEachItemCameTo) {
  fanned_out("[1,2]", {}, domain::Join::settled);
  lease_all();
  finish("mail[1]", "22");
  give_up("mail[0]");

  EXPECT_EQ(lease_all(), Keys{"sum"});
  EXPECT_EQ(lease_of("sum").input.value().upstream.at(0).result,
            R"([{"status":"failed","error":{"type":"BOOM","message":"x"}},{"status":"completed","result":22}])");
}

TEST_P(RunFanOutContract, RetryingTriesTheItemsAgainThatDidNotComplete) {
  const ExecutionId run = fanned_out("[1,2,3,4]", 2);
  lease_all();
  give_up("mail[0]");
  give_up("mail[1]");
  lease_all();
  finish("mail[2]", "3");
  give_up("mail[3]");
  EXPECT_EQ(state_of(run), State::failed);

  EXPECT_EQ(retry_steps(run).kind, RunAnswer::Kind::done);

  EXPECT_EQ(lease_all(), (Keys{"mail[0]", "mail[1]"}));
  EXPECT_EQ(lease_of("mail[0]").execution.attempt, 2);
  finish("mail[0]", "1");
  EXPECT_EQ(lease_all(), Keys{"mail[3]"});
  finish("mail[3]", "4");
  finish("mail[1]", "2");
  EXPECT_EQ(lease_all(), Keys{"sum"});
  EXPECT_EQ(lease_of("sum").input.value().upstream.at(0).result, "[1,2,3,4]");
}

TEST_P(RunFanOutContract, CancellingEndsHeldItemsToo) {
  const ExecutionId run = fanned_out("[1,2,3]", 1);
  lease_all();

  EXPECT_EQ(cancel_by(run).kind, CancelAnswer::Kind::requested);

  EXPECT_EQ(task_of(run, "mail[1]").state, State::cancelled);
  EXPECT_EQ(task_of(run, "mail[2]").state, State::cancelled);
  EXPECT_EQ(state_of(run), State::suspended);
  finish("mail[0]");
  EXPECT_EQ(state_of(run), State::cancelled);
}

TEST_P(RunFanOutContract, AHeldItemCanBeCancelledByItself) {
  const ExecutionId run = fanned_out("[1,2,3]", 1);
  lease_all();

  EXPECT_EQ(cancel_by(task_in(run, "mail[1]")).kind, CancelAnswer::Kind::cancelled);

  EXPECT_TRUE(lease_all().empty());
  finish("mail[0]");
  EXPECT_EQ(lease_all(), Keys{"mail[2]"});
  finish("mail[2]");
  EXPECT_EQ(states(run), "list=completed mail=failed sum=cancelled(upstream_failed)");
}

TEST_P(RunFanOutContract, HeldItemsStayHeldWhenTheLimitsOfTheQueueChange) {
  create(run_of({Builder("mail").for_each("", "", 1)}, "[1,2,3]").concurrency_key("k"));
  domain::QueueOptions options;
  options.max_running_per_key = 5;

  put_queue(options);
  promote();

  EXPECT_EQ(lease_all(), Keys{"mail[0]"});
  finish("mail[0]");
  EXPECT_EQ(lease_all(), Keys{"mail[1]"});
}

}  // namespace
}  // namespace semel::test
