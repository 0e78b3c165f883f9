#include "tests/contract/run_fixture.hpp"

namespace semel::test {
namespace {

using domain::Comparison;
using domain::OnUpstreamFailure;
using Keys = std::vector<std::string>;

/// How runs go when nobody interferes.
class RunsContract : public RunContract {};
SEMEL_ON_ALL_STORES(RunsContract);

std::vector<domain::Step> linear() {
  return {Builder("reserve"), Builder("charge", {"reserve"}), Builder("ship", {"charge"}), Builder("mail", {"ship"})};
}
std::vector<domain::Step> diamond() {
  return {Builder("split"), Builder("left", {"split"}), Builder("right", {"split"}),
          Builder("meet", {"left", "right"})};
}

TEST_P(RunsContract, ALinearRunGoesFromStepToStep) {
  const ExecutionId run = start(linear());

  for (const std::string step : {"reserve", "charge", "ship", "mail"}) {
    EXPECT_EQ(lease_all(), Keys{step});
    EXPECT_EQ(state_of(run), State::suspended);
    EXPECT_EQ(finish(step, fmt::format(R"({{"did":"{}"}})", step)).kind, AttemptAnswer::Kind::recorded);
  }

  EXPECT_TRUE(lease_all().empty());
  const domain::Execution ended = find(run).value();
  EXPECT_EQ(ended.state, State::completed);
  EXPECT_EQ(ended.closed_at, now());
  EXPECT_EQ(ended.result,
            R"({"reserve":{"did":"reserve"},"charge":{"did":"charge"},"ship":{"did":"ship"},"mail":{"did":"mail"}})");
  EXPECT_EQ(states(run), "reserve=completed charge=completed ship=completed mail=completed");
}

TEST_P(RunsContract, TheNextTaskIsMadeInTheCommitThatEndsTheOneBefore) {
  const ExecutionId run = start(linear());
  lease_all();

  finish("reserve");

  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[0].id, task_in(run, "reserve"));
  EXPECT_EQ(changes_[0].state, State::completed);
  EXPECT_EQ(changes_[1].id, task_in(run, "charge"));
  EXPECT_EQ(changes_[1].state, State::pending);
  EXPECT_TRUE(changes_[1].is_new);
  EXPECT_TRUE(changes_[1].is_ready);
  EXPECT_EQ(changes_[1].handler, "do_charge");
}

TEST_P(RunsContract, ARunIsToldOfWhenItBeginsAndWhenItEnds) {
  const ExecutionId run = start({Builder("only"), Builder("last", {"only"})});

  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[0].id, run);
  EXPECT_EQ(changes_[0].state, State::suspended);
  EXPECT_TRUE(changes_[0].is_new);
  EXPECT_FALSE(changes_[0].is_ready);
  EXPECT_EQ(changes_[1].id, task_in(run, "only"));
  work_off();
  EXPECT_EQ(state_of(run), State::completed);
}

TEST_P(RunsContract, TheTasksOfARunSayWhoseTheyAre) {
  domain::Step step = Builder("charge");
  step.queue = "payments";
  step.timeout = 20s;
  step.retry.max_attempts = 7;
  const Submit submit = run_of({step, Builder("ship", {"charge"})}, R"({"id":1})")
                            .priority(7)
                            .head_start(5s)
                            .created_by("key-9")
                            .with([](Submit& each) { each.spec.traceparent = "00-ab-cd-01"; });
  const ExecutionId run = create(submit).id;

  const domain::ExecutionSpec spec = task_of(run, "charge").spec;

  EXPECT_EQ(spec.step, (domain::StepOf{run, "charge", std::nullopt}));
  EXPECT_EQ(spec.kind, domain::Kind::task);
  EXPECT_EQ(spec.queue, "payments");
  EXPECT_EQ(spec.handler, "do_charge");
  EXPECT_EQ(spec.timeout, 20s);
  EXPECT_EQ(spec.retry.max_attempts, 7);
  EXPECT_EQ(spec.priority, 7);
  EXPECT_EQ(spec.head_start, 5s);
  EXPECT_EQ(spec.created_by, "key-9");
  EXPECT_EQ(spec.traceparent, "00-ab-cd-01");
  EXPECT_EQ(spec.context, "");
  EXPECT_EQ(spec.identity.mode, domain::Mode::none);
  EXPECT_EQ(find(run).value().spec.kind, domain::Kind::workflow);
  EXPECT_EQ(find(run).value().spec.step, std::nullopt);
}

