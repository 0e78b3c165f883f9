#include "engine/commit_queue.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <thread>

#include "tests/unit/engine/commit_queue_fixture.hpp"

namespace semel::engine::queue_test {
namespace {

TEST(CommitQueue, AppliesWhatWaitsAsOneBatchInOrder) {
  BusyQueue busy;
  for (int i = 1; i <= 5; ++i) EXPECT_TRUE(busy.queue.push(numbered(i), busy.answers.to(i)));

  busy.finish();

  ASSERT_EQ(busy.store.batch_sizes(), (Sizes{1, 5}));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(number_of(busy.store.batches()[1][i]), std::to_string(i + 1));
  EXPECT_EQ(busy.answers.all(), (std::vector<std::string>{"0 ok", "1 ok", "2 ok", "3 ok", "4 ok", "5 ok"}));
}

TEST(CommitQueue, TakesNoMoreThanTheLimitIntoOneBatch) {
  BusyQueue busy({.batch_max = 3});
  for (int i = 1; i <= 7; ++i) EXPECT_TRUE(busy.queue.push(numbered(i), busy.answers.to(i)));

  busy.finish();

  EXPECT_EQ(busy.store.batch_sizes(), (Sizes{1, 3, 3, 1}));
  EXPECT_EQ(busy.answers.all().size(), 8u);
}

TEST(CommitQueue, AnswersOnlyAfterTheStoreHasApplied) {
  FakeStore store;
  std::promise<std::size_t> applied_when_answered;
  CommitQueue queue(store, {}, uncounted(), no_rider);

  EXPECT_TRUE(queue.push(numbered(1), [&](Committed) { applied_when_answered.set_value(store.applied()); }));

  EXPECT_EQ(applied_when_answered.get_future().get(), 1u);
}

TEST(CommitQueue, PassesOnTheTimeThatDecidedTheBatch) {
  FakeStore store;
  std::promise<Time> now;
  CommitQueue queue(store, {}, uncounted(), no_rider);

  EXPECT_TRUE(queue.push(numbered(1), [&](Committed committed) { now.set_value(committed.now); }));

  EXPECT_EQ(now.get_future().get(), test::ManualClock::start);
}

TEST(CommitQueue, RefusesMoreCommandsThanItsLimit) {
  BusyQueue busy({.commands_max = 3});

  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(busy.queue.push(numbered(i), busy.answers.to(i)));
  EXPECT_FALSE(busy.queue.push(numbered(4), busy.answers.to(4)));

  busy.finish();
  EXPECT_EQ(busy.answers.all().size(), 4u) << "who was refused is not answered by the queue";
}

TEST(CommitQueue, TakesManyEntriesAllOrNone) {
  BusyQueue busy({.commands_max = 3});
  const auto entries = [&](int first, int count) {
    std::vector<CommitQueue::Entry> made;
    for (int i = first; i < first + count; ++i) made.push_back({numbered(i), busy.answers.to(i)});
    return made;
  };

  EXPECT_TRUE(busy.queue.push(entries(1, 2)));
  EXPECT_FALSE(busy.queue.push(entries(10, 2)));
  EXPECT_TRUE(busy.queue.push(entries(3, 1)));

  busy.finish();
  EXPECT_EQ(busy.answers.all(), (std::vector<std::string>{"0 ok", "1 ok", "2 ok", "3 ok"}));
}

TEST(CommitQueue, RefusesMoreBytesThanItsLimit) {
  BusyQueue busy({.bytes_max = 2'000});
  test::Ids ids;
  const Submit large = test::submission(ids).context(std::string(1'000, 'x'));

  EXPECT_TRUE(busy.queue.push(large, busy.answers.to(1)));
  EXPECT_FALSE(busy.queue.push(large, busy.answers.to(2))) << "two contexts are over the limit";
  EXPECT_FALSE(busy.queue.push(Complete{"acme", {}, std::string(1'000, 'x')}, busy.answers.to(3)));
  EXPECT_FALSE(busy.queue.push(Fail{"acme", {}, std::string(1'000, 'x')}, busy.answers.to(4)));
  EXPECT_TRUE(busy.queue.push(numbered(5), busy.answers.to(5))) << "a small one still fits";

  busy.finish();
  EXPECT_EQ(busy.answers.all(), (std::vector<std::string>{"0 ok", "1 ok", "5 ok"}));
}

TEST(CommitQueue, WeighsWhatWorkflowsSayAndAreTold) {
  BusyQueue busy({.bytes_max = 2'000});
  const std::string large(1'000, 'x');
  EndActivation end{"acme", {}, {}, {}};
  EXPECT_TRUE(busy.queue.push(SignalWorkflow{"acme", {}, {"note", large}}, busy.answers.to(1)));

  EXPECT_FALSE(busy.queue.push(SignalWorkflow{"acme", {}, {"note", large}}, busy.answers.to(2)));
  EXPECT_FALSE(busy.queue.push(SettlePromise{"acme", "k", true, large}, busy.answers.to(3)));
  domain::code::ScheduleTask task;
  task.context = large;
  end.answer.commands = {{1, task}};
  EXPECT_FALSE(busy.queue.push(end, busy.answers.to(4)));
  domain::code::StartChild child;
  child.input = large;
  end.answer.commands = {{1, child}};
  EXPECT_FALSE(busy.queue.push(end, busy.answers.to(5)));
  end.answer.commands = {{1, domain::code::RecordMarker{"m", large}}};
  EXPECT_FALSE(busy.queue.push(end, busy.answers.to(6)));
  end.answer.commands = {};
  end.answer.status = large;
  EXPECT_FALSE(busy.queue.push(end, busy.answers.to(7)));
  end.answer.status.reset();
  for (const domain::code::Conclusion& conclusion : std::vector<domain::code::Conclusion>{
           domain::code::Complete{large}, domain::code::Fail{large}, domain::code::ContinueAsNew{large, {}},
           domain::code::ContinueAsNew{"1", {{"note", large}}}}) {
    end.answer.conclusion = conclusion;
    EXPECT_FALSE(busy.queue.push(end, busy.answers.to(8)));
  }
  end.answer.conclusion.reset();
  EXPECT_TRUE(busy.queue.push(end, busy.answers.to(9))) << "a small one still fits";
  busy.finish();
}

TEST(CommitQueue, TakesWhatIsLargerThanItsLimitWhenNothingElseWaits) {
  BusyQueue busy({.bytes_max = 2'000});
  const SignalWorkflow large{"acme", {}, {"note", std::string(5'000, 'x')}};

  EXPECT_TRUE(busy.queue.push(large, busy.answers.to(1))) << "it would never be done";
  EXPECT_FALSE(busy.queue.push(large, busy.answers.to(2)));
  EXPECT_FALSE(busy.queue.push(numbered(3), busy.answers.to(3)));

  busy.finish();
  EXPECT_EQ(busy.answers.all(), (std::vector<std::string>{"0 ok", "1 ok"}));
}

TEST(CommitQueue, HasRoomAgainOnceItHasTakenWhatWaited) {
  FakeStore store;
  CommitQueue queue(store, {.commands_max = 1, .bytes_max = 200}, uncounted(), no_rider);

  for (int i = 0; i < 50; ++i) {
    std::latch answered(1);
    ASSERT_TRUE(queue.push(numbered(i), [&](Committed) { answered.count_down(); })) << i;
    answered.wait();
  }
}

TEST(CommitQueue, TellsAllOfABatchWhenTheStoreFailsAndGoesOn) {
  BusyQueue busy;
  busy.store.before_outcomes = [](std::size_t batch) {
    if (batch == 1) throw StoreFault("the disk is full");
  };
  for (int i = 1; i <= 2; ++i) EXPECT_TRUE(busy.queue.push(numbered(i), busy.answers.to(i)));
  std::promise<Error> refused;
  EXPECT_TRUE(busy.queue.push(numbered(3), [&](Committed committed) { refused.set_value(committed.outcome.error()); }));

  busy.store.gate.let_through();
  const Error error = refused.get_future().get();
  EXPECT_TRUE(busy.queue.push(numbered(4), busy.answers.to(4)));
  busy.queue.close();

  const std::string unavailable = std::to_string(static_cast<int>(ErrorCode::unavailable));
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_EQ(busy.answers.all(), (std::vector<std::string>{"0 ok", "1 " + unavailable, "2 " + unavailable, "4 ok"}));
}

TEST(CommitQueue, SaysThatTheOutcomeIsUnknownWhereTheStoreDoesNotKnowIt) {
  FakeStore store;
  store.before_outcomes = [](std::size_t) { throw OutcomeUnknown("the connection was closed"); };
  std::promise<Error> refused;
  CommitQueue queue(store, {}, uncounted(), no_rider);

  EXPECT_TRUE(queue.push(numbered(1), [&](Committed committed) { refused.set_value(committed.outcome.error()); }));

  const Error error = refused.get_future().get();
  EXPECT_EQ(error.code, ErrorCode::outcome_unknown);
  EXPECT_NE(error.message.find("safe to repeat"), std::string::npos) << error.message;
}

TEST(CommitQueue, LetsNothingWaitForABatchWhereTheStoreTakesSeveralAtATime) {
  FakeStore store;
  store.appliers_max = 2;
  store.gate.close();
  Answers answers;
  CommitQueue queue(store, {}, uncounted(), no_rider);

  EXPECT_TRUE(queue.push(numbered(1), answers.to(1)));
  store.gate.wait_for_arrival();
  EXPECT_TRUE(queue.push(numbered(2), answers.to(2)));
  store.gate.wait_for_arrival();
  EXPECT_TRUE(queue.push(numbered(3), answers.to(3)));  // both are at work: the first that is ready takes it
  store.gate.open();
  store.gate.let_through();
  store.gate.let_through();
  queue.close();

  EXPECT_EQ(store.batch_sizes(), (Sizes{1, 1, 1}));
  EXPECT_EQ(answers.all().size(), 3u);
}

TEST(CommitQueue, AnswersLeasesBeforeWhatElseWasCommitted) {
  BusyQueue busy;
  EXPECT_TRUE(busy.queue.push(numbered(1), busy.answers.to(1)));
  EXPECT_TRUE(busy.queue.push(Claim{}, busy.answers.to(2)));
  EXPECT_TRUE(busy.queue.push(numbered(3), busy.answers.to(3)));

  busy.finish();

  EXPECT_EQ(busy.answers.all(), (std::vector<std::string>{"0 ok", "2 ok", "1 ok", "3 ok"}));
}

TEST(CommitQueue, TellsARejectedCommandItsOwnErrorAndTheOthersTheirOutcomes) {
  BusyQueue busy;
  busy.store.outcome = [](const Command& command) -> Outcome {
    if (number_of(command) == "2") return Rejected{{ErrorCode::payload_too_large, "too long for a row"}};
    return CancelAnswer{};
  };
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(busy.queue.push(numbered(i), busy.answers.to(i)));

  busy.finish();

  const std::string too_large = std::to_string(static_cast<int>(ErrorCode::payload_too_large));
  EXPECT_EQ(busy.answers.all(), (std::vector<std::string>{"0 ok", "1 ok", "2 " + too_large, "3 ok"}));
}

TEST(CommitQueue, AppliesWhatWaitsWhenItIsClosedAndTakesNothingMore) {
  BusyQueue busy({.batch_max = 2});
  for (int i = 1; i <= 5; ++i) EXPECT_TRUE(busy.queue.push(numbered(i), busy.answers.to(i)));

  busy.finish();

  EXPECT_EQ(busy.answers.all().size(), 6u);
  EXPECT_FALSE(busy.queue.push(numbered(9), nothing));
  busy.queue.close();  // a second time does nothing
}

TEST(CommitQueue, DoesHousekeepingWhileNothingWaitsUntilNoneIsLeft) {
  std::atomic<int> left = 5;
  std::latch over(1);
  FakeStore store;
  store.housekeeping = [&] {
    if (left == 3) {
      --left;
      throw StoreFault("not now");  // gives up until it is woken again
    }
    if (left == 0) return false;
    if (--left == 0) over.count_down();
    return true;
  };
  CommitQueue queue(store, {}, uncounted(), no_rider);
  while (!over.try_wait()) {
    std::latch done(1);
    EXPECT_TRUE(queue.push(numbered(1), [&](Committed) { done.count_down(); }));
    done.wait();
  }

  EXPECT_EQ(left, 0);
}

TEST(CommitQueue, AnswersEveryCommandOfManyThreadsOnce) {
  constexpr int threads = 4;
  constexpr int each = 2'000;
  std::atomic<int> answered = 0;
  FakeStore store;
  CommitQueue queue(store, {}, uncounted(), no_rider);
  {
    std::vector<std::jthread> pushing;
    for (int i = 0; i < threads; ++i) {
      pushing.emplace_back([&] {
        for (int j = 0; j < each; ++j) EXPECT_TRUE(queue.push(numbered(j), [&](Committed) { ++answered; }));
      });
    }
  }

  queue.close();

  EXPECT_EQ(answered, threads * each);
}

}  // namespace
}  // namespace semel::engine::queue_test
