#include "tests/contract/run_fixture.hpp"

namespace semel::test {
namespace {

using Keys = std::vector<std::string>;

/// Steps with keys, and what becomes of those whose key another has (DESIGN §3.6).
class RunKeyContract : public RunContract {
 protected:
  /// pay (with a key) → ship
  static std::vector<domain::Step> paying() {
    return {Builder("pay").key("payment-{{/order}}"), Builder("ship", {"pay"})};
  }
  ExecutionId pay(const std::string& context = R"({"order":7})") { return start(paying(), context); }

  static Hash32 hash_of_key(std::string_view key) {
    return domain::identity_hash({domain::Mode::key, default_tenant, domain::Scope::tenant, "", key, std::nullopt});
  }
  /// A plain task with the same key, handler and context as the step.
  SubmitBuilder payment(const std::string& context = R"({"order":7})") {
    SubmitBuilder submit = task();
    submit.handler("do_pay").context(context).identity(domain::Mode::key, hash_of_key("payment-7"));
    submit.with([](Submit& each) { each.spec.key = "payment-7"; });
    return submit;
  }
};
SEMEL_ON_ALL_STORES(RunKeyContract);

TEST_P(RunKeyContract, AStepHoldsItsKeyInTheScopeOfTheTenant) {
  const ExecutionId run = pay();

  const domain::ExecutionSpec spec = task_of(run, "pay").spec;
  EXPECT_EQ(spec.key, "payment-7");
  EXPECT_EQ(find_holder(hash_of_key("payment-7")).value().holder.id, spec.id);
  EXPECT_EQ(expect_held(payment()).holder.id, spec.id);
}

TEST_P(RunKeyContract, AStepWaitsForWhoeverHoldsItsKeyAndTakesTheResult) {
  const ExecutionId holder = create(payment()).id;
  const ExecutionId run = pay();

  const domain::Execution attached = task_of(run, "pay");
  EXPECT_EQ(attached.state, State::suspended);
  EXPECT_EQ(change_to(attached.spec.id).value().state, State::suspended);
  EXPECT_TRUE(change_to(attached.spec.id).value().is_new);
  EXPECT_EQ(entry_of(run, HistoryKind::task_attached).value().event.detail, R"({"to":")" + holder.text() + R"("})");
  EXPECT_EQ(lease_all(), Keys{"do_pay"});
  finish("do_pay", R"("receipt")");

  EXPECT_EQ(task_of(run, "pay").state, State::completed);
  EXPECT_EQ(task_of(run, "pay").result, R"("receipt")");
  EXPECT_TRUE(attempts(attached.spec.id).empty());
  EXPECT_EQ(find_holder(hash_of_key("payment-7")).value().holder.id, holder);
  EXPECT_EQ(lease_all(), Keys{"ship"});
  EXPECT_EQ(lease_of("ship").input.value().upstream.at(0).result, R"("receipt")");
}

TEST_P(RunKeyContract, TheResultOfACompletedHolderIsTakenAtOnce) {
  create(payment());
  lease_all();
  finish("do_pay", R"("receipt")");

  const ExecutionId run = pay();

  EXPECT_EQ(states(run), "pay=completed ship=scheduled");
  EXPECT_EQ(task_of(run, "pay").result, R"("receipt")");
  EXPECT_EQ(lease_all(), Keys{"ship"});
}

TEST_P(RunKeyContract, AStepGoesOnByItselfWhenTheHolderFails) {
  const ExecutionId holder = create(payment()).id;
  const ExecutionId run = pay();
  lease_all();

  give_up("do_pay");

  const domain::Execution own = task_of(run, "pay");
  EXPECT_EQ(own.state, State::pending);
  EXPECT_EQ(own.previous, holder);
  EXPECT_TRUE(change_to(own.spec.id).value().is_ready);
  EXPECT_EQ(find_holder(hash_of_key("payment-7")).value().holder.id, own.spec.id);
  EXPECT_EQ(lease_all(), Keys{"pay"});
  finish("pay", "1");
  EXPECT_EQ(states(run), "pay=completed ship=scheduled");
}

TEST_P(RunKeyContract, TheReuseOfTheQueueDecidesWhatIsTakenOver) {
  domain::QueueOptions options;
  options.reuse = domain::Reuse::reject_duplicate;
  put_queue(options);
  create(payment());
  const ExecutionId waiting = pay();
  lease_all();

  give_up("do_pay");

  EXPECT_EQ(states(waiting), "pay=failed ship=cancelled(upstream_failed)");
  EXPECT_NE(task_of(waiting, "pay").error.value().find("TASK_ALREADY_CLOSED"), std::string::npos);
  EXPECT_EQ(states(pay()), "pay=failed ship=cancelled(upstream_failed)");
  options.reuse = domain::Reuse::allow_duplicate;
  put_queue(options);
  const ExecutionId first = pay();
  EXPECT_EQ(lease_all(), Keys{"pay"});
  finish("pay", "1");
  EXPECT_EQ(states(first), "pay=completed ship=scheduled");
  EXPECT_EQ(states(pay()), "pay=scheduled ship=waiting");
}

TEST_P(RunKeyContract, EveryWayOfEndingTheHolderIsTold) {
  for (const std::string how : {"cancel", "lease", "deadline", "given back", "force"}) {
    SCOPED_TRACE(how);
    const ExecutionId holder = create(payment().deadline_after(60s)).id;
    const ExecutionId run = pay();
    if (how == "cancel") cancel(holder);
    if (how == "deadline") {
      advance(60s);
      expire();
    }
    if (how == "lease") {
      claim(1, 5s);
      advance(5s);
      expire();
    }
    if (how == "given back") {
      const domain::AttemptId attempt = claim_one();
      cancel(holder);
      apply(GiveBack{std::string(default_tenant), {attempt}});
    }
    if (how == "force") {
      claim_one();
      cancel_by(holder, true);
    }

    EXPECT_EQ(task_of(run, "pay").state, State::pending);
    work_off();
    EXPECT_EQ(state_of(run), State::completed);
    EXPECT_EQ(release(hash_of_key("payment-7")).kind, Released::Kind::released);
  }
}

TEST_P(RunKeyContract, OfSeveralThatWaitOneTakesOverAndTheOthersWaitForIt) {
  create(payment());
  const std::vector<ExecutionId> runs{pay(), pay(), pay()};
  lease_all();

  give_up("do_pay");

  std::vector<ExecutionId> open;
  for (const ExecutionId run : runs) {
    if (task_of(run, "pay").state == State::pending) open.push_back(run);
  }
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(lease_all(), Keys{"pay"});
  finish("pay", R"("receipt")");
  for (const ExecutionId run : runs) EXPECT_EQ(task_of(run, "pay").result, R"("receipt")");
  EXPECT_EQ(claim(10).size(), 3u);  // all ship
}

TEST_P(RunKeyContract, AHolderWithAnotherHandlerOrContextFailsTheStep) {
  create(payment().handler("other"));
  const ExecutionId other_handler = pay();
  EXPECT_EQ(states(other_handler), "pay=failed ship=cancelled(upstream_failed)");
  EXPECT_NE(task_of(other_handler, "pay").error.value().find("IDEMPOTENCY_KEY_CONFLICT"), std::string::npos);
  lease_all();
  give_up("other");

  create(payment());
  const ExecutionId other_context = pay(R"({"order":7,"note":"x"})");
  EXPECT_NE(task_of(other_context, "pay").error.value().find("IDEMPOTENCY_KEY_MISMATCH"), std::string::npos);
  EXPECT_EQ(state_of(other_context), State::failed);
}

TEST_P(RunKeyContract, AFailedStepAsksForItsKeyAgainWhenItIsRetried) {
  create(payment().handler("other"));
  const ExecutionId run = pay();
  EXPECT_EQ(state_of(run), State::failed);
  EXPECT_EQ(retry_steps(run).state, State::failed);  // the other still has it
  lease_all();
  give_up("other");

  EXPECT_EQ(retry_steps(run).state, State::suspended);

  EXPECT_EQ(lease_all(), Keys{"pay"});
  give_up("pay");
  const ExecutionId taker = create(payment()).id;
  EXPECT_EQ(retry_steps(run).state, State::suspended);
  EXPECT_EQ(task_of(run, "pay").state, State::suspended);
  lease_all();
  finish("do_pay", "1");
  EXPECT_EQ(task_of(run, "pay").result, "1");
  EXPECT_EQ(find_holder(hash_of_key("payment-7")).value().holder.id, taker);
}

TEST_P(RunKeyContract, AResultThatIsNotKeptAnyMoreFailsTheStep) {
  const ExecutionId holder = create(payment()).id;
  lease_all();
  finish("do_pay", "1");
  EXPECT_EQ(remove(holder), Removed::Kind::left_tombstone);

  const ExecutionId run = pay();

  EXPECT_NE(task_of(run, "pay").error.value().find("RESULT_EXPIRED"), std::string::npos);
}

TEST_P(RunKeyContract, CancellingARunLeavesAloneWhatItOnlyWaitedFor) {
  const ExecutionId holder = create(payment()).id;
  const ExecutionId run = pay();

  EXPECT_EQ(cancel_by(run).kind, CancelAnswer::Kind::cancelled);

  EXPECT_EQ(task_of(run, "pay").state, State::cancelled);
  EXPECT_EQ(state_of(holder), State::pending);
  lease_all();
  finish("do_pay");
  EXPECT_EQ(changes_.size(), 1u);
  EXPECT_EQ(task_of(run, "pay").state, State::cancelled);
}

TEST_P(RunKeyContract, ItemsHaveKeysOfTheirOwnAndAskForThemWhenTheyAreReleased) {
  const std::vector<domain::Step> steps{Builder("mail").for_each("", "/to", 1).key("mail-{{item}}")};
  const ExecutionId first = start(steps, R"({"to":["a","b"]})");
  EXPECT_EQ(find_holder(hash_of_key("mail-a")).value().holder.id, task_in(first, "mail[0]"));
  EXPECT_FALSE(find_holder(hash_of_key("mail-b")).has_value());

  const ExecutionId second = start(steps, R"({"to":["a","b"]})");
  EXPECT_EQ(task_of(second, "mail[0]").state, State::suspended);
  lease_all();
  finish("mail[0]", "1");

  EXPECT_EQ(task_of(second, "mail[0]").result, "1");
  EXPECT_EQ(find_holder(hash_of_key("mail-b")).value().holder.id, task_in(first, "mail[1]"));
  EXPECT_EQ(task_of(second, "mail[1]").state, State::suspended);
  lease_all();
  finish("mail[1]", "2");
  EXPECT_EQ(find(second).value().result, R"({"mail":[1,2]})");
}

TEST_P(RunKeyContract, TwoStepsOfOneRunWithOneKeyShareTheirResult) {
  std::vector<domain::Step> steps{Builder("one").key("same"), Builder("two").key("same")};
  steps[1].handler = steps[0].handler;
  const ExecutionId run = start(steps);

  EXPECT_EQ(lease_all(), Keys{"one"});
  finish("one", "1");

  EXPECT_EQ(find(run).value().result, R"({"one":1,"two":1})");
}

TEST_P(RunKeyContract, WhoWaitsForWhomSurvivesThatTheStoreIsOpenedAgain) {
  create(payment());
  const ExecutionId waits = pay();
  const ExecutionId takes_over = pay();
  reopen();
  lease_all();
  give_up("do_pay");
  reopen();

  EXPECT_EQ(lease_all(), Keys{"pay"});
  const ExecutionId holder = lease_of("pay").execution.spec.id;
  EXPECT_EQ(find_holder(hash_of_key("payment-7")).value().holder.id, holder);
  EXPECT_EQ(expect_held(payment()).holder.id, holder);
  finish("pay", "1");
  EXPECT_EQ(task_of(waits, "pay").result, "1");
  EXPECT_EQ(task_of(takes_over, "pay").result, "1");
}

}  // namespace
}  // namespace semel::test
