#include <gtest/gtest.h>

#include "tests/support/run_model.hpp"
#include "tests/support/steps.hpp"

namespace semel::domain {
namespace {

using semel::test::graph_of;
using semel::test::item;
using semel::test::only;
using semel::test::RunModel;
using Builder = semel::test::StepBuilder;

/// list → mail, one for each → sum
Graph mailing(std::optional<int> max_parallel = {}, Join join = Join::all) {
  return graph_of({Builder("list"), Builder("mail", {"list"}).for_each("list", "/users", max_parallel, join),
                   Builder("sum", {"mail"})});
}

/// A run of it that has come to its fan-out.
RunModel fanned_out(Graph graph, const std::string& users) {
  RunModel run(std::move(graph));
  run.start();
  run.close(only(0), State::completed, R"({"users": )" + users + "}");
  return run;
}

TEST(FanOut, MakesATaskForEachItem) {
  const RunModel run = fanned_out(mailing(), R"([{"id": 1.0}, "two", null])");

  EXPECT_EQ(run.running(), (std::vector{item(1, 0), item(1, 1), item(1, 2)}));
  EXPECT_EQ(run.tasks().at(item(1, 0)).item, R"({"id":1})");
  EXPECT_EQ(run.tasks().at(item(1, 1)).item, R"("two")");
  EXPECT_EQ(run.tasks().at(item(1, 2)).item, "null");
  EXPECT_EQ(run.state_of("mail"), "scheduled");
  EXPECT_EQ(run.history().back(), (HistoryEvent{HistoryKind::fan_out_started, "mail", R"({"items":3})"}));
}

TEST(FanOut, JoinsTheResultsInTheOrderOfTheItems) {
  RunModel run = fanned_out(mailing(), "[1, 2, 3]");

  run.close(item(1, 2), State::completed, "\"c\"");
  run.close(item(1, 0), State::completed, "\"a\"");
  EXPECT_EQ(run.state_of("sum"), "waiting");
  run.close(item(1, 1), State::completed);

  EXPECT_EQ(run.running(), std::vector{only(2)});
  EXPECT_EQ(run.result_of(1), R"(["a",null,"c"])");
  run.close(only(2), State::completed);
  EXPECT_EQ(run.end()->result, R"({"list":{"users": [1, 2, 3]},"mail":["a",null,"c"],"sum":null})");
}

TEST(FanOut, OverNothingIsDoneAtOnce) {
  const RunModel run = fanned_out(mailing(), "[]");

  EXPECT_EQ(run.result_of(1), "[]");
  EXPECT_EQ(run.running(), std::vector{only(2)});
}

TEST(FanOut, GivesOutNoMoreItemsThanMayRunAtOnce) {
  RunModel run = fanned_out(mailing(2), "[1, 2, 3, 4]");
  EXPECT_EQ(run.running(), (std::vector{item(1, 0), item(1, 1)}));
  EXPECT_EQ(run.tasks().size(), 5u);  // all are made

  run.close(item(1, 1), State::completed);
  EXPECT_EQ(run.last().release, std::vector{item(1, 2)});
  run.tell(item(1, 1));
  EXPECT_EQ(run.last(), Decision{});
  run.close(item(1, 2), State::failed);

  EXPECT_EQ(run.last().release, std::vector{item(1, 3)});
}

TEST(FanOut, RunsAllItemsThoughOneHasFailed) {
  RunModel run = fanned_out(mailing(1), "[1, 2, 3]");

  run.close(item(1, 0), State::completed);
  run.close(item(1, 1), State::failed);
  EXPECT_EQ(run.state_of("mail"), "scheduled");
  run.close(item(1, 2), State::timed_out);

  EXPECT_EQ(run.state_of("mail"), "failed");
  EXPECT_EQ(run.outcomes().at(1).error,
            R"({"type":"ITEMS_FAILED","message":"2 of 3 items did not complete; the first is [1]"})");
  EXPECT_EQ(run.state_of("sum"), "cancelled");
  EXPECT_EQ(run.end()->state, State::failed);
}

TEST(FanOut, ThatIsSettledTellsWhatEachItemCameTo) {
  RunModel run = fanned_out(mailing({}, Join::settled), "[1, 2]");

  run.close(item(1, 0), State::failed);
  run.close(item(1, 1), State::completed, "7");

  EXPECT_EQ(run.result_of(1), R"([{"status":"failed"},{"status":"completed","result":7}])");
  EXPECT_EQ(run.state_of("sum"), "scheduled");
}

TEST(FanOut, TriesOnlyThoseItemsAgainThatDidNotComplete) {
  RunModel run = fanned_out(mailing(1), "[1, 2, 3]");
  run.close(item(1, 0), State::failed);
  run.close(item(1, 1), State::completed);
  run.close(item(1, 2), State::failed);

  ASSERT_TRUE(run.retry({1}));
  EXPECT_EQ(run.last().reopen, std::vector{item(1, 0)});  // one at a time, as before
  run.restart();
  run.tell(item(1, 2));  // it failed before; that is known
  EXPECT_EQ(run.last(), Decision{});
  run.close(item(1, 0), State::completed);
  EXPECT_EQ(run.last().reopen, std::vector{item(1, 2)});
  run.close(item(1, 2), State::completed);

  EXPECT_EQ(run.state_of("mail"), "completed");
  EXPECT_EQ(run.running(), std::vector{only(2)});
}

TEST(FanOut, IsCancelledWithAllItemsThatHaveNotRun) {
  for (const Join join : {Join::all, Join::settled}) {
    RunModel run = fanned_out(mailing(1, join), "[1, 2, 3]");
    run.close(item(1, 0), State::completed);

    run.cancel();
    EXPECT_EQ(run.last().cancel, (std::vector{item(1, 1), item(1, 2)}));
    EXPECT_EQ(run.tasks().at(item(1, 2)).state, State::cancelled);
    run.close(item(1, 1), State::cancelled);

    EXPECT_EQ(run.state_of("mail"), "cancelled");
    EXPECT_EQ(run.end()->state, State::cancelled);
  }
}

TEST(FanOut, IsCancelledAlsoBetweenTwoTries) {
  RunModel run = fanned_out(mailing(1), "[1, 2]");
  run.close(item(1, 0), State::failed);
  run.close(item(1, 1), State::failed);
  ASSERT_TRUE(run.retry());

  run.cancel();
  run.close(item(1, 0), State::cancelled);

  EXPECT_EQ(run.end()->state, State::cancelled);
}

TEST(FanOut, GivesEachItemItsKey) {
  const RunModel run = [] {
    RunModel made(graph_of({Builder("mail").for_each("", "/to").key("{{/id}}-{{item/name}}-{{index}}")}),
                  R"({"id": 7, "to": [{"name": "ann"}, {"name": "bob"}]})");
    made.start();
    return made;
  }();

  EXPECT_EQ(run.tasks().at(item(0, 0)).key, "7-ann-0");
  EXPECT_EQ(run.tasks().at(item(0, 1)).key, "7-bob-1");
}

TEST(FanOut, MakesNoTaskWhereOneItemHasNoKey) {
  RunModel run(graph_of({Builder("mail").for_each("", "/to").key("{{item/name}}")}), R"({"to": [{"name": "a"}, {}]})");

  run.start();

  EXPECT_TRUE(run.tasks().empty());
  EXPECT_EQ(run.outcomes().at(0).error, R"({"type":"KEY_UNFIT","message":"item [1]: {{item/name}} leads to nothing"})");
}

TEST(FanOut, NeedsAnArray) {
  for (const std::string users : {"7", "{}", "null"}) {
    const RunModel run = fanned_out(mailing(), users);

    EXPECT_EQ(run.state_of("mail"), "failed");
    EXPECT_EQ(run.outcomes().at(1).error,
              R"({"type":"FOR_EACH_UNFIT","message":"for_each found no array at '/users'"})");
  }
}

TEST(FanOut, HasALimit) {
  const auto numbers = [](std::size_t count) {
    std::string text = "[0";
    for (std::size_t i = 1; i < count; ++i) text += ",1";
    return text + "]";
  };

  EXPECT_EQ(fanned_out(mailing(), numbers(10'000)).tasks().size(), 10'001u);
  EXPECT_EQ(fanned_out(mailing(), numbers(10'001)).outcomes().at(1).error,
            R"({"type":"FOR_EACH_UNFIT","message":"for_each found 10001 items; at most 10000 are allowed"})");
}

TEST(FanOut, OfAThousandItemsTouchesAFewOfThemAtATime) {
  std::string users = "[0";
  for (int i = 1; i < 1'000; ++i) users += "," + std::to_string(i);
  RunModel run = fanned_out(mailing(10), users + "]");

  for (std::size_t i = 0; i < 990; ++i) {
    run.close(item(1, i), State::completed);

    ASSERT_EQ(run.last().release, std::vector{item(1, i + 10)});
    ASSERT_EQ(run.last().events.size(), 1u);
    ASSERT_LT(encode_facts(run.facts()).size(), 40u);
  }
  for (std::size_t i = 990; i < 1'000; ++i) run.close(item(1, i), State::completed);

  EXPECT_EQ(run.running(), std::vector{only(2)});
}

}  // namespace
}  // namespace semel::domain
