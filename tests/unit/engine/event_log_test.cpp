#include "engine/event_log.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/event_stream.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/manual_clock.hpp"

namespace semel::engine {
namespace {

using domain::State;

constexpr std::uint32_t epoch = 0x6f1c2a9b;

class EventLogTest : public testing::Test {
 protected:
  Change change(State state = State::pending, const std::string& tenant = "acme") {
    Change made;
    made.tenant = tenant;
    made.id = ids_.execution();
    made.state = state;
    made.queue = "default";
    made.handler = "mail";
    return made;
  }
  void append(std::size_t count, const std::string& tenant = "acme") {
    for (std::size_t i = 0; i < count; ++i)
      log_.append(semel::test::ManualClock::start, {change(State::pending, tenant)});
  }
  std::unique_ptr<EventStream> follow(EventQuery query = {}, const std::string& tenant = "acme") {
    auto follower = log_.follow(tenant, [this] { ++woken_; }, 10);
    return std::make_unique<EventStream>(log_, follower, tenant, std::move(query));
  }
  static std::vector<std::uint64_t> numbers(const EventStream::Batch& batch) {
    std::vector<std::uint64_t> numbers;
    for (const auto& each : batch.events) numbers.push_back(each.position.number);
    return numbers;
  }
  using Numbers = std::vector<std::uint64_t>;

