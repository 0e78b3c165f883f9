#include "bench/clients.hpp"

#include <gtest/gtest.h>

namespace semel::bench {
namespace {

constexpr const char* attempt = "019bddae-b818-7d82-b7c5-bd42e5db27fc";

std::string one_lease() {
  return std::string(R"({"leases":[{"attempt_id":")") + attempt + R"(","task_id":"bench-5"}]})";
}

/// A worker that writes down what it was told.
class BenchWorker : public testing::Test {
 protected:
  Worker::Plan plan() {
    Worker::Plan plan{3, 10};
    plan.goes_on = [this] { return goes_on_; };
    plan.leased = [this](const std::vector<Leased>& leases) { leased_ = leases; };
    plan.completed = [this](const std::vector<Leased>& leases, Steady::time_point) { completed_ = leases; };
    return plan;
  }

  bool goes_on_ = true;
  std::vector<Leased> leased_;
  std::vector<Leased> completed_;
  Tally tally_;
  Worker worker_{plan(), tally_};
};

TEST_F(BenchWorker, CompletesWhatItGotWithItsNextPoll) {
  worker_.next();
  worker_.answered(200, one_lease());
  const std::vector<Leased> first = leased_;
  const std::optional<Request> both = worker_.next();
  worker_.answered(200, R"({"leases":[],"results":[{"status":200,"body":{"status":"completed"}}]})");

  EXPECT_EQ(both.value().path, "/v1/worker/poll");
  EXPECT_EQ(both->body, poll_body_with(poll_body(3, 10, Duration{0}), {{attempt, 5}}));
  EXPECT_EQ(first, (std::vector<Leased>{{attempt, 5}}));
  EXPECT_EQ(completed_, first);
  EXPECT_TRUE(leased_.empty());
  EXPECT_EQ(tally_.tasks, 1u);
}

TEST_F(BenchWorker, WaitsWithThePollAfterTheOneThatBroughtOutcomes) {
  Worker::Plan waits = plan();
  waits.wait = 1s;
  int polls = 0;
  waits.leased = [&](const std::vector<Leased>&) { ++polls; };
  Worker worker(std::move(waits), tally_);
  worker.next();
  worker.answered(200, one_lease());

  const std::optional<Request> both = worker.next();
  worker.answered(200, R"({"leases":[],"results":[{"status":200,"body":{"status":"completed"}}]})");
  const std::optional<Request> alone = worker.next();

  EXPECT_EQ(both.value().body, poll_body_with(poll_body(3, 10, Duration{0}), {{attempt, 5}}));
  EXPECT_EQ(alone.value().body, poll_body(3, 10, 1s));
  EXPECT_EQ(polls, 1);
  EXPECT_EQ(tally_.tasks, 1u);
}

TEST_F(BenchWorker, CompletesWhatItGotByItselfWhenItDoesNotGoOn) {
  const std::optional<Request> poll = worker_.next();
  worker_.answered(200, one_lease());
  goes_on_ = false;
  const std::optional<Request> completion = worker_.next();
  worker_.answered(200, R"({"results":[{"status":200,"body":{"status":"completed"}}]})");

  EXPECT_EQ(poll.value().path, "/v1/worker/poll");
  EXPECT_EQ(poll->body, poll_body(3, 10, Duration{0}));
  EXPECT_EQ(completion.value().path, "/v1/attempts:batch");
  EXPECT_EQ(completion->body, completions_body({{attempt, 5}}));
  EXPECT_EQ(leased_, (std::vector<Leased>{{attempt, 5}}));
  EXPECT_EQ(completed_, leased_);
  EXPECT_EQ(tally_.tasks, 1u);
  EXPECT_EQ(tally_.refused, 0u);
}

TEST_F(BenchWorker, CompletesWhatItGotAlsoWhenItShouldEnd) {
  worker_.next();
  goes_on_ = false;
  worker_.answered(200, one_lease());
  const std::optional<Request> completion = worker_.next();
  worker_.answered(200, "{}");
  const std::optional<Request> nothing = worker_.next();

  EXPECT_TRUE(completion.has_value());
  EXPECT_FALSE(nothing.has_value());
}

TEST_F(BenchWorker, CountsWhatWasRefused) {
  worker_.next();
  worker_.answered(503, "{}");
  worker_.next();
  worker_.answered(200, one_lease());
  worker_.next();
  worker_.answered(200, R"({"results":[{"status":409,"body":{}}]})");

  EXPECT_EQ(tally_.tasks, 0u);
  EXPECT_EQ(tally_.refused, 2u);
}

TEST(BenchSender, CountsTheTasksOfItsRequests) {
  Tally tally;
  std::vector<std::uint64_t> numbers{0, 2};
  Sender sender(submissions(2,
                            [&]() -> std::optional<std::uint64_t> {
                              if (numbers.empty()) return std::nullopt;
                              const std::uint64_t number = numbers.front();
                              numbers.erase(numbers.begin());
                              return number;
                            }),
                tally);

  const std::optional<Request> first = sender.next();
  sender.answered(200, R"({"results":[{"status":201},{"status":201}]})");
  const std::optional<Request> second = sender.next();
  sender.answered(200, R"({"results":[{"status":201},{"status":409}]})");
  const std::optional<Request> third = sender.next();

  EXPECT_EQ(first.value().body, batch_body(0, 2));
  EXPECT_EQ(second.value().body, batch_body(2, 2));
  EXPECT_FALSE(third.has_value());
  EXPECT_EQ(tally.tasks, 3u);
  EXPECT_EQ(tally.refused, 1u);
  EXPECT_EQ(tally.latencies.count(), 2u);
}

}  // namespace
}  // namespace semel::bench