TEST_P(RunsContract, BranchesOfADiamondRunAtOnceAndMeetWhenBothHaveEnded) {
  for (const bool left_first : {true, false}) {
    SCOPED_TRACE(left_first);
    const ExecutionId run = start(diamond());
    lease_all();
    finish("split");
    EXPECT_EQ(lease_all(), (Keys{"left", "right"}));

    finish(left_first ? "left" : "right");
    EXPECT_TRUE(lease_all().empty());
    finish(left_first ? "right" : "left");

    EXPECT_EQ(lease_all(), Keys{"meet"});
    finish("meet");
    EXPECT_EQ(state_of(run), State::completed);
  }
}

TEST_P(RunsContract, UpstreamsThatEndInOneBatchMakeTheirStepOnce) {
  const ExecutionId run = start(diamond());
  lease_all();
  finish("split");
  lease_all();
  const std::string tenant(default_tenant);

  apply_all({Complete{tenant, lease_of("left").attempt_id, "1"}, Complete{tenant, lease_of("right").attempt_id, "2"},
             Complete{tenant, lease_of("left").attempt_id, "1"}});

  EXPECT_EQ(lease_all(), Keys{"meet"});
  EXPECT_EQ(history(run),
            "run_started, task_scheduled split, task_completed split, task_scheduled left, task_scheduled right, "
            "task_completed left, task_completed right, task_scheduled meet");
}

TEST_P(RunsContract, AHandlerGetsTheContextAndWhatItsUpstreamsCameTo) {
  start({Builder("a"), Builder("b"), Builder("c", {"b", "a"}).on_failure(OnUpstreamFailure::run)}, R"({"order": 7})");
  lease_all();
  EXPECT_EQ(describe(lease_of("a").input), describe(domain::StepInput{R"({"order": 7})", {}, std::nullopt}));
  finish("a", "[1]");
  give_up("b");

  lease_all();

  const domain::StepInput input = lease_of("c").input.value();
  ASSERT_EQ(input.upstream.size(), 2u);
  EXPECT_EQ(input.context, R"({"order": 7})");
  EXPECT_EQ(input.upstream[0].step, "b");
  EXPECT_EQ(input.upstream[0].state, domain::StepState::failed);
  EXPECT_EQ(input.upstream[0].error, R"({"type":"BOOM","message":"x"})");
  EXPECT_EQ(input.upstream[1].state, domain::StepState::completed);
  EXPECT_EQ(input.upstream[1].result, "[1]");
}

TEST_P(RunsContract, ATaskWithoutARunHasNoInput) {
  create(task());

  EXPECT_EQ(claim(1).at(0).input, std::nullopt);
}

TEST_P(RunsContract, ConditionsDecideWhichArmIsTaken) {
  const ExecutionId run =
      start({Builder("check"), Builder("big", {"check"}).when("check", "/n", Comparison::at_least, "10"),
             Builder("small", {"check"}).when("check", "/n", Comparison::less_than, "10"),
             Builder("done", {"big", "small"})});
  lease_all();

  finish("check", R"({"n": 3})");

  EXPECT_EQ(lease_all(), Keys{"small"});
  EXPECT_EQ(states(run), "check=completed big=skipped small=scheduled done=waiting");
  finish("small", "1");
  EXPECT_EQ(lease_all(), Keys{"done"});
  EXPECT_EQ(lease_of("done").input.value().upstream.at(0).state, domain::StepState::skipped);
  finish("done", "2");
  EXPECT_EQ(find(run).value().result, R"({"check":{"n": 3},"small":1,"done":2})");
}