  semel::test::Ids ids_;
  EventLog log_{epoch, 16};
  std::atomic<int> woken_ = 0;
};

TEST(EventPosition, IsReadAsItIsWritten) {
  const EventPosition position{epoch, 1042};
  EXPECT_EQ(position.text(), "6f1c2a9b-1042");
  const auto parsed = EventPosition::parse("6f1c2a9b-1042");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->epoch, epoch);
  EXPECT_EQ(parsed->number, 1042u);
  EXPECT_EQ((EventPosition{7, 0}.text()), "00000007-0");
}

TEST(EventPosition, NothingElseIsRead) {
  for (const std::string_view text :
       {"", "-", "6f1c2a9b", "6f1c2a9b-", "6f1c2a9-1", "6f1c2a9b-x", "6f1c2a9b-1 ", "xf1c2a9b-1", "6f1c2a9b--1",
        "6f1c2a9b-99999999999999999999999", "6f1c2a9b1042"}) {
    EXPECT_FALSE(EventPosition::parse(text).has_value()) << text;
  }
}

TEST_F(EventLogTest, AFollowerGetsWhatComesAfterItsBeginning) {
  append(2);
  const auto stream = follow();
  EXPECT_TRUE(stream->next().events.empty());

  append(3);

  EXPECT_EQ(numbers(stream->next()), (Numbers{3, 4, 5}));
  EXPECT_TRUE(stream->next().events.empty());
}

TEST_F(EventLogTest, AFollowerGoesOnWhereItWas) {
  append(5);

  const EventStream::Batch batch = follow({.after = EventPosition{epoch, 3}})->next();

  EXPECT_EQ(numbers(batch), (Numbers{4, 5}));
  EXPECT_FALSE(batch.is_gap);
}

TEST_F(EventLogTest, WhoWasAwayTooLongIsToldAndGoesOnWithWhatIsNew) {
  append(40);
  const auto stream = follow({.after = EventPosition{epoch, 3}});

  EventStream::Batch batch = stream->next();
  EXPECT_TRUE(batch.is_gap);
  EXPECT_TRUE(batch.events.empty());
  EXPECT_EQ(stream->position().number, 40u);

  append(1);
  batch = stream->next();
  EXPECT_FALSE(batch.is_gap);
  EXPECT_EQ(numbers(batch), Numbers{41});
}

TEST_F(EventLogTest, APositionOfAnotherProcessOrOfTheFutureIsAGap) {
  append(5);
  EXPECT_TRUE(follow({.after = EventPosition{epoch + 1, 3}})->next().is_gap);
  EXPECT_TRUE(follow({.after = EventPosition{epoch, 6}})->next().is_gap);
  EXPECT_FALSE(follow({.after = EventPosition{epoch, 5}})->next().is_gap);
}

TEST_F(EventLogTest, TheEventsOfTenantsAreCountedApart) {
  append(3, "globex");
  append(2);

  EXPECT_EQ(numbers(follow({.after = EventPosition{epoch, 0}})->next()), (Numbers{1, 2}));
  EXPECT_EQ(log_.last("acme").number, 2u);
  EXPECT_EQ(log_.last("nobody").number, 0u);
}

TEST_F(EventLogTest, ATenantWithManyEventsLosesItsOwn) {
  append(3);
  append(100, "globex");

  EXPECT_EQ(numbers(follow({.after = EventPosition{epoch, 0}})->next()), (Numbers{1, 2, 3}));
  EXPECT_TRUE(follow({.after = EventPosition{epoch, 0}}, "globex")->next().is_gap);
}

TEST_F(EventLogTest, AFollowerIsWokenOnceForEachTimeItFoundNothing) {
  const auto stream = follow();
  append(1);
  EXPECT_EQ(woken_, 0);  // it has not looked yet

  stream->next();
  stream->next();
  append(1);
  append(1);
  EXPECT_EQ(woken_, 1);

  stream->next();
  append(1);
  EXPECT_EQ(woken_, 2);
}

TEST_F(EventLogTest, ChangesOfOtherTenantsWakeNobody) {
  const auto stream = follow();
  stream->next();

  append(3, "globex");

  EXPECT_EQ(woken_, 0);
}

TEST_F(EventLogTest, OnlyWhatWasAskedForIsGiven) {
  Change slow = change(State::completed);
  slow.queue = "slow";
  Change named = change(State::failed);
  named.namespace_ = "shop";
  named.name = "charge";
  Change other = change(State::running);
  other.handler = "resize";
  log_.append(semel::test::ManualClock::start, {slow, named, other});
  const EventPosition begin{epoch, 0};

  EXPECT_EQ(numbers(follow({.after = begin, .queue = "slow"})->next()), Numbers{1});
  EXPECT_EQ(numbers(follow({.after = begin, .states = {State::failed, State::running}})->next()), (Numbers{2, 3}));
  EXPECT_EQ(numbers(follow({.after = begin, .namespace_ = "shop", .name = "charge"})->next()), Numbers{2});
  EXPECT_EQ(numbers(follow({.after = begin, .handler = "resize"})->next()), Numbers{3});
  EXPECT_EQ(numbers(follow({.after = begin, .id = named.id})->next()), Numbers{2});
  EXPECT_EQ(numbers(follow({.after = begin, .queue = "slow", .handler = "resize"})->next()), Numbers{});
}

TEST_F(EventLogTest, WhatWasNotAskedForIsPassedByOnce) {
  append(4);
  const auto stream = follow({.after = EventPosition{epoch, 0}, .queue = "slow"});

  stream->next();

  EXPECT_EQ(stream->position().number, 4u);
}

TEST_F(EventLogTest, ATenantHasOnlySoManyFollowers) {
  std::vector<std::shared_ptr<EventLog::Follower>> followers;
  for (int i = 0; i < 2; ++i) followers.push_back(log_.follow("acme", [] {}, 2));
  EXPECT_EQ(log_.follow("acme", [] {}, 2), nullptr);
  EXPECT_NE(log_.follow("globex", [] {}, 2), nullptr);

  followers.pop_back();

  EXPECT_NE(log_.follow("acme", [] {}, 2), nullptr);
}

TEST_F(EventLogTest, ClosingWakesForTheLastTime) {
  const auto stream = follow();
  EXPECT_FALSE(stream->next().is_closed);

  log_.close();

  EXPECT_EQ(woken_, 1);
  EXPECT_TRUE(stream->next().is_closed);
}

TEST_F(EventLogTest, VeryManySubjectsAreNoTrouble) {
  for (int i = 0; i < 5'000; ++i) {
    Change each = change();
    each.queue = "queue-" + std::to_string(i);
    log_.append(semel::test::ManualClock::start, {each});
  }
  const auto batch = follow({.after = EventPosition{epoch, 4'999}})->next();

  ASSERT_EQ(batch.events.size(), 1u);
  EXPECT_EQ(batch.events[0].event.subject->queue, "queue-4999");
}

TEST_F(EventLogTest, NothingIsMissedByAFollowerOnAnotherThread) {
  constexpr std::uint64_t count = 5'000;
  EventLog log(epoch, count);
  std::atomic<bool> ready = true;
  EventStream stream(log,
                     log.follow(
                         "acme",
                         [&] {
                           ready = true;
                           ready.notify_one();
                         },
                         1),
                     "acme", {});
  std::jthread appending([&] {
    for (std::uint64_t i = 0; i < count; ++i) log.append(semel::test::ManualClock::start, {change()});
  });

  std::uint64_t seen = 0;
  while (seen < count) {
    ready = false;
    const EventStream::Batch batch = stream.next();
    for (const auto& each : batch.events) ASSERT_EQ(each.position.number, ++seen);
    if (batch.events.empty()) ready.wait(false);
  }
}

}  // namespace
}  // namespace semel::engine
