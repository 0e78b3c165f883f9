#include "engine/queue_rates.hpp"

#include <gmock/gmock.h>

namespace semel::engine {
namespace {

using ::testing::UnorderedElementsAre;

const Time some_noon = *parse_rfc3339("2026-01-20T12:00:30Z");

Change task_came_to(domain::State state, std::string queue = "mail", std::string tenant = "acme") {
  Change change;
  change.tenant = std::move(tenant);
  change.queue = std::move(queue);
  change.state = state;
  return change;
}

Change task_was_made(std::string queue = "mail", std::string tenant = "acme") {
  Change change = task_came_to(domain::State::pending, std::move(queue), std::move(tenant));
  change.is_new = true;
  return change;
}

TEST(QueueRates, TellsWhatTasksCameToInTheLastMinuteAndHour) {
  QueueRates rates;
  rates.changed(some_noon - 10min, {task_was_made(), task_was_made()});
  rates.changed(some_noon, {task_came_to(domain::State::running), task_came_to(domain::State::pending),
                            task_came_to(domain::State::running), task_came_to(domain::State::completed),
                            task_came_to(domain::State::failed), task_came_to(domain::State::timed_out)});

  const auto read = rates.read("acme", "mail", some_noon);

  ASSERT_TRUE(read);
  EXPECT_FALSE(read->since);
  EXPECT_EQ(read->minute, (QueueCounts{.started = 2, .completed = 1, .failed = 2, .retried = 1}));
  EXPECT_EQ(read->hour, (QueueCounts{.created = 2, .started = 2, .completed = 1, .failed = 2, .retried = 1}));
  ASSERT_EQ(read->history.size(), 60u);
  EXPECT_EQ(read->history[49], (QueueCounts{.created = 2}));
  EXPECT_EQ(read->history[50], QueueCounts{});
  EXPECT_EQ(read->history[59], read->minute);
}

TEST(QueueRates, AMinuteIsSixtySecondsAndAnHourSixtyMinutes) {
  QueueRates rates;
  rates.changed(some_noon, {task_was_made()});

  EXPECT_EQ(rates.read("acme", "mail", some_noon + 59s)->minute.created, 1u);
  EXPECT_EQ(rates.read("acme", "mail", some_noon + 60s)->minute.created, 0u);
  EXPECT_EQ(rates.read("acme", "mail", some_noon + 59min)->hour.created, 1u);
  EXPECT_EQ(rates.read("acme", "mail", some_noon + 60min)->hour.created, 0u);
  EXPECT_EQ(rates.read("acme", "mail", some_noon - 1h)->hour.created, 0u) << "it has not come yet";
}

TEST(QueueRates, CountAnewWhereAnHourHasPassed) {
  QueueRates rates;
  rates.changed(some_noon, {task_was_made()});
  rates.changed(some_noon + 1h, {task_was_made(), task_was_made()});
  rates.changed(some_noon + 90min, {task_was_made()});

  const auto read = rates.read("acme", "mail", some_noon + 90min);

  EXPECT_EQ(read->minute.created, 1u);
  EXPECT_EQ(read->hour.created, 3u);
}

TEST(QueueRates, ATimeThatComesLateIsCountedWhereItBelongsAndNotWhenItIsTooOld) {
  QueueRates rates;
  rates.changed(some_noon, {task_was_made()});
  rates.changed(some_noon - 5min, {task_was_made()});
  rates.changed(some_noon - 2h, {task_was_made()});

  const auto read = rates.read("acme", "mail", some_noon);

  EXPECT_EQ(read->minute.created, 1u);
  EXPECT_EQ(read->hour.created, 2u);
  EXPECT_EQ(read->history[54].created, 1u);
}

TEST(QueueRates, AreOfOneQueueOfOneTenant) {
  QueueRates rates;
  rates.changed(some_noon, {task_was_made(), task_was_made("ship"), task_was_made("mail", "other"), task_was_made()});

  EXPECT_EQ(rates.read("acme", "mail", some_noon)->hour.created, 2u);
  EXPECT_EQ(rates.read("acme", "ship", some_noon)->hour.created, 1u);
  EXPECT_EQ(rates.read("other", "mail", some_noon)->hour.created, 1u);
  EXPECT_EQ(rates.read("other", "ship", some_noon)->hour.created, 0u);
  EXPECT_EQ(rates.read("nobody", "mail", some_noon)->hour.created, 0u);
  EXPECT_THAT(rates.names("acme", some_noon), UnorderedElementsAre("mail", "ship"));
  EXPECT_THAT(rates.names("nobody", some_noon), UnorderedElementsAre());
}

TEST(QueueRates, AreOfTasksOnly) {
  QueueRates rates;
  Change run = task_was_made();
  run.kind = domain::Kind::workflow;
  Change promise = task_came_to(domain::State::completed);
  promise.kind = domain::Kind::promise;
  rates.changed(some_noon, {run, promise, task_came_to(domain::State::cancelled)});

  EXPECT_EQ(rates.read("acme", "mail", some_noon)->hour, QueueCounts{});
  EXPECT_THAT(rates.names("acme", some_noon), UnorderedElementsAre());
}

TEST(QueueRates, AQueueIsNamedAsLongAsItsHourTellsSomething) {
  QueueRates rates;
  rates.changed(some_noon, {task_was_made()});

  EXPECT_THAT(rates.names("acme", some_noon + 59min), UnorderedElementsAre("mail"));
  EXPECT_THAT(rates.names("acme", some_noon + 60min), UnorderedElementsAre());
}

TEST(QueueRates, NothingIsToldOfQueuesThatAreTooMany) {
  QueueRates rates({.of_a_tenant = 2, .of_all = 3});
  rates.changed(some_noon, {task_was_made("a"), task_was_made("b"), task_was_made("c"), task_was_made("a")});
  rates.changed(some_noon, {task_was_made("a", "other"), task_was_made("b", "other")});

  EXPECT_EQ(rates.read("acme", "a", some_noon)->hour.created, 2u);
  EXPECT_EQ(rates.read("acme", "b", some_noon)->hour.created, 1u);
  EXPECT_FALSE(rates.read("acme", "c", some_noon)) << "one too many of the tenant";
  EXPECT_EQ(rates.read("other", "a", some_noon)->hour.created, 1u);
  EXPECT_FALSE(rates.read("other", "b", some_noon)) << "one too many of all";
}

TEST(QueueRates, AQueueThatWasOneTooManySaysSinceWhenItIsCounted) {
  QueueRates rates({.of_a_tenant = 1, .of_all = 10});
  rates.changed(some_noon, {task_was_made("quiet")});
  rates.changed(some_noon + 30min, {task_was_made("busy")});
  EXPECT_FALSE(rates.read("acme", "busy", some_noon + 30min));

  rates.changed(some_noon + 61min, {task_was_made("busy")});

  const auto busy = rates.read("acme", "busy", some_noon + 61min);
  ASSERT_TRUE(busy) << "the other one has been quiet for an hour";
  EXPECT_EQ(busy->hour.created, 1u);
  EXPECT_EQ(busy->since, some_noon + 30min);
  EXPECT_FALSE(rates.read("acme", "busy", some_noon + 91min)->since) << "all of the last hour is counted";
}

}  // namespace
}  // namespace semel::engine
