#include <gmock/gmock.h>

#include "semel/semel.hpp"
#include "semel/testing.hpp"

namespace semel::testkit {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parcel {
  std::string id;
  int weight = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Parcel, id, weight)

/// The order of DESIGN's example: a charge, a day, an approval, and a shipment, or the money back.
Workflow<std::string> process_order(WorkflowContext& ctx, Parcel parcel) {
  ctx.set_status("charging");
  const auto receipt = co_await ctx.task<std::string>(
      "charge_card", parcel, StepOptions().idempotency_key("payment-" + parcel.id).max_attempts(2));
  co_await ctx.sleep(24h);
  ctx.set_status("waiting");
  const Settled<bool> approval =
      co_await ctx.promise<bool>("approve-" + parcel.id, PromiseOptions().timeout(7 * 24h)).settled();
  if (approval && approval.value()) co_return co_await ctx.task<std::string>("ship", parcel);
  co_await ctx.task<void>("refund", receipt);
  co_return "refunded";
}

void add_fakes(WorkflowTest& test) {
  test.task("charge_card", [](Parcel parcel) { return "receipt-" + parcel.id; });
  test.task("ship", [](Parcel parcel) { return "shipment-" + parcel.id; });
  test.task("refund", [](std::string) {});
}

TEST(WorkflowTest, RunsAWorkflowWithoutWaiting) {
  WorkflowTest test("process_order", process_order);
  add_fakes(test);
  test.at(48h, [](Client& outside) { outside.resolve_promise("approve-7", true); });
  const Parcel parcel{"7", 3};

  const auto shipment = test.run<std::string>(parcel);

  EXPECT_EQ(shipment, "shipment-7");
  EXPECT_EQ(test.elapsed(), 48h);
  EXPECT_THAT(test.tasks_done(), ElementsAre("charge_card", "ship"));
  EXPECT_EQ(test.status(), "waiting");
}

TEST(WorkflowTest, APromiseThatIsNotKeptInTimeIsAnAnswerToo) {
  WorkflowTest test("process_order", process_order);
  add_fakes(test);
  const Parcel parcel{"7", 3};

  EXPECT_EQ(test.run<std::string>(parcel), "refunded");
  EXPECT_EQ(test.elapsed(), 8 * 24h);
  EXPECT_THAT(test.tasks_done(), ElementsAre("charge_card", "refund"));
}

TEST(WorkflowTest, AFakeThatFailsIsTriedAgainAsATaskIs) {
  WorkflowTest test("process_order", process_order);
  add_fakes(test);
  test.task("charge_card", [](TaskContext& ctx) {
    if (ctx.attempt() == 1) throw std::runtime_error("the bank does not answer");
    return "second try";
  });
  const Parcel parcel{"7", 3};

  EXPECT_EQ(test.run<std::string>(parcel), "refunded");
  EXPECT_THAT(test.tasks_done(), ElementsAre("charge_card", "charge_card", "refund"));
}

TEST(WorkflowTest, AFailureIsWhatTheWorkflowFailedWith) {
  WorkflowTest test("process_order", process_order);
  test.task("charge_card", []() -> int { throw Failure("card_declined", "no").not_retryable(); });
  const Parcel parcel{"7", 3};

  EXPECT_EQ(test.settle(parcel).failure().type(), "card_declined");
}

TEST(WorkflowTest, SaysWhatAWorkflowWaitsForThatNeverComes) {
  WorkflowTest test("process_order", process_order);
  const Parcel parcel{"7", 3};

  try {
    test.run(parcel);
    FAIL() << "it cannot end";
  } catch (const Stuck& stuck) {
    EXPECT_THAT(stuck.what(), HasSubstr("task 'charge_card', which has no fake (command 1)"));
  }
}

TEST(WorkflowTest, ChildrenSignalsAndContinuingWork) {
  WorkflowTest test("loop", [](WorkflowContext& ctx, int round) -> Workflow<int> {
    const int number = co_await ctx.signal<int>("next");
    const int doubled = co_await ctx.child<int>("double", number);
    if (round < 2) ctx.continue_as_new(round + 1);
    co_return doubled;
  });
  test.workflow("double", [](WorkflowContext& ctx, int number) -> Workflow<int> {
    co_await ctx.sleep(1h);
    co_return 2 * number;
  });
  for (int i = 1; i <= 3; ++i) {
    test.at(1min, [i](Client& outside) { outside.signal_workflow("test", "next", i); });
  }

  EXPECT_EQ(test.run<int>(0), 6);  // the third signal came while the first was worked on
  EXPECT_EQ(test.elapsed(), 3h + 1min);
}

TEST(WorkflowTest, WhatIsMadeInSpiteOfItsKeyIsMadeWithoutIt) {
  WorkflowTest test("twice", [](WorkflowContext& ctx) -> Workflow<int> {
    const auto insist = ChildOptions().workflow_id("the-one").on_key_conflict(OnKeyConflict::warn_and_create);
    const int first = co_await ctx.child<int>("one", 0, insist);
    const int second = co_await ctx.child<int>("one", 0, insist);
    const auto held = ctx.promise<int>("key");
    const auto without = PromiseOptions().timeout(1h).on_key_conflict(OnKeyConflict::warn_and_create);
    const auto promised = co_await ctx.promise<int>("key", without).settled();
    const int late = static_cast<int>(promised.failure().status() == Status::timed_out);
    co_return first + second + late;
  });
  test.workflow("one", [](WorkflowContext&) -> Workflow<int> { co_return 1; });

  EXPECT_EQ(test.run<int>(0), 3);
}

TEST(CrashMode, AWorkflowEndsAsEverWhereverItsWorkerDies) {
  WorkflowTest test("process_order", process_order);
  add_fakes(test);
  test.at(48h, [](Client& outside) { outside.resolve_promise("approve-7", true); });
  const Parcel parcel{"7", 3};

  EXPECT_EQ(test.check_crashes(parcel), 10u);
}

TEST(CrashMode, CodeThatIsNotTheSameEachTimeIsFound) {
  int global = 0;
  WorkflowTest test("counts", [&global](WorkflowContext& ctx) -> Workflow<int> {
    const int seen = ++global;
    co_await ctx.task<void>("any");
    co_return seen;
  });
  test.task("any", [] {});

  EXPECT_THROW(test.check_crashes(0), NotDeterministic);
}

TEST(CrashMode, CodeThatAsksForOtherThingsTheSecondTimeIsFound) {
  int global = 0;
  WorkflowTest test("turns", [&global](WorkflowContext& ctx) -> Workflow<> {
    const std::string name = "task-" + std::to_string(++global);
    co_await ctx.task<void>(name);
    co_await ctx.task<void>("last");
  });
  for (int i = 0; i < 10; ++i) test.task("task-" + std::to_string(i), [] {});
  test.task("last", [] {});
  test.cached_workflows(0);

  try {
    test.check_crashes(0);
    FAIL() << "it went unnoticed";
  } catch (const NotDeterministic& found) {
    EXPECT_THAT(found.what(), HasSubstr("the history has task 'task-1', the code asks for task 'task-2'"));
  }
}

// ---- stored histories

std::string stored_order() {
  WorkflowTest test("process_order", process_order);
  add_fakes(test);
  const Parcel parcel{"7", 3};
  test.run(parcel);
  return test.history();
}

TEST(ReplayOfAFile, CodeThatMadeItFitsIt) {
  const ReplayReport report = replay(process_order, stored_order());

  EXPECT_TRUE(report.fits()) << report.problem();
}

TEST(ReplayOfAFile, CodeThatBeginsSomethingAndDoesNotWaitForItFitsToo) {
  const auto hasty = [](WorkflowContext& ctx) -> Workflow<int> {
    co_await ctx.task<void>("work");
    const Pending<void> audit = ctx.task<void>("audit");
    co_return 7;
  };
  WorkflowTest test("hasty", hasty);
  test.task("work", [] {});
  EXPECT_EQ(test.run<int>(0), 7);

  const ReplayReport report = replay(hasty, test.history());

  EXPECT_TRUE(report.fits()) << report.problem();
}

TEST(ReplayOfAFile, ChangedCodeIsFoundByWhatItAsksFor) {
  const auto changed = [](WorkflowContext& ctx, Parcel parcel) -> Workflow<std::string> {
    co_return co_await ctx.task<std::string>("charge_iban", parcel);
  };

  EXPECT_THAT(replay(changed, stored_order()).problem(),
              HasSubstr("command 1: the history has task 'charge_card', the code asks for task 'charge_iban'"));
}

TEST(ReplayOfAFile, CodeThatEndsOtherwiseIsFound) {
  const auto changed = [](WorkflowContext& ctx, Parcel parcel) -> Workflow<std::string> {
    co_await process_order(ctx, parcel);
    throw Failure("no", "not so");
  };

  EXPECT_EQ(replay(changed, stored_order()).problem(), "the history ends with run_completed, the code fails");
}

TEST(ReplayOfAFile, EveryGenerationIsReplayed) {
  const auto loop = [](WorkflowContext& ctx, int round) -> Workflow<int> {
    co_await ctx.task<void>("tick", round);
    if (round < 3) ctx.continue_as_new(round + 1);
    co_return round;
  };
  WorkflowTest test("loop", loop);
  test.task("tick", [](int) {});
  EXPECT_EQ(test.run<int>(1), 3);

  EXPECT_TRUE(replay(loop, test.history()).fits());
  const auto shorter = [](WorkflowContext& ctx, int round) -> Workflow<int> {
    co_await ctx.task<void>("tick", round);
    co_return round;
  };
  EXPECT_EQ(replay(shorter, test.history()).problem(), "the history ends with continued, the code completes");
}

TEST(ReplayOfAFile, WhatIsNoHistoryIsSaid) {
  EXPECT_THAT(replay(process_order, "{}").problem(), HasSubstr("it has no events"));
  EXPECT_THAT(replay(process_order, "[").problem(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace semel::testkit
