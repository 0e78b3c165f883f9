#include <gmock/gmock.h>

#include <memory>

#include "tests/unit/sdk/history.hpp"

namespace semel::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Texts = std::vector<std::string>;

int frames_alive = 0;  // proves that frames which are let go destroy their locals

struct FrameProbe {
  FrameProbe() { ++frames_alive; }
  FrameProbe(const FrameProbe&) = delete;
  FrameProbe& operator=(const FrameProbe&) = delete;
  ~FrameProbe() { --frames_alive; }
};

Workflow<std::string> reserve(WorkflowContext& ctx, std::string sku) {
  FrameProbe probe;
  co_return co_await ctx.task<std::string>("reserve", sku);
}

Workflow<Json> order(WorkflowContext& ctx, Json input) {
  FrameProbe probe;
  auto resource = std::make_unique<std::string>("held over every wait");
  const auto charge = co_await ctx.task<std::string>("charge", input, StepOptions().queue("payments").max_attempts(5));
  co_await ctx.sleep(1h);
  Pending<std::string> ship = ctx.task<std::string>("ship", charge);  // both begin here ...
  Pending<void> mail = ctx.task<void>("mail", *resource);
  const std::string shipment = co_await ship;  // ... and are awaited here
  co_await mail;
  const std::string slot = co_await reserve(ctx, "A1");
  const auto approval = co_await ctx.signal<std::string>("approved");
  if (approval != "yes") throw Failure("rejected", "rejected for " + slot);
  Json result = {{"charge", charge}, {"shipment", shipment}};
  co_return result;
}

History whole_order() {
  History history;
  history.scheduled(1, "charge").completed(1, R"("c1")").timer(2).fired(2);
  history.scheduled(3, "ship").scheduled(4, "mail").completed(4, "null").completed(3, R"("s1")");
  history.scheduled(5, "reserve").completed(5, R"("r1")").signal("approved", R"("yes")");
  return history;
}

TEST(Replay, CommandsAreWhatTheCodeAsksForBeforeItWaits) {
  Told told(order);

  const Turn turn = told.advance(History());

  EXPECT_THAT(texts_of(turn), ElementsAre("1 task charge"));
  EXPECT_EQ(end_of(turn), "waits");
  const auto& task = std::get<ScheduleTask>(turn.commands[0].order);
  EXPECT_EQ(task.settings.queue, "payments");
  EXPECT_EQ(task.settings.max_attempts, 5);
}

TEST(Replay, TheWholeHistoryAsksForNothingNewAndGivesTheResult) {
  Told told(order);

  const Turn turn = told.advance(whole_order());

  EXPECT_EQ(end_of(turn), R"(completed {"charge":"c1","shipment":"s1"})");
  EXPECT_THAT(turn.commands, IsEmpty());
}

TEST(Replay, TheSameComesOfAHistoryInWhateverPieces) {
  const History history = whole_order();
  for (std::size_t cut = 1; cut < history.events().size(); ++cut) {
    Told told(order);
    std::vector<Event> first(history.events().begin(), history.events().begin() + static_cast<std::ptrdiff_t>(cut));

    told.advance(first);
    const Turn turn = told.advance(history.from(cut + 1));

    EXPECT_EQ(end_of(turn), R"(completed {"charge":"c1","shipment":"s1"})") << "cut after event " << cut;
  }
}

TEST(Replay, TwoTasksThatBeginTogetherAreAskedForTogether) {
  Told told(order);
  History history;
  history.scheduled(1, "charge").completed(1, R"("c1")").timer(2).fired(2);

  const Turn turn = told.advance(history);

  EXPECT_THAT(texts_of(turn), ElementsAre("3 task ship", "4 task mail"));
}

TEST(Replay, AnUncaughtFailureIsTheEndOfTheWorkflow) {
  Told told(order);
  History history;
  history.scheduled(1, "charge").failed(1, "card_declined");

  const Turn turn = told.advance(history);

  EXPECT_EQ(end_of(turn), R"(failed {"type":"card_declined","message":"no"})");
}

TEST(Replay, WhatTheCodeThrowsIsTheError) {
  Told told([](WorkflowContext&) -> Workflow<> {
    throw Failure("rejected", "for a reason").details(R"({"by":1.50})");
    co_return;
  });

  const Turn turn = told.advance(History());

  EXPECT_EQ(end_of(turn), R"(failed {"type":"rejected","message":"for a reason","details":{"by":1.50}})");
}

TEST(Replay, AFailureAsAValueLetsTheCodeCompensate) {
  const auto saga = [](WorkflowContext& ctx) -> Workflow<std::string> {
    const Settled<void> shipped = co_await ctx.task<void>("ship").settled();
    if (shipped) co_return "shipped";
    co_await ctx.task<void>("refund");
    co_return "refunded after " + shipped.failure().type();
  };
  Told told(saga);
  History history;
  history.scheduled(1, "ship").failed(1, "no_stock");

  const Turn turn = told.advance(history);
  const Turn last = told.advance(history.scheduled(2, "refund").completed(2, "null").from(4), 2);

  EXPECT_THAT(texts_of(turn), ElementsAre("2 task refund"));
  EXPECT_EQ(end_of(last), R"(completed "refunded after no_stock")");
}

