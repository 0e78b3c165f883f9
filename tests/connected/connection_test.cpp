#include "connected/connection.hpp"

#include <gmock/gmock.h>

#include <latch>

#include "base/uuid7_source.hpp"
#include "tests/connected/live_server.hpp"

/// What the SDK asks of a connection, call by call.
namespace semel::test {
namespace {

using namespace std::chrono_literals;
using connected::Connection;

class Connections : public ::testing::Test {
 protected:
  Connections() { server_.start(); }

  std::unique_ptr<Connection> open() {
    return std::make_unique<Connection>(server_.address(), ConnectOptions().api_key("admin"));
  }
  sdk::Submission submission() {
    sdk::Submission made;
    made.task_uuid = Uuid7Source(secure_random).next(now()).text();
    made.requested_at = now();
    made.handler = "charge";
    made.context = "{}";
    return made;
  }
  static Time now() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }
  static sdk::Poll poll_for(int room, std::vector<std::string> queues = {"default"}, Duration wait = 30s) {
    return {"session", "worker", {{std::move(queues), {"charge"}, room}}, 30s, wait};
  }

  LiveServer server_;
};

TEST_F(Connections, ASubmissionThatIsRepeatedIsTheSameTask) {
  const std::vector<sdk::Submission> one{submission()};
  const auto first = open()->submit(one);

  const auto again = open()->submit(one);  // as after an answer that was lost

  ASSERT_TRUE(first[0].has_value()) << first[0].error().message;
  ASSERT_TRUE(again[0].has_value()) << again[0].error().message;
  EXPECT_EQ(again[0]->task_uuid, first[0]->task_uuid);
}

TEST_F(Connections, ManySubmissionsTravelInMessagesThatTheServerTakes) {
  std::vector<sdk::Submission> many;
  for (int i = 0; i < 1'203; ++i) many.push_back(submission());
  for (int i = 0; i < 20; ++i) many[static_cast<std::size_t>(i)].context = '"' + std::string(1'000'000, 'x') + '"';

  const auto replies = open()->submit(many);

  ASSERT_EQ(replies.size(), many.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    ASSERT_TRUE(replies[i].has_value()) << replies[i].error().message;
    EXPECT_EQ(replies[i]->task_uuid, many[i].task_uuid);
  }
}

TEST_F(Connections, AContextThatIsTooLargeHarmsNobodyElse) {
  std::vector<sdk::Submission> many{submission(), submission(), submission()};
  many[0].context = '"' + std::string(2 << 20, 'x') + '"';   // more than a task may have
  many[1].context = '"' + std::string(20 << 20, 'x') + '"';  // more than a message may have

  const auto replies = open()->submit(many);

  ASSERT_FALSE(replies[0].has_value());
  EXPECT_EQ(replies[0].error().code, "PAYLOAD_TOO_LARGE");
  ASSERT_FALSE(replies[1].has_value());
  EXPECT_EQ(replies[1].error().code, "PAYLOAD_TOO_LARGE");
  EXPECT_TRUE(replies[2].has_value());
}

TEST_F(Connections, MoreThanAThousandMayWaitAtOnceAndOthersStillAsk) {
  const auto connection = open();
  const std::vector<sdk::Submission> one{submission()};
  const std::string id = connection->submit(one)[0]->task_uuid;
  constexpr int waits = 1'200;
  std::latch over(waits);
  std::atomic<int> cancelled = 0;
  for (int i = 0; i < waits; ++i) {
    connection->await_result(id, 30s, [&](const sdk::Reply<sdk::State>& state) {
      cancelled += state && state->status == Status::cancelled;
      over.count_down();
    });
  }

  EXPECT_TRUE(connection->cancel({{id, ""}, false, ""}).has_value());

  over.wait();
  EXPECT_EQ(cancelled, waits);
}

TEST_F(Connections, WhoeverWaitsIsToldWhenTheConnectionEnds) {
  auto connection = open();
  const std::vector<sdk::Submission> one{submission()};
  const std::string id = connection->submit(one)[0]->task_uuid;
  std::optional<sdk::Reply<sdk::State>> told;
  connection->await_result(id, 30s, [&](sdk::Reply<sdk::State> state) { told = std::move(state); });

  connection.reset();

  ASSERT_TRUE(told.has_value());
  EXPECT_FALSE(told->has_value());
}

TEST_F(Connections, APollThatIsStoppedLeavesItsSlotsForTheNext) {
  const auto connection = open();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(connection->poll(poll_for(1), stop.get_token())->empty());
  const std::vector<sdk::Submission> two{submission(), submission()};
  connection->submit(two);

  EXPECT_EQ(connection->poll(poll_for(1), {})->size(), 1u);
  EXPECT_EQ(connection->end_polling("session").size(), 0u) << "it had room for one";
}

TEST_F(Connections, WhatWasOnItsWayWhenPollingEndsIsGiven) {
  const auto connection = open();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(connection->poll(poll_for(3), stop.get_token())->empty());
  const std::vector<sdk::Submission> three{submission(), submission(), submission()};
  connection->submit(three);
  const sdk::Reply<std::vector<sdk::Lease>> first = connection->poll(poll_for(3), {});
  std::size_t got = first->size();

  got += connection->end_polling("session").size();

  // What it did not get is free for others at once.
  while (got < 3) {
    const auto more = connection->poll({"other", "worker", {{{"default"}, {"charge"}, 3}}, 30s, 30s}, {});
    ASSERT_TRUE(more.has_value());
    ASSERT_FALSE(more->empty());
    got += more->size();
  }
  EXPECT_EQ(got, 3u);
  connection->end_polling("other");
}

TEST_F(Connections, AnOutcomeIsToldThoughItsStreamIsGone) {
  const auto connection = open();
  const std::vector<sdk::Submission> one{submission()};
  connection->submit(one);
  const std::vector<sdk::Lease> leases = *connection->poll(poll_for(1), {});
  ASSERT_EQ(leases.size(), 1u);
  connection->end_polling("session");
  const std::vector<sdk::Answer> answers{{leases[0].attempt_id, sdk::Completion{"7"}}};

  const auto first = connection->answer(answers);
  const auto again = connection->answer(answers);

  ASSERT_TRUE(first[0].has_value()) << first[0].error().message;
  EXPECT_EQ(first[0]->kind, sdk::AnswerOutcome::Kind::recorded);
  ASSERT_TRUE(again[0].has_value()) << again[0].error().message;
  EXPECT_EQ(again[0]->kind, sdk::AnswerOutcome::Kind::already_recorded);
}

TEST_F(Connections, AnOutcomeThatNoMessageCanHoldHarmsNobodyElse) {
  const auto connection = open();
  const std::vector<sdk::Submission> two{submission(), submission()};
  connection->submit(two);
  std::vector<sdk::Lease> leases;
  while (leases.size() < 2) {
    const auto more = connection->poll(poll_for(2), {});
    ASSERT_TRUE(more.has_value());
    leases.insert(leases.end(), more->begin(), more->end());
  }
  const std::string huge = '"' + std::string(20 << 20, 'x') + '"';
  const std::vector<sdk::Answer> answers{{leases[0].attempt_id, sdk::Completion{huge}},
                                         {leases[1].attempt_id, sdk::Completion{"7"}}};

  const auto outcomes = connection->answer(answers);

  ASSERT_FALSE(outcomes[0].has_value());
  EXPECT_EQ(outcomes[0].error().code, "PAYLOAD_TOO_LARGE");
  EXPECT_FALSE(outcomes[0].error().may_be_asked_again);
  ASSERT_TRUE(outcomes[1].has_value()) << outcomes[1].error().message;
  EXPECT_EQ(outcomes[1]->kind, sdk::AnswerOutcome::Kind::recorded);
  connection->end_polling("session");
}

TEST_F(Connections, OutcomesThatAreTooLargeTogetherTravelInSeveralMessages) {
  const auto connection = open();
  std::vector<sdk::Answer> answers;
  for (const int mebibytes : {7, 10, 7, 1}) {
    const std::string large = '"' + std::string(static_cast<std::size_t>(mebibytes) << 20, 'x') + '"';
    answers.push_back({submission().task_uuid, sdk::Completion{large}});
  }

  for (const auto& outcome : connection->answer(answers)) {
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code, "PAYLOAD_TOO_LARGE");
    EXPECT_THAT(outcome.error().message, ::testing::StartsWith("result")) << "the server says it of this one alone";
  }
}

TEST_F(Connections, AnAttemptThatNobodyKnowsIsStale) {
  const std::vector<sdk::Answer> answers{{submission().task_uuid, sdk::Completion{"7"}},
                                         {submission().task_uuid, sdk::Heartbeat{30s, "0.5"}}};

  for (const auto& outcome : open()->answer(answers)) {
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_EQ(outcome->kind, sdk::AnswerOutcome::Kind::stale);
  }
}

TEST_F(Connections, AHistoryIsReadInPages) {
  const auto connection = open();
  sdk::WorkflowStart start;
  start.execution_id = submission().task_uuid;
  start.requested_at = now();
  start.kind = "order";
  start.workflow_id = "o-1";
  start.input = "{}";
  ASSERT_TRUE(connection->start_workflow(start).has_value());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(connection->signal({{"", "o-1"}, "note", std::to_string(i), ""}).has_value());

  std::vector<std::uint64_t> seen;
  bool has_more = true;
  while (has_more) {
    const auto page = connection->history(start.execution_id, seen.empty() ? 0 : seen.back(), 2);
    ASSERT_TRUE(page.has_value()) << page.error().message;
    for (const sdk::Event& event : page->events) seen.push_back(event.sequence);
    has_more = page->has_more;
  }

  EXPECT_THAT(seen, ::testing::ElementsAre(1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace semel::test
