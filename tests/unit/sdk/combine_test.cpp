#include <gmock/gmock.h>

#include "tests/unit/sdk/history.hpp"

namespace semel::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(All, ArgumentsAreNumberedInTheirOrderWhateverTheCompilerEvaluatesFirst) {
  Told told([](WorkflowContext& ctx) -> Workflow<> {
    static_cast<void>(ctx.task<void>("before"));
    co_await all(ctx.task<int>("a"), ctx.task<void>("b"), ctx.timer(1h), ctx.task<int>("c"));
  });

  EXPECT_THAT(texts_of(told.advance(History())),
              ElementsAre("1 task before", "2 task a", "3 task b", "4 timer", "5 task c"));
}

Workflow<int> two_steps(WorkflowContext& ctx, std::string name) {
  const int first = co_await ctx.task<int>(name + "1");
  co_return first + co_await ctx.task<int>(name + "2");
}

TEST(All, RunsWorkflowsBesideEachOther) {
  const auto code = [](WorkflowContext& ctx) -> Workflow<std::string> {
    auto [left, right, third] = co_await all(two_steps(ctx, "l"), two_steps(ctx, "r"), ctx.task<void>("x"));
    static_cast<void>(third);
    co_return std::to_string(left) + " " + std::to_string(right);
  };
  Told told(code);
  History history;
  history.scheduled(1, "x").scheduled(2, "l1").scheduled(3, "r1").completed(3, "10").completed(2, "1");
  const Turn turn = told.advance(history);
  history.scheduled(4, "r2").scheduled(5, "l2").completed(5, "2").completed(1, "null").completed(4, "20");

  EXPECT_THAT(texts_of(turn), ElementsAre("4 task r2", "5 task l2"));
  EXPECT_EQ(end_of(told.advance(history.from(7), 5)), R"(completed "3 30")");
  EXPECT_EQ(end_of(Told(code).advance(history)), R"(completed "3 30")");
}

TEST(All, WaitsForAllAndThrowsTheFirstFailureInOrder) {
  const auto code = [](WorkflowContext& ctx) -> Workflow<std::string> {
    std::string type;
    try {
      co_await all(ctx.task<int>("a"), ctx.task<int>("b"), ctx.task<int>("c"));
    } catch (const ExecutionFailed& failed) {
      type = failed.type();
    }
    co_return type;
  };
  Told told(code);
  History history;
  history.scheduled(1, "a").scheduled(2, "b").scheduled(3, "c").failed(3, "late").failed(2, "early");

  EXPECT_EQ(end_of(told.advance(history)), "waits");
  EXPECT_EQ(end_of(told.advance(history.completed(1, "1").from(7))), R"(completed "early")");
}

TEST(All, OfManyGivesTheirValuesInOrder) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::vector<int>> {
    std::vector<Pending<int>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(ctx.task<int>("item", i));
    co_return co_await all(std::move(tasks));
  });
  History history;
  history.scheduled(1, "item").scheduled(2, "item").scheduled(3, "item");
  history.completed(3, "30").completed(1, "10").completed(2, "20");

  EXPECT_EQ(end_of(told.advance(history)), "completed [10,20,30]");
}

TEST(All, OfNothingEndsAtOnce) {
  Told told([](WorkflowContext&) -> Workflow<std::vector<int>> {
    std::vector<Workflow<int>> none;
    co_return co_await all(std::move(none));
  });

  EXPECT_EQ(end_of(told.advance(History())), "completed []");
}

TEST(All, OfSettledOnesNeverThrows) {
  Told told([](WorkflowContext& ctx) -> Workflow<int> {
    std::vector<Pending<Settled<int>>> tasks;
    for (int i = 0; i < 2; ++i) tasks.push_back(ctx.task<int>("item", i).settled());
    int completed = 0;
    for (const Settled<int>& each : co_await all(std::move(tasks))) completed += static_cast<int>(each.has_value());
    co_return completed;
  });
  History history;
  history.scheduled(1, "item").scheduled(2, "item").failed(1, "no").completed(2, "1");

  EXPECT_EQ(end_of(told.advance(history)), "completed 1");
}

Workflow<std::string> first_to_end(WorkflowContext& ctx) {
  auto first = co_await race(ctx.task<std::string>("slow"), ctx.timer(1h));
  std::string text = "too late";
  if (first.index() == 0) text = std::get<0>(first);
  co_await ctx.task<void>("report", text);
  co_return text;
}