TEST_P(RunsContract, ARunWhoseStepsAreAllSkippedEndsWhenItBegins) {
  const ExecutionId run = start({Builder("a").when("", "/go", Comparison::equals, "true"), Builder("b", {"a"})});

  EXPECT_EQ(states(run), "a=skipped b=skipped");
  EXPECT_EQ(find(run).value().result, "{}");
  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[0].state, State::suspended);
  EXPECT_EQ(changes_[1].state, State::completed);
}

TEST_P(RunsContract, WhatDependsOnAFailedStepNeverRuns) {
  const ExecutionId run = start(linear());
  lease_all();
  finish("reserve");
  lease_all();

  EXPECT_EQ(give_up("charge").state, State::failed);

  EXPECT_TRUE(lease_all().empty());
  EXPECT_EQ(states(run),
            "reserve=completed charge=failed ship=cancelled(upstream_failed) mail=cancelled(upstream_failed)");
  const domain::Execution ended = find(run).value();
  EXPECT_EQ(ended.state, State::failed);
  EXPECT_EQ(ended.error, R"({"type":"STEP_FAILED","message":"step 'charge' failed","steps":["charge"]})");
  EXPECT_EQ(find(task_in(run, "ship")), std::nullopt);
}

TEST_P(RunsContract, AStepIsTriedAgainBeforeItsRunHearsOfIt) {
  domain::Step flaky = Builder("flaky");
  flaky.retry.max_attempts = 2;
  flaky.retry.base = 10s;
  flaky.retry.jitter_percent = 0;
  const ExecutionId run = start({flaky, Builder("next", {"flaky"})});
  lease_all();

  EXPECT_EQ(give_up("flaky").state, State::pending);

  EXPECT_EQ(states(run), "flaky=scheduled next=waiting");
  advance(10s);
  promote();
  work_off();
  EXPECT_EQ(state_of(run), State::completed);
}

TEST_P(RunsContract, AStepWhoseLeasesEndTimesOut) {
  const ExecutionId run = start(linear());
  claim(1, 5s);
  advance(5s);

  expire();

  EXPECT_EQ(states(run),
            "reserve=timed_out charge=cancelled(upstream_failed) ship=cancelled(upstream_failed) "
            "mail=cancelled(upstream_failed)");
  EXPECT_EQ(state_of(run), State::failed);
}

TEST_P(RunsContract, SayingAnAnswerAgainChangesNothing) {
  const ExecutionId run = start(diamond());
  lease_all();
  finish("split", "1");
  lease_all();
  finish("left", "1");
  const std::string before = describe(store().run(default_tenant, run));

  EXPECT_EQ(finish("left", "1").kind, AttemptAnswer::Kind::already_recorded);
  EXPECT_EQ(finish("split", "1").kind, AttemptAnswer::Kind::already_recorded);
  EXPECT_EQ(give_up("split").kind, AttemptAnswer::Kind::stale);

  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(describe(store().run(default_tenant, run)), before);
}

TEST_P(RunsContract, ARunForLaterBeginsWhenItsTimeHasCome) {
  const ExecutionId run = create(run_of(linear()).delay(10s)).id;

  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].state, State::pending);
  EXPECT_EQ(changes_[0].timer, now() + 10s);
  EXPECT_EQ(store().next_timer(), now() + 10s);
  EXPECT_TRUE(lease_all().empty());
  EXPECT_EQ(history(run), "");
  EXPECT_TRUE(store().queue_depths().empty());
  advance(10s);
  promote();
  EXPECT_EQ(change_to(run).value().state, State::suspended);
  EXPECT_EQ(find(run).value().started_at, now());
  EXPECT_EQ(lease_all(), Keys{"reserve"});
}

