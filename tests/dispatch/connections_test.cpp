// Connections are kept, shared and bounded; what is under way ends with the targets.
#include <atomic>

#include "tests/dispatch/dispatch_fixture.hpp"

namespace semel::dispatch {
namespace {

class ConnectionsTest : public testing::Test {
 protected:
  std::vector<std::future<SendAnswer>> begin(DispatchTargets& targets, std::size_t count) {
    std::vector<std::future<SendAnswer>> answers;
    for (std::size_t i = 0; i < count; ++i) answers.push_back(begin_send(targets, order_for(endpoint_.url(), ids_)));
    return answers;
  }

  static Options with_connections(std::size_t count) {
    Options options = test_options();
    options.limits.connections_max = count;
    return options;
  }

  CurrentReply reply_;
  PushEndpoint endpoint_{[this](const EndpointRequest&) { return reply_.get(); }};
  test::Ids ids_;
};

TEST_F(ConnectionsTest, AreUsedAgain) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();

  for (int i = 0; i < 20; ++i) expect_kind<SendCompleted>(send_and_wait(*targets, order_for(endpoint_.url(), ids_)));

  EXPECT_EQ(endpoint_.connections(), 1U);
}

TEST_F(ConnectionsTest, ThatTheTargetHasClosedAreMadeAnew) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();
  reply_.set({.keeps_alive = false});

  for (int i = 0; i < 3; ++i) expect_kind<SendCompleted>(send_and_wait(*targets, order_for(endpoint_.url(), ids_)));

  EXPECT_EQ(endpoint_.connections(), 3U);
}

TEST_F(ConnectionsTest, ThatAFaultHasEndedAreMadeAnew) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();
  reply_.set({.act = Act::hang_up});
  expect_kind<SendUnknown>(send_and_wait(*targets, order_for(endpoint_.url(), ids_)));
  reply_.set({.act = Act::answer});

  expect_kind<SendCompleted>(send_and_wait(*targets, order_for(endpoint_.url(), ids_)));

  EXPECT_EQ(endpoint_.connections(), 2U);
}

TEST_F(ConnectionsTest, CarryManyOrdersAtOnceOnOneThread) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(with_connections(64)).value();
  endpoint_.hold();

  std::vector<std::future<SendAnswer>> answers = begin(*targets, 64);
  endpoint_.wait_for(64);
  endpoint_.release();

  for (std::future<SendAnswer>& answer : answers) expect_kind<SendCompleted>(answer.get());
  EXPECT_EQ(endpoint_.connections(), 64U);
}

TEST_F(ConnectionsTest, AreNoMoreThanAllowedAndOrdersWaitTheirTurn) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(with_connections(3)).value();
  endpoint_.hold();

  std::vector<std::future<SendAnswer>> answers = begin(*targets, 50);
  endpoint_.wait_for(3);
  EXPECT_EQ(endpoint_.requests().size(), 3U);
  endpoint_.release();

  for (std::future<SendAnswer>& answer : answers) expect_kind<SendCompleted>(answer.get());
  EXPECT_EQ(endpoint_.requests().size(), 50U);
  EXPECT_EQ(endpoint_.connections(), 3U);
}

TEST_F(ConnectionsTest, WhoHasWaitedTooLongForOneIsNotSentAtAll) {
  Options options = with_connections(1);
  options.limits.wait_time = Duration{0};
  const std::unique_ptr<DispatchTargets> targets = make_targets(options).value();
  PushEndpoint other([](const EndpointRequest&) { return EndpointReply{}; });
  endpoint_.hold();
  std::vector<std::future<SendAnswer>> answers = begin(*targets, 2);
  endpoint_.wait_for(1);
  send_and_wait(*targets, order_for(other.url(), ids_));  // so that the second one waits by now
  endpoint_.release();

  expect_kind<SendCompleted>(answers[0].get());
  EXPECT_EQ(expect_kind<SendLater>(answers[1].get()).why, "no connection was free in time");
  EXPECT_EQ(endpoint_.requests().size(), 1U);
}

