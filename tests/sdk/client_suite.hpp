#pragma once
#include "tests/sdk/client_suite_changes.hpp"
#include "tests/sdk/client_suite_queues.hpp"
#include "tests/sdk/client_suite_schedules.hpp"
#include "tests/sdk/client_suite_sticky.hpp"
#include "tests/sdk/client_suite_workers.hpp"
#include "tests/sdk/client_suite_workflows.hpp"

namespace semel::suite {

TYPED_TEST_P(ClientSuite, ATaskIsDoneAndItsDuplicateGetsItsResult) {
  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  worker.start();

  const auto first = client.submit<std::string>("charge", Order{"1", 5}, SubmitOptions().idempotency_key("k"));
  const auto again = client.submit<std::string>("charge", Order{"1", 5}, SubmitOptions().idempotency_key("k"));

  EXPECT_EQ(first.result(), "paid:5");
  EXPECT_TRUE(first.is_new());
  EXPECT_FALSE(again.is_new());
  EXPECT_EQ(again.id(), first.id());
  EXPECT_EQ(again.result(), "paid:5");
  EXPECT_EQ(this->charges_, 1);
}

TYPED_TEST_P(ClientSuite, AKeyWithAnotherPayloadIsRefused) {
  Client client = this->client();
  client.submit("charge", Order{"1", 5}, SubmitOptions().idempotency_key("k"));

  try {
    client.submit("charge", Order{"1", 6}, SubmitOptions().idempotency_key("k"));
    FAIL() << "it was taken";
  } catch (const RequestRefused& refused) {
    EXPECT_EQ(refused.code(), "IDEMPOTENCY_KEY_MISMATCH");
  }
}

TYPED_TEST_P(ClientSuite, AKeyThatIsHeldOutsideIsNotGivenToAPromiseInside) {
  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  const auto promise = client.create_promise<bool>("approve-7");
  const auto order = client.start_workflow<std::string>("process_order", "order-7", Order{"7", 100});
  worker.start();

  const Settled<std::string> settled = order.settled();
  EXPECT_FALSE(settled.has_value());
  EXPECT_EQ(settled.failure().type(), "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_TRUE(client.resolve_promise("approve-7", true));
  EXPECT_FALSE(client.resolve_promise("approve-7", true)) << "it had been kept before";
  EXPECT_EQ(promise.result(), true);
}

/// Waits until the workflow has made its promise: then it can be kept by its key.
inline void keep(Client& client, const std::string& key) {
  while (true) {
    try {
      client.resolve_promise(key, true);
      return;
    } catch (const RequestRefused& refused) {
      if (refused.code() != "NOT_FOUND") throw;
      std::this_thread::yield();
    }
  }
}

TYPED_TEST_P(ClientSuite, AWorkflowGoesFromItsFirstTaskToItsEnd) {
  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  const auto order = client.start_workflow<std::string>("process_order", "order-7", Order{"7", 100});
  EXPECT_TRUE(client.signal_workflow("order-7", "note", "fragile", "n1"));
  EXPECT_FALSE(client.signal_workflow("order-7", "note", "fragile", "n1")) << "it had come before";

  worker.start();
  keep(client, "approve-7");

  EXPECT_EQ(order.result(), "paid:100 sent:parcel-7 fragile");
}

TYPED_TEST_P(ClientSuite, AWorkflowOutlivesItsWorkersAndItsProcess) {
  {
    Client client = this->client();
    Worker worker(client);
    this->add_all(worker);
    worker.start();
    client.start_workflow<std::string>("process_order", "order-8", Order{"8", 3});
    keep(client, "approve-8");
    worker.stop();
  }
  EXPECT_EQ(this->charges_, 1);
  this->stage_.restart();

  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  worker.start();
  client.signal_workflow("order-8", "note", "late");
  const auto again = client.start_workflow<std::string>("process_order", "order-8", Order{"8", 3});

  EXPECT_FALSE(again.is_new());
  EXPECT_EQ(again.result(), "paid:3 sent:parcel-8 late");
  EXPECT_EQ(this->charges_, 1) << "what was recorded is not done again";
}

TYPED_TEST_P(ClientSuite, AWorkflowThatIsCancelledEndsSo) {
  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  worker.start();
  const auto order = client.start_workflow<std::string>("process_order", "order-9", Order{"9", 1});
  keep(client, "approve-9");

  order.cancel();

  EXPECT_EQ(order.settled().failure().status(), Status::cancelled);
}

// ---- failures

TYPED_TEST_P(ClientSuite, AFailureIsToldWithItsTypeAndDetails) {
  Client client = this->client();
  Worker worker(client);
  worker.task("charge", [](Order) -> int {
    throw Failure("card_declined", "the bank said no").not_retryable().details(R"({"code":51})");
  });
  worker.start();

  const Settled<int> settled = client.submit<int>("charge", Order{"1", 5}).settled();

  ASSERT_FALSE(settled.has_value());
  EXPECT_EQ(settled.failure().type(), "card_declined");
  EXPECT_EQ(settled.failure().status(), Status::failed);
  const Json error = Json::parse(settled.failure().error());
  EXPECT_EQ(error["message"], "the bank said no");
  EXPECT_EQ(error["details"], Json({{"code", 51}}));
}

inline Workflow<std::string> compensate(WorkflowContext& ctx) {
  const auto charged = co_await ctx.task<int>("charge").settled();
  if (!charged) co_return charged.failure().type();
  throw Failure("impossible", "it was charged");
}

TYPED_TEST_P(ClientSuite, AWorkflowSeesHowItsTaskFailedAndGoesOn) {
  Client client = this->client();
  Worker worker(client);
  worker.task("charge", []() -> int { throw Failure("card_declined", "no").not_retryable(); });
  worker.workflow("compensate", compensate);
  worker.start();

  EXPECT_EQ(client.start_workflow<std::string>("compensate", "w", 0).result(), "card_declined");
}

TYPED_TEST_P(ClientSuite, APromiseIsBrokenWithAReason) {
  Client client = this->client();
  const auto promise = client.create_promise<int>("answer");

  EXPECT_TRUE(client.reject_promise("answer", Failure("too_late", "the office has closed")));

  const Settled<int> settled = promise.settled();
  ASSERT_FALSE(settled.has_value());
  EXPECT_EQ(settled.failure().type(), "too_late");
}

TYPED_TEST_P(ClientSuite, WhatIsNotThereIsSaidToBeNotThere) {
  Client client = this->client();

  try {
    client.signal_workflow("no-such-order", "note", 1);
    FAIL() << "it was taken";
  } catch (const RequestRefused& refused) {
    EXPECT_EQ(refused.code(), "NOT_FOUND");
  }
}

REGISTER_TYPED_TEST_SUITE_P(
    ClientSuite, ATaskIsDoneAndItsDuplicateGetsItsResult, AKeyWithAnotherPayloadIsRefused,
    AKeyThatIsHeldOutsideIsNotGivenToAPromiseInside, AWorkflowGoesFromItsFirstTaskToItsEnd,
    AWorkflowOutlivesItsWorkersAndItsProcess, AFanOutOfAThousandTasksComesTogether,
    AWorkflowContinuesAsNewUnderTheSameId, AWorkflowThatIsCancelledEndsSo, EachSettingOfAQueueArrives,
    SettingsOfAQueueThatCannotBeAreRefused, WhatAWorkflowSaysOfItselfIsReadFromOutside,
    AFailureIsToldWithItsTypeAndDetails, AWorkflowSeesHowItsTaskFailedAndGoesOn, APromiseIsBrokenWithAReason,
    WhatIsNotThereIsSaidToBeNotThere, ARunningTaskHearsThatItIsCancelled, AWorkerThatStopsEndsWhatItHasBegun,
    WhatAStoppedWorkerDidNotBeginIsDoneByAnother, NoHandlerRunsMoreOftenAtOnceThanItMay,
    AllRoomOfAWorkerGoesToTheQueueThatHasWork, TwoWorkersOfOneClientGetEachItsOwn, ManyCallersGetEachTheirOwnResult,
    SignalsThatNobodyHasReadOutliveContinuingAsNew, ASignalThatWasAskedForAndNotAwaitedOutlivesContinuingAsNew,
    EveryKindOfCommandArrives, ACommandThatCannotBeIsRefusedAndTheWorkflowWaitsForCodeThatCan,
    ASignalHasAKeyOfAFewBytes, AWorkflowIsWaitedForOnlySoLong, SchedulesFireByThemselves,
    SchedulesGiveTheSameTaskForTheSameTime, SchedulesMakeTheirTasksAsTheySay, SchedulesThatCanNeverFireAreRefused,
    SchedulesAreGoneWhenTheyAreRemoved, APausedScheduleFiresWhenItGoesOn, AScheduleWhoseLastTaskIsOpenMakesNoOther,
    AWorkerIsGivenEachEventOfAWorkflowOnce, AWorkerThatHasLostAWorkflowReadsItsWholeHistory,
    AnotherWorkerReadsTheWholeHistory, AllAnyAndRaceWaitForSeveralAtOnce, TimeGoesOnWhileNothingRuns,
    PromisesTimeOutInsideAndOutside, CodeThatDoesNotFitAHistoryHarmsOnlyThatWorkflow,
    AWorkflowTakesTheFormThatItBeganWith);

}  // namespace semel::suite
