#include <gmock/gmock.h>

#include "tests/unit/sdk/history.hpp"

namespace semel::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Workflow<int> charge_and_ship(WorkflowContext& ctx) {
  co_await ctx.task<void>("charge");
  co_await ctx.task<void>("ship");
  co_return 1;
}

TEST(Nondeterminism, AnotherTaskThanTheHistoryHasIsNamedBesideIt) {
  Told told(charge_and_ship);
  History history;
  history.scheduled(1, "bill").completed(1, "null");

  const Turn turn = told.advance(history);

  EXPECT_EQ(
      turn.fault,
      R"({"type":"nondeterminism","message":"command 1: the history has task 'bill', the code asks for task 'charge'"})");
  EXPECT_THAT(turn.commands, IsEmpty());
}

TEST(Nondeterminism, AnotherKindOfCommandIsNamedToo) {
  Told told(charge_and_ship);

  const Turn turn = told.advance(History().timer(1));

  EXPECT_THAT(end_of(turn), HasSubstr("the history has a timer, the code asks for task 'charge'"));
}

TEST(Nondeterminism, AnotherPromiseIsAnotherCommand) {
  const auto code = [](WorkflowContext& ctx) -> Workflow<> { co_await ctx.promise<int>("approve-7"); };
  const auto created = [](const std::string& detail) {
    return History().add("promise_created", "promise#1", R"({"command":1)" + detail + "}");
  };

  EXPECT_THAT(end_of(Told(code).advance(created(R"(,"key":"payment-7")"))),
              HasSubstr("the history has promise 'payment-7', the code asks for promise 'approve-7'"));
  EXPECT_EQ(end_of(Told(code).advance(created(R"(,"key":"approve-7")"))), "waits");
  EXPECT_EQ(end_of(Told(code).advance(created(""))), "waits") << "whoever wrote it did not say the key";
}

TEST(Nondeterminism, CodeThatNoLongerAsksForSomethingIsNoticedWhenThatEnds) {
  Told told(charge_and_ship);
  History history;
  history.scheduled(1, "charge").scheduled(2, "audit").completed(2, "null");

  const Turn turn = told.advance(history);

  EXPECT_THAT(end_of(turn),
              HasSubstr("command 2: the history has task 'audit', which has ended by event 4; the code has "
                        "not asked for it by then"));
}

TEST(Nondeterminism, CodeThatNoLongerAsksForSomethingIsNoticedWhileThatIsOpen) {
  Told told(charge_and_ship);
  History history;
  history.scheduled(1, "charge").scheduled(2, "audit");

  EXPECT_THAT(end_of(told.advance(history)),
              HasSubstr("command 2: the history has task 'audit', the code asks for nothing more"));
}

TEST(Nondeterminism, CodeThatEndsEarlierThanItsHistoryIsNoticed) {
  Told told([](WorkflowContext& ctx) -> Workflow<> { co_await ctx.task<void>("charge"); });
  History history;
  history.scheduled(1, "charge").completed(1, "null").scheduled(2, "ship");

  EXPECT_THAT(end_of(told.advance(history)), HasSubstr("task 'ship', the code asks for nothing more"));
}

TEST(Nondeterminism, CodeCannotGoOnByCatchingIt) {
  int reached = 0;
  Told told([&reached](WorkflowContext& ctx) -> Workflow<int> {
    try {
      co_await ctx.task<void>("charge");
    } catch (...) {
      reached = 1;
    }
    co_await ctx.task<void>("ship");
    reached = 2;
    co_return 1;
  });
  History history;
  history.scheduled(1, "bill").completed(1, "null");

  const Turn turn = told.advance(history);

  EXPECT_THAT(end_of(turn), HasSubstr("nondeterminism"));
  EXPECT_EQ(reached, 1);
}

TEST(Nondeterminism, DestructorsMayStillUseTheContext) {
  struct Guard {
    explicit Guard(WorkflowContext& ctx) : context(&ctx) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { static_cast<void>(context->task<void>("release")); }
    WorkflowContext* context;
  };
  Told told([](WorkflowContext& ctx) -> Workflow<> {
    const Guard guard(ctx);
    co_await ctx.task<void>("charge");
  });
  History history;
  history.scheduled(1, "bill");

  EXPECT_THAT(end_of(told.advance(history)), HasSubstr("nondeterminism"));
}

TEST(Nondeterminism, AHistoryThatCannotBeReadHarmsOnlyThisWorkflow) {
  Told told(charge_and_ship);
  History history;
  history.add("task_completed", "charge#1", R"({"command":)");

  EXPECT_THAT(end_of(told.advance(history)), HasSubstr("unreadable_history"));
}

TEST(Nondeterminism, EventsOfKindsThatAreNotKnownAreNothing) {
  Told told(charge_and_ship);
  History history;
  history.add("something_of_tomorrow", "", R"({"command":9})").scheduled(1, "charge");

  EXPECT_EQ(end_of(told.advance(history)), "waits");
}

TEST(Nondeterminism, CommandsThatTheServerKnowsAreNotSentAgain) {
  Told told(charge_and_ship);

  EXPECT_THAT(told.advance(History().events(), 1).commands, IsEmpty());
}

// ---- versions

Workflow<int> versioned(WorkflowContext& ctx) {
  co_await ctx.task<void>("charge");
  const int version = ctx.version("fees", 1, 2);
  if (version == 2) co_await ctx.task<void>("fees");
  co_await ctx.task<void>("ship");
  co_return ctx.version("fees", 1, 2);
}

TEST(Version, CodeThatComesThereFirstTakesTheNewest) {
  Told told(versioned);
  History history;
  history.scheduled(1, "charge").completed(1, "null");

  const Turn turn = told.advance(history);

  EXPECT_THAT(texts_of(turn), ElementsAre("2 marker version:fees", "3 task fees"));
}

TEST(Version, AHistoryFromBeforeTheChangeKeepsTheOldest) {
  Told told(versioned);
  History history;
  history.scheduled(1, "charge").completed(1, "null").scheduled(2, "ship").completed(2, "null");

  EXPECT_EQ(end_of(told.advance(history)), "completed 1");
}

TEST(Version, WhatWasTakenStays) {
  Told told(versioned);
  History history;
  history.scheduled(1, "charge").completed(1, "null").marker(2, "version:fees", "2").scheduled(3, "fees");
  history.completed(3, "null").scheduled(4, "ship").completed(4, "null");

  EXPECT_EQ(end_of(told.advance(history)), "completed 2");
}

TEST(Version, CodeThatHasGivenUpAVersionSaysSo) {
  Told told(versioned);
  History history;
  history.scheduled(1, "charge").completed(1, "null").marker(2, "version:fees", "3");

  EXPECT_THAT(end_of(told.advance(history)),
              HasSubstr("the history has version 3 of change 'fees', the code has 1 to 2"));
}

}  // namespace
}  // namespace semel::sdk