TEST_F(ConnectionsTest, WhoHasWaitedTooLongForOneIsToldThoughNoneComesFree) {
  Options options = with_connections(1);
  options.limits.wait_time = Duration{0};
  options.limits.idle_time = 10ms;
  const std::unique_ptr<DispatchTargets> targets = make_targets(options).value();
  endpoint_.hold();
  std::vector<std::future<SendAnswer>> answers = begin(*targets, 2);

  expect_kind<SendLater>(answers[1].get());

  endpoint_.release();
  expect_kind<SendCompleted>(answers[0].get());
}

TEST_F(ConnectionsTest, TheTimeOfASendHasABound) {
  Options options = test_options();
  options.limits.wait_time = 1s;
  options.limits.idle_time = 4s;
  options.limits.connect_time = 10s;
  options.limits.send_time = 100s;
  options.limits.body_time = 1'000s;

  EXPECT_EQ(make_targets(options).value()->overhead_max(), 1'113s);
}

TEST_F(ConnectionsTest, OfATargetThatDoesNotAnswerHoldUpNobodyElse) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(with_connections(2)).value();
  PushEndpoint other([](const EndpointRequest&) { return EndpointReply{}; });
  endpoint_.hold();
  std::vector<std::future<SendAnswer>> held = begin(*targets, 5);
  endpoint_.wait_for(2);

  expect_kind<SendCompleted>(send_and_wait(*targets, order_for(other.url(), ids_)));

  endpoint_.release();
  for (std::future<SendAnswer>& answer : held) expect_kind<SendCompleted>(answer.get());
}

TEST_F(ConnectionsTest, ThatNobodyNeedsAreClosed) {
  Options options = test_options();
  options.limits.idle_time = 10ms;
  const std::unique_ptr<DispatchTargets> targets = make_targets(options).value();
  send_and_wait(*targets, order_for(endpoint_.url(), ids_));

  endpoint_.wait_for_ends(1);

  expect_kind<SendCompleted>(send_and_wait(*targets, order_for(endpoint_.url(), ids_)));
}

TEST_F(ConnectionsTest, AreSpreadOverThreads) {
  Options options = with_connections(4);
  options.limits.threads = 2;
  const std::unique_ptr<DispatchTargets> targets = make_targets(options).value();
  endpoint_.hold();

  std::vector<std::future<SendAnswer>> answers = begin(*targets, 8);
  endpoint_.wait_for(8);
  endpoint_.release();

  for (std::future<SendAnswer>& answer : answers) expect_kind<SendCompleted>(answer.get());
  EXPECT_EQ(endpoint_.connections(), 8U);
}

TEST_F(ConnectionsTest, EndWithTheTargetsAndEverybodyIsTold) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(with_connections(2)).value();
  endpoint_.hold();
  std::vector<std::future<SendAnswer>> answers = begin(*targets, 5);
  endpoint_.wait_for(2);

  targets->close();

  int unknown = 0;
  for (std::future<SendAnswer>& answer : answers) {
    ASSERT_EQ(answer.wait_for(0s), std::future_status::ready);
    const SendAnswer given = answer.get();
    unknown += std::holds_alternative<SendUnknown>(given) ? 1 : 0;
    EXPECT_TRUE(std::holds_alternative<SendUnknown>(given) || std::holds_alternative<SendLater>(given));
  }
  EXPECT_EQ(unknown, 2);
  expect_kind<SendLater>(send_and_wait(*targets, order_for(endpoint_.url(), ids_)));
  targets->close();
}

TEST_F(ConnectionsTest, EveryOrderIsAnsweredOnceThoughTheTargetsEndMeanwhile) {
  std::atomic<int> answered{0};
  const int count = 500;
  {
    const std::unique_ptr<DispatchTargets> targets = make_targets(with_connections(8)).value();
    for (int i = 0; i < count; ++i)
      targets->send(order_for(endpoint_.url(), ids_), [&](const SendAnswer&) { ++answered; });
    endpoint_.wait_for(20);
  }

  EXPECT_EQ(answered, count);
}

}  // namespace
}  // namespace semel::dispatch
