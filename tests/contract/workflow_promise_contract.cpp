#include "tests/contract/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// Promises, from workflows and from outside.
class PromiseContract : public WorkflowContract {
 protected:
  SubmitBuilder promise_of(std::string_view key) {
    SubmitBuilder submit = task();
    submit.handler(code::promise_handler)
        .identity(domain::Mode::key, code::hash_of_key(default_tenant, key))
        .with([&](Submit& each) {
          each.spec.kind = domain::Kind::promise;
          each.spec.key = key;
          each.spec.fingerprint = sha256("{}");
        });
    return submit;
  }
};
SEMEL_ON_ALL_STORES(PromiseContract);

TEST_P(PromiseContract, APromiseWaitsUntilItIsSettledAndNobodyWorksOnIt) {
  const ExecutionId id = create(promise_of("approve")).id;
  EXPECT_EQ(state_of(id), State::pending);
  EXPECT_TRUE(claim(10).empty());
  EXPECT_TRUE(store().queue_depths().empty());
  EXPECT_EQ(store().next_timer(), std::nullopt);

  const SettleAnswer settled = settle(id, true, R"({"by":"me"})");

  EXPECT_EQ(settled.kind, SettleAnswer::Kind::settled);
  EXPECT_EQ(settled.id, id);
  EXPECT_EQ(settled.state, State::completed);
  EXPECT_EQ(change_to(id)->state, State::completed);
  EXPECT_EQ(find(id)->result, R"({"by":"me"})");
  EXPECT_EQ(find(id)->closed_at, now());
}

TEST_P(PromiseContract, APromiseIsSettledOnce) {
  const ExecutionId id = create(promise_of("approve")).id;
  settle("approve", false, R"({"type":"NO"})");
  EXPECT_EQ(state_of(id), State::failed);
  EXPECT_EQ(find(id)->error, R"({"type":"NO"})");

  for (const bool resolves : {true, false}) {
    const SettleAnswer again = settle(id, resolves, "1");
    EXPECT_EQ(again.kind, SettleAnswer::Kind::already_settled);
    EXPECT_EQ(again.state, State::failed);
    EXPECT_TRUE(changes_.empty());
  }
  EXPECT_EQ(settle("approve").kind, SettleAnswer::Kind::already_settled);
  EXPECT_EQ(find(id)->error, R"({"type":"NO"})");
}

TEST_P(PromiseContract, OnlyAPromiseOfTheTenantIsSettled) {
  EXPECT_EQ(settle(create(task()).id).kind, SettleAnswer::Kind::not_found);
  EXPECT_EQ(settle(start()).kind, SettleAnswer::Kind::not_found);
  EXPECT_EQ(settle("nothing").kind, SettleAnswer::Kind::not_found);
  create(with_id(workflow_of(), "taken"));
  EXPECT_EQ(settle("taken").kind, SettleAnswer::Kind::not_found);
  const ExecutionId id = create(promise_of("approve")).id;
  EXPECT_EQ(as<SettleAnswer>(apply(SettlePromise{"nobody", id})).kind, SettleAnswer::Kind::not_found);
  EXPECT_EQ(state_of(id), State::pending);
}

TEST_P(PromiseContract, AKeyOfAPromiseIsHeldLikeAnyOther) {
  const ExecutionId id = expect_created(promise_of("approve")).id;
  EXPECT_EQ(expect_held(promise_of("approve")).holder.id, id);
  settle(id);
  EXPECT_EQ(expect_held(promise_of("approve")).holder.state, State::completed);
  EXPECT_EQ(remove(id), Removed::Kind::left_tombstone);

  const SettleAnswer late = settle("approve");

  EXPECT_EQ(late.kind, SettleAnswer::Kind::already_settled);
  EXPECT_EQ(late.state, State::completed);
  EXPECT_EQ(settle(id).kind, SettleAnswer::Kind::not_found);
}

TEST_P(PromiseContract, AnUnsettledPromiseTimesOut) {
  const ExecutionId id = create(promise_of("approve").deadline_after(1h)).id;
  EXPECT_EQ(store().next_timer(), now() + 1h);
  advance(1h);
  expire();

  EXPECT_EQ(state_of(id), State::timed_out);
  EXPECT_EQ(find(id)->error, domain::deadline_error(domain::Kind::promise));
  EXPECT_EQ(settle(id).kind, SettleAnswer::Kind::already_settled);
}

TEST_P(PromiseContract, APromiseCanBeCancelled) {
  const ExecutionId id = create(promise_of("approve")).id;
  EXPECT_EQ(cancel(id).kind, CancelAnswer::Kind::cancelled);
  EXPECT_EQ(settle(id).state, State::cancelled);
}

