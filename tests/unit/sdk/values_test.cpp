#include <gmock/gmock.h>

#include <set>

#include "domain/workflow/step_id.hpp"
#include "tests/unit/sdk/history.hpp"

namespace semel::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SideEffect, IsDoneOnceAndRecorded) {
  int calls = 0;
  const auto code = [&calls](WorkflowContext& ctx) -> Workflow<int> {
    const int drawn = ctx.run("draw", [&] { return 40 + ++calls; });
    co_await ctx.task<void>("pay");
    co_return drawn;
  };
  Told first(code);
  const Turn turn = first.advance(History());
  History history;
  history.marker(1, "draw", std::get<Record>(turn.commands.at(0).order).value).scheduled(2, "pay").completed(2, "null");

  Told second(code);
  const Turn replayed = second.advance(history);

  EXPECT_THAT(texts_of(turn), ElementsAre("1 marker draw", "2 task pay"));
  EXPECT_EQ(end_of(replayed), "completed 41");
  EXPECT_EQ(calls, 1);
}

TEST(SideEffect, ThatFailsFailsInTheSameWayWhenItIsReplayed) {
  const auto code = [](WorkflowContext& ctx) -> Workflow<std::string> {
    std::string type;
    try {
      ctx.run("draw", [] { throw Failure("empty", "nothing left"); });
    } catch (const ExecutionFailed& failed) {
      type = failed.type();
    }
    co_return type;
  };
  Told first(code);
  const Turn turn = first.advance(History());

  Told second(code);
  const Turn replayed = second.advance(History().marker(1, "draw", std::get<Record>(turn.commands.at(0).order).value));

  EXPECT_EQ(end_of(turn), R"(completed "empty")");
  EXPECT_EQ(end_of(replayed), R"(completed "empty")");
}

TEST(SideEffect, MayNotUseTheContext) {
  Told told([](WorkflowContext& ctx) -> Workflow<> {
    ctx.run("nested", [&] { static_cast<void>(ctx.task<void>("pay")); });
    co_return;
  });

  EXPECT_EQ(end_of(told.advance(History())),
            R"(failed {"type":"exception","message":"the function of ctx.run() may not use the context"})");
}

TEST(Values, TheTimeIsThatOfTheEventByWhichTheCodeGoesOn) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::vector<std::int64_t>> {
    std::vector<std::int64_t> times{ctx.now().time_since_epoch().count()};
    co_await ctx.sleep(1h);
    times.push_back(ctx.now().time_since_epoch().count());
    co_return times;
  });

  EXPECT_EQ(end_of(told.advance(History().timer(1).fired(1))), "completed [1700000001000,1700000003000]");
}

TEST(Values, UuidsAndRandomNumbersAreTheSameInEveryReplay) {
  const auto code = [](WorkflowContext& ctx) -> Workflow<Json> {
    Json values = {ctx.uuid(), ctx.uuid(), ctx.random(), ctx.random()};
    co_return values;
  };
  Told first(code);
  Told second(code);
  const std::string values = end_of(first.advance(History()));

  EXPECT_EQ(values, end_of(second.advance(History())));
  const Json json = Json::parse(values.substr(std::string("completed ").size()));
  EXPECT_EQ(std::set<Json>(json.begin(), json.end()).size(), 4u);
  EXPECT_EQ(json[0].get<std::string>()[14], '8');
}

TEST(Values, TheIdOfATaskIsKnownBeforeItIsMade) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::string> {
    const Pending<Json> promise = ctx.promise();
    co_return promise.id();
  });

  const Turn turn = told.advance(History());

  EXPECT_THAT(texts_of(turn), ElementsAre("1 promise -"));
  const auto run = domain::ExecutionId::parse("018f0000-0000-7000-8000-000000000001").value();
  EXPECT_EQ(end_of(turn), "completed \"" + domain::step_execution_id(run, "#1").text() + "\"");
}

TEST(Values, AnIdempotencyKeyBelongsToTheWorkflow) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::string> { co_return ctx.idempotency_key("charge"); });

  EXPECT_EQ(end_of(told.advance(History())), R"(completed "018f0000-0000-7000-8000-000000000001:charge")");
}

TEST(Values, TheLastStatusIsTold) {
  Told told([](WorkflowContext& ctx) -> Workflow<> {
    ctx.set_status("begins");
    ctx.set_status(std::map<std::string, int>{{"done", 1}});
    co_await ctx.sleep(1h);
  });

  EXPECT_EQ(told.advance(History()).status, R"({"done":1})");
  EXPECT_EQ(told.advance(History().timer(1).from(2), 1).status, std::nullopt);
}