TEST(Replay, ASuspendedWorkflowThatIsLetGoDestroysItsLocals) {
  {
    Told told(order);
    History history = whole_order();
    std::vector<Event> events = history.events();
    events.resize(10);  // it waits inside of reserve()
    told.advance(events);

    EXPECT_EQ(frames_alive, 2);
  }

  EXPECT_EQ(frames_alive, 0);
}

TEST(Replay, NumbersTooBigForADoubleComeThroughAsTheyAre) {
  const auto pass_on = [](WorkflowContext& ctx) -> Workflow<JsonText> {
    co_return co_await ctx.task<JsonText>("count");
  };
  Told told(pass_on);
  History history;
  history.scheduled(1, "count").completed(1, "123456789012345678901234567890.10");

  EXPECT_EQ(end_of(told.advance(history)), "completed 123456789012345678901234567890.10");
}

TEST(Replay, AnInputThatDoesNotFitFailsTheWorkflow) {
  Told told([](WorkflowContext&, int) -> Workflow<int> { co_return 1; }, R"("no number")");

  EXPECT_THAT(end_of(told.advance(History())), ::testing::StartsWith(R"(failed {"type":"invalid_input")"));
}

TEST(Replay, WhatIsBegunAndNeverAwaitedIsAskedForAllTheSame) {
  Told told([](WorkflowContext& ctx) -> Workflow<int> {
    {
      const Pending<void> dropped = ctx.task<void>("audit");
    }
    co_return 7;
  });

  const Turn turn = told.advance(History());

  EXPECT_EQ(texts_of(turn), Texts{"1 task audit"});
  EXPECT_EQ(end_of(turn), "completed 7");
}

TEST(Replay, WhatWasBegunAndNeverAwaitedIsFoundAgain) {
  Told told([](WorkflowContext& ctx) -> Workflow<int> {
    co_await ctx.task<void>("work");
    const Pending<void> dropped = ctx.task<void>("audit");
    co_return 7;
  });
  History history;
  history.scheduled(1, "work").completed(1, "null").scheduled(2, "audit").add("run_completed", "", R"({"result":7})");

  EXPECT_EQ(end_of(told.advance(history)), "completed 7");
}

TEST(Replay, AwaitingTwiceIsAnErrorOfTheCode) {
  Told told([](WorkflowContext& ctx) -> Workflow<> {
    const Pending<int> task = ctx.task<int>("one");
    co_await task;
    co_await task;
  });
  History history;
  history.scheduled(1, "one").completed(1, "1");

  EXPECT_EQ(end_of(told.advance(history)), R"(failed {"type":"exception","message":"a Pending can be awaited once"})");
}

TEST(Replay, WhatWasMovedAwayCannotBeAwaited) {
  Told pending([](WorkflowContext& ctx) -> Workflow<> {
    Pending<int> task = ctx.task<int>("one");
    Pending<Settled<int>> settled = std::move(task).settled();
    co_await task;
  });
  Told workflow([](WorkflowContext& ctx) -> Workflow<> {
    Workflow<std::string> sub = reserve(ctx, "A1");
    co_await sub;
    co_await sub;
  });

  EXPECT_EQ(end_of(pending.advance(History())),
            R"(failed {"type":"exception","message":"this Pending was moved away"})");
  EXPECT_EQ(end_of(workflow.advance(History().scheduled(1, "reserve").completed(1, R"("r")"))),
            R"(failed {"type":"exception","message":"a Workflow can be awaited once"})");
}

Workflow<int> one(int value) { co_return value; }

TEST(Replay, SubWorkflowsThatEndAtOnceDoNotGrowTheStack) {
  Told told([](WorkflowContext&) -> Workflow<int> {
    int sum = 0;
    for (int i = 0; i < 100'000; ++i) sum += co_await one(1);
    co_return sum;
  });

  EXPECT_EQ(end_of(told.advance(History())), "completed 100000");
}

TEST(Replay, ALongHistoryIsReplayed) {
  const auto sum = [](WorkflowContext& ctx) -> Workflow<int> {
    int total = 0;
    for (int i = 0; i < 5'000; ++i) total += co_await ctx.task<int>("add", i);
    co_return total;
  };
  History history;
  for (int i = 1; i <= 5'000; ++i) history.scheduled(i, "add").completed(i, "2");
  Told told(sum);

  EXPECT_EQ(end_of(told.advance(history)), "completed 10000");
}

}  // namespace
}  // namespace semel::sdk
