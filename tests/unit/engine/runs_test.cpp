#include <gmock/gmock.h>

#include "domain/workflow/graph_view.hpp"
#include "domain/workflow/step_task.hpp"
#include "tests/support/steps.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

/// Runs of templates with steps, as the engine's callers see them.
namespace semel::engine::test {
namespace {

using Builder = semel::test::StepBuilder;
using domain::State;
using testing::HasSubstr;
using Steps = std::vector<domain::Step>;

class RunsTest : public EngineTest {
 protected:
  void put_order(Steps steps) {
    domain::Template order = named("order");
    order.identity.strategy = domain::Strategy::always_unique;
    order.steps = std::move(steps);
    put(std::move(order));
  }
  static domain::Submission of_order(const std::string& context = "{}") {
    domain::Submission submission;
    submission.name = "order";
    submission.context = context;
    submission.canonical_context = json::canonicalize(context).value();
    return submission;
  }
  domain::ExecutionId start(Steps steps, const std::string& context = "{}") {
    put_order(std::move(steps));
    return create(of_order(context));
  }

  Lease next() {
    const Leases leases = poll();
    EXPECT_TRUE(leases && leases->size() == 1) << "nothing is ready";
    return leases && !leases->empty() ? leases->front() : Lease{};
  }
  void fail_next() {
    Awaited<Result<AttemptAnswer>> awaited;
    engine.fail(owner, next().attempt_id, {R"({"message":"m","type":"t"})", false}, awaited.answer());
    EXPECT_TRUE(awaited.get());
  }
  State state_of(domain::ExecutionId id) { return engine.get(owner, id)->execution.state; }
  /// "a=running b=waiting"
  std::string steps_of(domain::ExecutionId run) {
    const Result<RunView> view = engine.run(owner, run);
    std::string text;
    for (std::size_t i = 0; i < view->run.graph->size(); ++i) {
      text += fmt::format("{}{}={}", i == 0 ? "" : " ", view->run.graph->step(i).name,
                          domain::status_of_step(view->run.facts, i, view->tasks));
    }
    return text;
  }