TEST(Race, TheFirstInTheHistoryWinsHoweverMuchIsKnown) {
  History history;
  history.scheduled(1, "slow").timer(2).fired(2);
  Told told(first_to_end);
  const Turn turn = told.advance(history);
  history.scheduled(3, "report").completed(1, R"("done")").completed(3, "null");

  EXPECT_THAT(texts_of(turn), ElementsAre("3 task report"));
  EXPECT_EQ(end_of(told.advance(history.from(5), 3)), R"(completed "too late")");
  EXPECT_EQ(end_of(Told(first_to_end).advance(history)), R"(completed "too late")");
}

TEST(Race, WorkflowsThatLoseAreLetGoWhereTheyStand) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::size_t> {
    auto first = co_await race(two_steps(ctx, "l"), ctx.timer(1h));
    co_await ctx.task<void>("after");
    co_return first.index();
  });
  History history;
  history.timer(1).scheduled(2, "l1").fired(1).scheduled(3, "after").completed(2, "1").completed(3, "null");

  EXPECT_EQ(end_of(told.advance(history)), "completed 1");
}

TEST(Race, OneThatHasEndedAlreadyWinsAtOnceAndWhatHasJustBegunIsLetGo) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::size_t> {
    const auto nested = [](WorkflowContext& inner) -> Workflow<int> { co_return co_await two_steps(inner, "n"); };
    auto first = co_await race(ctx.signal<int>("go"), nested(ctx));
    co_return first.index();
  });

  EXPECT_EQ(end_of(told.advance(History().signal("go", "1"))), "completed 0");
}

TEST(Race, OfManySaysWhich) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::pair<std::size_t, int>> {
    std::vector<Pending<int>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(ctx.task<int>("item", i));
    co_return co_await race(std::move(tasks));
  });
  History history;
  history.scheduled(1, "item").scheduled(2, "item").scheduled(3, "item").completed(2, "20");

  EXPECT_EQ(end_of(told.advance(history)), "completed [1,20]");
}

Workflow<int> first_to_succeed(WorkflowContext& ctx) {
  auto first = co_await any(ctx.task<int>("a"), ctx.task<int>("b"));
  if (first.index() == 0) co_return std::get<0>(first);
  co_return std::get<1>(first);
}

TEST(Any, PassesOverFailures) {
  History history;
  history.scheduled(1, "a").scheduled(2, "b").failed(1, "no").completed(2, "2");

  EXPECT_EQ(end_of(Told(first_to_succeed).advance(history)), "completed 2");
}

TEST(Any, WithoutASuccessFailsAsTheFirstInOrder) {
  History history;
  history.scheduled(1, "a").scheduled(2, "b").failed(2, "second").failed(1, "first");

  EXPECT_THAT(end_of(Told(first_to_succeed).advance(history)), HasSubstr("first"));
}

TEST(Signals, WaitInOrderUntilSomebodyAsks) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::vector<int>> {
    std::vector<int> got;
    co_await ctx.sleep(1h);
    for (int i = 0; i < 3; ++i) got.push_back(co_await ctx.signal<int>("n"));
    co_return got;
  });
  History history;
  history.timer(1).signal("n", "1").signal("other", "9").signal("n", "2").fired(1).signal("n", "3");

  EXPECT_EQ(end_of(told.advance(history)), "completed [1,2,3]");
}

TEST(Signals, ThatLoseARaceAreNotLost) {
  Told told([](WorkflowContext& ctx) -> Workflow<std::vector<int>> {
    std::vector<int> got;
    co_await ctx.sleep(1h);
    auto first = co_await race(ctx.signal<int>("a"), ctx.signal<int>("b"));
    got.push_back(std::get<0>(first));
    got.push_back(co_await ctx.signal<int>("b"));
    auto second = co_await race(ctx.signal<int>("a"), ctx.timer(1h));
    static_cast<void>(second);
    got.push_back(co_await ctx.signal<int>("a"));
    co_return got;
  });
  History history;
  history.timer(1).signal("a", "1").signal("b", "2").fired(1).timer(2).fired(2).signal("a", "3");

  EXPECT_EQ(end_of(told.advance(history)), "completed [1,2,3]");
}

}  // namespace
}  // namespace semel::sdk
