#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// Every change of state is told with the batch that made it, and nothing else is.
class ChangeContract : public StoreContract {
 protected:
  /// The states that the last apply brought executions to.
  std::vector<State> states() const {
    std::vector<State> states;
    for (const Change& change : changes_) states.push_back(change.state);
    return states;
  }
  using States = std::vector<State>;
};
SEMEL_ON_ALL_STORES(ChangeContract);

TEST_P(ChangeContract, CreatingTellsWhatWasCreated) {
  const domain::ExecutionId id = create(task().queue("slow").handler("mail")).id;

  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(describe(changes_[0]), describe(Change{std::string(default_tenant), id, State::pending, "slow", "mail", "",
                                                   "", 0, true, false, true, std::nullopt}));
}

TEST_P(ChangeContract, ADuplicateChangesNothing) {
  create(task().key("a"));

  expect_held(task().key("a"));

  EXPECT_EQ(states(), States{});
}

TEST_P(ChangeContract, ATakeoverIsTold) {
  create(task().key("a"));
  complete(claim_one());

  create(task().key("a").reuse(Reuse::allow_duplicate));

  ASSERT_EQ(states(), States{State::pending});
  EXPECT_TRUE(changes_[0].took_over);
}

TEST_P(ChangeContract, AClaimTellsOfEveryLeaseInItsOrder) {
  const domain::ExecutionId first = create(task().handler("mail")).id;
  const domain::ExecutionId second = create(task().handler("mail")).id;

  claim(5);

  ASSERT_EQ(states(), (States{State::running, State::running}));
  EXPECT_EQ(changes_[0].id, first);
  EXPECT_EQ(changes_[1].id, second);
  EXPECT_EQ(changes_[0].handler, "mail");
  claim(5);
  EXPECT_EQ(states(), States{});
}

TEST_P(ChangeContract, AnAttemptEndsItsTaskOnce) {
  const domain::ExecutionId id = create(task().handler("mail")).id;
  const domain::AttemptId attempt = claim_one();
  heartbeat(attempt);
  EXPECT_EQ(states(), States{});

  complete(attempt);

  ASSERT_EQ(states(), States{State::completed});
  EXPECT_EQ(describe(changes_[0]),
            describe(Change{std::string(default_tenant), id, State::completed, std::string(default_queue), "mail", "",
                            "", 1, false, false, false, std::nullopt}));
  complete(attempt);
  EXPECT_EQ(states(), States{});
  fail(attempt);
  EXPECT_EQ(states(), States{});
}

TEST_P(ChangeContract, AFailureIsTold) {
  create(task());

  fail(claim_one());

  EXPECT_EQ(states(), States{State::failed});
}

TEST_P(ChangeContract, ACancelIsToldWhenItTakesEffect) {
  const domain::ExecutionId pending = create(task()).id;
  cancel(pending);
  EXPECT_EQ(states(), States{State::cancelled});
  cancel(pending);
  EXPECT_EQ(states(), States{});

  const domain::ExecutionId running = create(task()).id;
  claim_one(30s);
  cancel(running);
  EXPECT_EQ(states(), States{});
  advance(1min);
  expire();
  EXPECT_EQ(states(), States{State::cancelled});
}

TEST_P(ChangeContract, ALeaseThatEndsIsTold) {
  create(task());
  claim_one(30s);
  advance(1min);

  expire();

  EXPECT_EQ(states(), States{State::timed_out});
}

TEST_P(ChangeContract, APromotionIsNoChangeOfState) {
  create(task().delay(5s));
  advance(5s);

  promote();

  EXPECT_EQ(states(), States{});
}

TEST_P(ChangeContract, ABatchTellsInItsOrder) {
  const Submit first = task().key("a");
  const Submit second = task().key("b");

  apply_all({first, task().key("a"), second});

  ASSERT_EQ(states(), (States{State::pending, State::pending}));
  EXPECT_EQ(changes_[0].id, first.spec.id);
  EXPECT_EQ(changes_[1].id, second.spec.id);
}

TEST_P(ChangeContract, ANamedTaskIsTold) {
  Submit submit = task();
  submit.spec.named_task = named_task("shop", "charge");
  create(submit);
  EXPECT_EQ(changes_.at(0).namespace_, "shop");
  EXPECT_EQ(changes_.at(0).name, "charge");

  complete(claim_one());

  EXPECT_EQ(changes_.at(0).namespace_, "shop");
  EXPECT_EQ(changes_.at(0).name, "charge");
}

}  // namespace
}  // namespace semel::test