  Result<State> retry(domain::ExecutionId id, const Engine::RetryRequest& request = {}) {
    Awaited<Result<State>> awaited;
    engine.retry(owner, id, request, awaited.answer());
    return awaited.get();
  }
  Result<State> resolve(const domain::Principal& who, domain::ExecutionId id, const std::string& step) {
    Awaited<Result<State>> awaited;
    engine.resolve(who, id, {step, R"({"paid":true})", "by phone"}, awaited.answer());
    return awaited.get();
  }
  Result<CancelAnswer> cancel(domain::ExecutionId id, const std::string& why) {
    Awaited<Result<CancelAnswer>> awaited;
    engine.cancel(owner, id, {false, why}, awaited.answer());
    return awaited.get();
  }
};

TEST_F(RunsTest, ASubmissionOfATemplateWithStepsIsARun) {
  put_order({Builder("a"), Builder("b", {"a"})});

  const NewTask made = std::get<NewTask>(submit(of_order(R"({"n":1})")));

  EXPECT_EQ(made.step_count, 2u);
  EXPECT_EQ(made.state, State::suspended);
  const TaskView view = engine.get(owner, made.id).value();
  EXPECT_EQ(view.execution.spec.kind, domain::Kind::workflow);
  EXPECT_EQ(view.execution.spec.handler, "order");
  EXPECT_EQ(view.execution.spec.context, R"({"n":1})");
  EXPECT_TRUE(view.run.has_value());
  EXPECT_EQ(steps_of(made.id), "a=pending b=waiting");
}

TEST_F(RunsTest, OneStepThatAlwaysRunsOnceIsAPlainTask) {
  domain::Template order = named("order");
  order.steps = {Builder("only")};
  put(order);

  const NewTask made = std::get<NewTask>(submit(of_order()));

  EXPECT_EQ(made.step_count, 1u);
  EXPECT_EQ(made.state, State::pending);
  EXPECT_EQ(engine.get(owner, made.id)->execution.spec.kind, domain::Kind::task);
}

TEST_F(RunsTest, ALateRunIsPendingUntilItsTime) {
  put_order({Builder("a"), Builder("b", {"a"})});
  domain::Submission later = of_order();
  later.delay = 1h;

  const NewTask made = std::get<NewTask>(submit(later));

  EXPECT_EQ(made.state, State::pending);
  EXPECT_TRUE(poll()->empty());
  clock.advance(1h);
  maintain();
  EXPECT_EQ(state_of(made.id), State::suspended);
  EXPECT_EQ(poll()->size(), 1u);
}

TEST_F(RunsTest, WhatARequestSaysHoldsForAllItsSteps) {
  domain::Step slow = Builder("slow");
  slow.queue = "slow";
  slow.timeout = 5min;
  slow.retry.max_attempts = 7;
  slow.retry.base = 2s;
  put_order({slow, Builder("b", {"slow"})});
  domain::Submission request = of_order();
  const auto plan_of = [&](domain::ExecutionId id) { return store.run("acme", id).value().graph->steps(); };

  const Steps usual = plan_of(create(request));
  request.queue = "default";
  request.timeout = 1s;
  request.retry.max_attempts = 2;
  const Steps said = plan_of(create(request));

  EXPECT_EQ(usual[0].queue, "slow");
  EXPECT_EQ(usual[0].timeout, 5min);
  EXPECT_EQ(usual[0].retry.max_attempts, 7);
  EXPECT_EQ(usual[1].retry.max_attempts, 1) << "as the server says where nobody else does";
  EXPECT_EQ(usual[1].queue, "default");
  EXPECT_EQ(said[0].queue, "default");
  EXPECT_EQ(said[0].timeout, 1s);
  EXPECT_EQ(said[0].retry.max_attempts, 2);
  EXPECT_EQ(said[0].retry.base, 2s) << "what the request does not say stays";
  EXPECT_EQ(said[1].timeout, 1s);
}

TEST_F(RunsTest, ARunKeepsItsStepsWhenItsTemplateChanges) {
  const domain::ExecutionId run = start({Builder("a"), Builder("b", {"a"})});
  put_order({Builder("x"), Builder("y"), Builder("z")});

  complete(next().attempt_id, "1");

  EXPECT_EQ(steps_of(run), "a=completed b=pending");
  EXPECT_EQ(next().execution.spec.handler, "do_b");
}

TEST_F(RunsTest, AStepGetsTheContextAndWhatItsUpstreamsCameTo) {
  start({Builder("a"), Builder("b", {"a"})}, R"({"n":1})");
  complete(next().attempt_id, R"({"total":3})");

  const Lease lease = next();

  ASSERT_TRUE(lease.input.has_value());
  EXPECT_EQ(lease.input->context, R"({"n":1})");
  EXPECT_EQ(lease.input->upstream.at(0).step, "a");
  EXPECT_EQ(lease.input->upstream.at(0).result, R"({"total":3})");
}

TEST_F(RunsTest, WhoWaitsForARunGetsTheResultsOfItsSteps) {
  put_order({Builder("a"), Builder("b", {"a"})});
  domain::Submission waiting = of_order();
  waiting.wait = 30s;
  Awaited<SubmitAnswer> awaited;
  Awaited<Leases> first;
  engine.poll(owner, poll_for(30s), first.answer());  // a worker that waits is woken by a step, too
  engine.submit(owner, waiting, awaited.answer());

  complete(first.get()->front().attempt_id, "1");
  complete(next().attempt_id, "2");

  const NewTask made = std::get<NewTask>(awaited.get());
  EXPECT_EQ(made.state, State::completed);
  EXPECT_EQ(made.execution->result, R"({"a":1,"b":2})");
}

TEST_F(RunsTest, AStepOfARunIsReadWithItsRunsContext) {
  const domain::ExecutionId run = start({Builder("a"), Builder("b", {"a"})}, R"({"n":1})");

  const TaskView task = engine.get(owner, domain::step_execution_id(run, "a")).value();

  EXPECT_EQ(task.execution.spec.context, R"({"n":1})");
  EXPECT_EQ(task.execution.spec.step->run, run);
  EXPECT_FALSE(task.run.has_value());
}

TEST_F(RunsTest, ADuplicateIsToldHowManyStepsTheHolderHas) {
  put_order({Builder("a"), Builder("b", {"a"})});
  domain::Submission keyed = of_order();
  keyed.key = "order-1";
  keyed.on_duplicate = domain::OnDuplicate::return_existing;
  const domain::ExecutionId run = create(keyed);
  put_order({Builder("a"), Builder("b", {"a"}), Builder("c", {"b"})});

  const DuplicateTask again = std::get<DuplicateTask>(submit(keyed));

  EXPECT_EQ(again.held.holder.id, run);
  EXPECT_EQ(again.step_count, 2u);
}

TEST_F(RunsTest, ATaskThatAsksForAStepsKeyWithAnotherContextIsRefused) {
  start({Builder("a").key("pay-1"), Builder("b", {"a"})}, R"({"n":1})");
  domain::Submission rival = ad_hoc("do_a");
  rival.key = "pay-1";
  rival.on_duplicate = domain::OnDuplicate::return_existing;

  const DuplicateTask refused = std::get<DuplicateTask>(submit(rival));
  const ExplainView explained = engine.explain(owner, rival).value();

  EXPECT_EQ(refused.answer, domain::DuplicateAnswer::other_payload);
  EXPECT_TRUE(refused.pointers.empty());
  EXPECT_EQ(explained.explanation.answer, domain::DuplicateAnswer::other_payload);
}

TEST_F(RunsTest, AFailedStepIsRetriedByItsRunByItsNameOrByItsTask) {
  for (int way = 0; way < 3; ++way) {
    const domain::ExecutionId run = start({Builder("a"), Builder("b", {"a"})});
    fail_next();
    EXPECT_EQ(state_of(run), State::failed);
    const domain::ExecutionId task = domain::step_execution_id(run, "a");

    const Result<State> state = way == 0   ? retry(run)
                                : way == 1 ? retry(run, {{"a"}, "mended"})
                                           : retry(task, {{}, "mended"});

    ASSERT_TRUE(state) << way;
    EXPECT_EQ(*state, way == 2 ? State::pending : State::suspended);
    complete(next().attempt_id);
    complete(next().attempt_id);
    EXPECT_EQ(state_of(run), State::completed) << way;
  }
}

TEST_F(RunsTest, OnlyWhatDidNotSucceedIsRetried) {
  const domain::ExecutionId run = start({Builder("a"), Builder("b", {"a"})});
  const domain::ExecutionId plain = create(ad_hoc("mail"));

  EXPECT_EQ(retry(run).error().code, ErrorCode::not_retryable);
  EXPECT_EQ(retry(run, {{"nobody"}, ""}).error().code, ErrorCode::not_retryable);
  EXPECT_THAT(retry(run, {{"nobody"}, ""}).error().message, HasSubstr("no step 'nobody'"));
  EXPECT_EQ(retry(plain).error().code, ErrorCode::not_retryable);
  EXPECT_EQ(retry(plain, {{"a"}, ""}).error().code, ErrorCode::bad_request);
  EXPECT_EQ(retry(plain, {{}, "because"}).error().code, ErrorCode::bad_request);
  EXPECT_EQ(retry({}).error().code, ErrorCode::not_found);
}

TEST_F(RunsTest, ABlockedStepIsGivenItsResultByAnAdministrator) {
  const domain::ExecutionId run =
      start({Builder("a"), Builder("b", {"a"}).on_failure(domain::OnUpstreamFailure::block), Builder("c", {"b"})});
  fail_next();
  EXPECT_EQ(steps_of(run), "a=failed b=blocked c=waiting");

  EXPECT_EQ(resolve(creator, run, "b").error().code, ErrorCode::forbidden);
  EXPECT_EQ(resolve(owner, run, "a").error().code, ErrorCode::not_resolvable);
  EXPECT_EQ(resolve(owner, run, "x").error().code, ErrorCode::not_found);
  EXPECT_EQ(resolve(owner, {}, "b").error().code, ErrorCode::not_found);
  EXPECT_EQ(resolve(owner, run, "b").value(), State::suspended);

  EXPECT_EQ(next().input->upstream.at(0).result, R"({"paid":true})");
  const HistoryView history = engine.history(owner, run, 0, 100).value();
  const auto resolved = std::find_if(history.entries.begin(), history.entries.end(), [](const HistoryEntry& each) {
    return each.event.kind == domain::HistoryKind::step_resolved;
  });
  ASSERT_NE(resolved, history.entries.end());
  EXPECT_EQ(resolved->event.detail, R"({"by":"key-1","why":"by phone"})");
}

TEST_F(RunsTest, CancellingFlowsDownAndIsRecordedWithItsReason) {
  const domain::ExecutionId run = start({Builder("a"), Builder("b", {"a"})});

  const Result<CancelAnswer> cancelled = cancel(run, "enough");

  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->state, State::cancelled);
  EXPECT_EQ(steps_of(run), "a=cancelled b=cancelled");
  const HistoryView history = engine.history(owner, run, 0, 100).value();
  const bool has_reason = std::any_of(history.entries.begin(), history.entries.end(), [](const HistoryEntry& each) {
    return each.event.detail == R"({"by":"key-1","why":"enough"})";
  });
  EXPECT_TRUE(has_reason);
  EXPECT_EQ(cancel(create(ad_hoc("mail")), "enough").error().code, ErrorCode::bad_request);
}

TEST_F(RunsTest, HistoryComesInPages) {
  const domain::ExecutionId run = start({Builder("a"), Builder("b", {"a"})});
  complete(next().attempt_id);
  complete(next().attempt_id);
  const std::size_t all = engine.history(owner, run, 0, 100)->entries.size();

  std::vector<std::int64_t> sequences;
  std::optional<std::int64_t> after = 0;
  while (after) {
    const HistoryView page = engine.history(owner, run, *after, 2).value();
    for (const HistoryEntry& entry : page.entries) sequences.push_back(entry.sequence);
    after = page.next;
  }

  EXPECT_EQ(sequences.size(), all);
  for (std::size_t i = 0; i < all; ++i) EXPECT_EQ(sequences[i], static_cast<std::int64_t>(i) + 1);
}

TEST_F(RunsTest, AreReadByThoseOnlyWhoMayReadThem) {
  const domain::ExecutionId run = start({Builder("a"), Builder("b", {"a"})});

  EXPECT_EQ(engine.run(creator, run).error().code, ErrorCode::not_found);
  EXPECT_EQ(engine.history(creator, run, 0, 1).error().code, ErrorCode::not_found);
  EXPECT_EQ(engine.run(owner, create(ad_hoc("mail"))).error().code, ErrorCode::not_found);
}

TEST_F(RunsTest, AreCountedApartFromTasks) {
  const domain::Principal operators{"default", "key-0", domain::all_permissions};
  start({Builder("a"), Builder("b", {"a"})});
  complete(next().attempt_id);
  complete(next().attempt_id);

  const std::string text = engine.metrics_text(operators).value();

  EXPECT_THAT(text, HasSubstr("semel_runs_created_total{tenant=\"acme\"} 1"));
  EXPECT_THAT(text, HasSubstr("semel_runs_closed_total{status=\"completed\",tenant=\"acme\"} 1"));
  EXPECT_THAT(text, HasSubstr("semel_tasks_created_total{tenant=\"acme\"} 2"));
  EXPECT_THAT(text, HasSubstr("semel_tasks_closed_total{status=\"completed\",tenant=\"acme\"} 2"));
  EXPECT_THAT(text, HasSubstr("semel_leases_total{tenant=\"acme\"} 2"));
}

}  // namespace
}  // namespace semel::engine::test