TEST_P(RunsContract, ARunHasAnIdentityLikeAnyExecution) {
  const Submit first = run_of(linear()).key("order-7");
  const ExecutionId run = expect_created(first).id;

  const Held held = expect_held(run_of(linear()).key("order-7"));

  EXPECT_EQ(held.holder.id, run);
  EXPECT_EQ(held.holder.kind, domain::Kind::workflow);
  EXPECT_EQ(held.holder.state, State::suspended);
  lease_all();
  give_up("reserve");
  const Created again = expect_created(run_of(linear()).key("order-7"));
  EXPECT_EQ(again.previous, run);
  EXPECT_EQ(lease_all(), Keys{"reserve"});
  EXPECT_EQ(lease_of("reserve").execution.spec.step->run, again.id);
}

TEST_P(RunsContract, RunsOfTwoTenantsWithOneIdDoNotMeet) {
  const Submit mine = run_of(linear());
  Submit theirs = mine;
  theirs.spec.tenant = "globex";
  create(mine);
  create(theirs);

  EXPECT_EQ(lease_all(), Keys{"reserve"});
  finish("reserve");

  EXPECT_EQ(state_of(task_in(mine.spec.id, "charge")), State::pending);
  EXPECT_EQ(store().find("globex", task_in(mine.spec.id, "charge")), std::nullopt);
}

TEST_P(RunsContract, ListsTellTasksOfARunAndRunsApart) {
  create(task());
  const ExecutionId run = start(diamond());
  start(linear());
  lease_all();
  finish("split");

  ListQuery query{std::string(default_tenant)};
  query.run = run;
  std::vector<ExecutionId> listed;
  for (query.limit = 2;; query.cursor = store().list(query).value().next) {
    const Page page = store().list(query).value();
    for (const domain::Execution& each : page.executions) listed.push_back(each.spec.id);
    if (!page.next) break;
  }
  EXPECT_EQ(listed, (std::vector{task_in(run, "right"), task_in(run, "left"), task_in(run, "split")}));

  ListQuery runs{std::string(default_tenant)};
  runs.kind = domain::Kind::workflow;
  EXPECT_EQ(store().list(runs).value().executions.size(), 2u);
}

TEST_P(RunsContract, TheHistoryIsNumberedAndReadInPages) {
  const ExecutionId run = start({Builder("a"), Builder("b", {"a"})});
  advance(1s);
  work_off();

  const std::string all =
      "run_started, task_scheduled a, task_completed a, task_scheduled b, task_completed b, run_completed";
  EXPECT_EQ(history(run), all);
  EXPECT_EQ(history(run, 2, 2), "task_completed a, task_scheduled b");
  EXPECT_EQ(history(run, 6), "");
  const auto entries = store().history(default_tenant, run, 0, 10);
  ASSERT_EQ(entries.size(), 6u);
  EXPECT_EQ(entries[5].sequence, 6);
  EXPECT_EQ(entries[0].at, now() - 1s);
  EXPECT_EQ(entries[5].at, now());
  EXPECT_EQ(read_run(run).history_length, 6);
  EXPECT_TRUE(store().history("globex", run, 0, 10).empty());
  EXPECT_EQ(store().run("globex", run), std::nullopt);
}

TEST_P(RunsContract, RunsSurviveThatTheStoreIsOpenedAgain) {
  const ExecutionId run = start(diamond(), R"({"order": 7})");
  reopen();
  lease_all();
  finish("split", "1");
  reopen();
  EXPECT_EQ(lease_all(), (Keys{"left", "right"}));
  finish("left", "2");
  reopen();
  finish("right", "3");
  reopen();
  EXPECT_EQ(lease_all(), Keys{"meet"});
  EXPECT_EQ(lease_of("meet").input.value().context, R"({"order": 7})");
  finish("meet");

  EXPECT_EQ(find(run).value().result, R"({"split":1,"left":2,"right":3,"meet":null})");
}

}  // namespace
}  // namespace semel::test