TEST(Values, ATimerCountsFromItsCommitOrFiresAtATime) {
  Told told([](WorkflowContext& ctx) -> Workflow<> {
    static_cast<void>(ctx.timer(90s));
    static_cast<void>(ctx.timer_at(Time(1'800'000'000s)));
    co_return;
  });

  const Turn turn = told.advance(History());

  EXPECT_EQ(std::get<StartTimer>(turn.commands.at(0).order).after, Duration(90s));
  EXPECT_EQ(std::get<StartTimer>(turn.commands.at(1).order).fire_at, Time(1'800'000'000s));
}

TEST(ContinueAsNew, EndsTheCodeWithANewInputAndWhatNobodyHasRead) {
  Told told(
      [](WorkflowContext& ctx, int round) -> Workflow<int> {
        co_await ctx.signal<int>("go");
        try {
          ctx.continue_as_new(round + 1);
        } catch (const std::exception&) {
          co_return -1;  // what ends the code is none of these
        }
      },
      "1");

  const Turn turn = told.advance(History().signal("more", "7").signal("go", "1").signal("go", "2"));

  EXPECT_EQ(end_of(turn), "continued 2");
  const auto& next = std::get<ContinueWith>(*turn.end);
  ASSERT_EQ(next.signals.size(), 1u);
  EXPECT_EQ(next.signals[0].name + next.signals[0].value, "more7");
  EXPECT_EQ(told.instance.position(), 3u);  // of the last signal nobody was told
}

TEST(ContinueAsNew, WhatWasAskedForAndNeverAwaitedIsNotReadEither) {
  Told told([](WorkflowContext& ctx) -> Workflow<> {
    auto first = ctx.signal<int>("n");
    auto second = ctx.signal<int>("n");
    auto stop = ctx.signal<int>("stop");
    co_await ctx.task<void>("work");
    co_await first;
    ctx.continue_as_new(0);
  });
  History history;
  history.scheduled(1, "work").signal("n", "1").signal("stop", "2").signal("n", "3").signal("n", "4");

  const Turn turn = told.advance(history.completed(1, "null"));

  ASSERT_EQ(end_of(turn), "continued 0");
  std::string unread;
  for (const UnreadSignal& each : std::get<ContinueWith>(*turn.end).signals) unread += each.name + each.value + " ";
  EXPECT_EQ(unread, "stop2 n3 n4 ");
}

TEST(ContinueAsNew, ASignalThatIsPutBackIsUnreadOnce) {
  Told told([](WorkflowContext& ctx) -> Workflow<> {
    {
      auto dropped = ctx.signal<int>("n");
      co_await ctx.task<void>("work");
    }
    auto again = ctx.signal<int>("n");
    co_await ctx.task<void>("work");
    ctx.continue_as_new(0);
  });
  History history;
  history.scheduled(1, "work").signal("n", "1").completed(1, "null").scheduled(2, "work").completed(2, "null");

  const Turn turn = told.advance(history);

  ASSERT_EQ(end_of(turn), "continued 0");
  EXPECT_EQ(std::get<ContinueWith>(*turn.end).signals.size(), 1u);
}

TEST(ContinueAsNew, NumbersGoOn) {
  const detail::WorkflowFunction code =
      detail::make_workflow([](WorkflowContext& ctx) -> Workflow<> { co_await ctx.task<void>("again"); });
  Instance instance({"018f0000-0000-7000-8000-000000000001", "order-1", "order", 9}, code, "{}");
  const std::vector<Event> events{{9, Time(1s), "continued", "", R"({"command":4,"input":{}})"}};

  EXPECT_THAT(texts_of(instance.advance(events, 4)), ElementsAre("5 task again"));
}

TEST(Cancelling, ATimerEndsItAtOnceAndATaskWhenItsWorkerSaysSo) {
  const auto code = [](WorkflowContext& ctx) -> Workflow<std::string> {
    Pending<void> timer = ctx.timer(1h);
    Pending<void> task = ctx.task<void>("slow");
    co_await ctx.signal("stop");
    timer.cancel();
    task.cancel();
    const Settled<void> timed = co_await std::move(timer).settled();
    const Settled<void> done = co_await std::move(task).settled();
    std::string text(name_of(timed.failure().status()));
    co_return text.append(" ").append(name_of(done.failure().status()));
  };
  Told told(code);
  History history;
  history.timer(1).scheduled(2, "slow").signal("stop", "null");
  const Turn turn = told.advance(history);
  history.fired(1);  // it had fired before it was cancelled, and nobody had been told
  history.add("timer_cancelled", "", R"({"command":3,"target":1})");
  history.add("task_cancel_requested", "", R"({"command":4,"target":2})");
  history.add("task_cancelled", "slow#2", R"({"command":2,"error":{"type":"cancelled"}})");

  EXPECT_THAT(texts_of(turn), ElementsAre("3 cancel 1", "4 cancel 2"));
  EXPECT_EQ(end_of(told.advance(history.from(5), 4)), R"(completed "cancelled cancelled")");
  EXPECT_EQ(end_of(Told(code).advance(history)), R"(completed "cancelled cancelled")");
}

}  // namespace
}  // namespace semel::sdk