TEST_P(PromiseContract, AWorkflowWaitsForItsPromise) {
  const ExecutionId workflow = start();
  run(Say().promise("approve-7").promise());
  EXPECT_EQ(history(workflow), "run_started, promise_created promise#1, promise_created promise#2");
  const domain::Execution promise = child_of(workflow, 1);
  EXPECT_EQ(promise.spec.kind, domain::Kind::promise);
  EXPECT_EQ(promise.state, State::pending);
  EXPECT_EQ(promise.spec.key, "approve-7");
  EXPECT_TRUE(claim(10).empty());

  EXPECT_EQ(settle("approve-7", true, "true").id, promise.spec.id);

  EXPECT_EQ(change_to(workflow)->state, State::pending);
  const Lease lease = activate();
  ASSERT_EQ(lease.activation->events.size(), 1u);
  EXPECT_EQ(lease.activation->events[0].event,
            (domain::HistoryEvent{HistoryKind::task_completed, "promise#1", R"({"command":1,"result":true})"}));
  answer(lease, Say());
  settle(made_by(workflow, 2), false, R"({"type":"NO"})");
  EXPECT_EQ(detail(workflow, HistoryKind::task_failed), R"({"command":2,"error":{"type":"NO"}})");
}

TEST_P(PromiseContract, APromiseOfAWorkflowTimesOut) {
  const ExecutionId workflow = start();
  run(Say().promise("approve-7", 7 * 24h));
  EXPECT_EQ(store().next_timer(), now() + 7 * 24h);
  EXPECT_EQ(change_to(made_by(workflow, 1))->timer, now() + 7 * 24h);
  advance(7 * 24h);
  expire();

  EXPECT_EQ(history(workflow, 2), "task_timed_out promise#1");
  EXPECT_TRUE(is_ready());
}

TEST_P(PromiseContract, AHeldKeyFailsThePromiseOfAWorkflow) {
  const ExecutionId other = create(promise_of("approve")).id;
  const ExecutionId workflow = start();
  EXPECT_EQ(run(Say().promise("approve")).kind, AttemptAnswer::Kind::recorded);

  EXPECT_EQ(child_of(workflow, 1).state, State::failed);
  EXPECT_EQ(state_of(workflow), State::pending);
  const Lease lease = activate();
  EXPECT_EQ(names_of(*lease.activation), "task_failed");
  EXPECT_NE(lease.activation->events[0].event.detail.find("IDEMPOTENCY_KEY_CONFLICT"), std::string::npos);
  EXPECT_EQ(state_of(other), State::pending);
}

TEST_P(PromiseContract, APromiseMayBeAttachedToAnotherAndComesToTheSame) {
  for (const bool resolves : {true, false}) {
    const std::string key = resolves ? "yes" : "no";
    create(promise_of(key));
    const ExecutionId workflow = start();
    run(Say().promise(key, std::nullopt, code::KeyConflict::attach));
    EXPECT_EQ(child_of(workflow, 1).state, State::suspended);
    EXPECT_EQ(history(workflow, 2), "task_attached promise#1");
    EXPECT_EQ(state_of(workflow), State::suspended);

    settle(key, resolves, "7");

    EXPECT_EQ(child_of(workflow, 1).state, resolves ? State::completed : State::failed);
    EXPECT_EQ(history(workflow, 3), resolves ? "task_completed promise#1" : "task_failed promise#1");
    run(Say().complete());
  }
}

TEST_P(PromiseContract, AnAttachedPromiseCanTimeOutOrBeSettledAlone) {
  const ExecutionId other = create(promise_of("approve")).id;
  const ExecutionId workflow = start();
  run(Say()
          .promise("approve", 1h, code::KeyConflict::attach)
          .promise("approve", std::nullopt, code::KeyConflict::attach));
  EXPECT_EQ(settle(made_by(workflow, 2), true, "2").kind, SettleAnswer::Kind::settled);
  EXPECT_EQ(child_of(workflow, 2).result, "2");
  advance(1h);
  expire();
  EXPECT_EQ(child_of(workflow, 1).state, State::timed_out);
  EXPECT_EQ(state_of(other), State::pending);

  settle("approve", true, "3");

  EXPECT_EQ(child_of(workflow, 1).state, State::timed_out);
  EXPECT_EQ(child_of(workflow, 2).result, "2");
}

TEST_P(PromiseContract, APromiseMayBeMadeWithoutItsKey) {
  const ExecutionId other = create(promise_of("approve")).id;
  const ExecutionId workflow = start();
  run(Say().promise("approve", std::nullopt, code::KeyConflict::warn_and_create));

  EXPECT_EQ(child_of(workflow, 1).state, State::pending);
  EXPECT_EQ(detail(workflow, HistoryKind::key_conflict),
            fmt::format(R"({{"command":1,"key":"approve","held_by":"{}"}})", other.text()));
  EXPECT_EQ(settle("approve").id, other);
  EXPECT_EQ(child_of(workflow, 1).state, State::pending);
}

TEST_P(PromiseContract, ATaskIsNeverAttachedToAPromise) {
  create(promise_of("approve"));
  const ExecutionId workflow = start();
  run(Say().task_with_key("charge", "approve"));

  EXPECT_NE(child_of(workflow, 1).error.value_or("").find("IDEMPOTENCY_KEY_CONFLICT"), std::string::npos);
}

}  // namespace
}  // namespace semel::test
