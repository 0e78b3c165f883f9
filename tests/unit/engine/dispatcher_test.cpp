#include "engine/dispatcher.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/support/builders.hpp"
#include "tests/support/fake_targets.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

namespace semel::engine::test {
namespace {

using semel::test::FakeTargets;
using semel::test::Ids;

/// An engine whose queue "push" has a target, by the configuration unless a test says otherwise.
class DispatcherTest : public ::testing::Test {
 protected:
  explicit DispatcherTest(bool is_shared = false) : store(clock, is_shared) {
    made.dispatch.targets = &targets;
    made.dispatch.again = {1, domain::Backoff::fixed, 1h, 1h, 0};  // only when the test's clock says so
    made.queues["push"].target = "http://target/";
  }

  /// The engine runs, and has looked for queues that have tasks.
  void start() {
    engine.emplace(store, made);
    engine->start_dispatching("http://here");
    store.depths_read.acquire();
  }

  domain::ExecutionId submit(const domain::Submission& submission) {
    Awaited<SubmitAnswer> awaited;
    engine->submit(owner, submission, awaited.answer());
    return std::get<NewTask>(awaited.get()).id;
  }
  static domain::Submission task() {
    domain::Submission submission = ad_hoc("charge");
    submission.queue = "push";
    return submission;
  }
  void put_queue(domain::QueueOptions options) {
    Awaited<Result<QueueView>> awaited;
    engine->put_queue(owner, "push", std::move(options), awaited.answer());
    ASSERT_TRUE(awaited.get());
  }
  /// Returns when everything is written that was to be written before.
  void settle() {
    std::promise<void> over;
    engine->maintain([&] { over.set_value(); });
    over.get_future().get();
  }
  void pass(Duration time) {
    clock.advance(time);
    settle();
  }
  /// What the last server has left behind: so many dispatches of which nobody knows what became of them.
  void leave_behind(std::size_t count) {
    domain::QueueOptions options;
    options.target = "http://target/";
    apply(PutQueue{"acme", "push", options, "key-1"});
    for (std::size_t i = 0; i < count; ++i) apply(semel::test::submission(ids).queue("push").build());
    Claim claim = semel::test::claim_of(ids, count, domain::unaccepted_lease);
    claim.queues = {"push"};
    claim.worker = domain::push_worker;
    claim.push = 40s;
    apply(claim);
  }
  Outcome apply(const Command& command) { return store.apply({&command, 1}).outcomes.at(0); }

  domain::Dispatch dispatch_of(domain::ExecutionId id) {
    DispatchQuery query;
    query.tenant = "acme";
    query.execution_id = id;
    return store.dispatches(query).at(0).dispatch;
  }
  void await_dispatch(domain::ExecutionId id, domain::DispatchState state) {
    while (dispatch_of(id).state != state) std::this_thread::yield();
  }

  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  semel::test::ManualClock clock;
  Ids ids;
  WatchedStore store;
  FakeTargets targets;
  EngineOptions made = options();
  std::optional<Engine> engine;
};

class SharedDispatcherTest : public DispatcherTest {
 protected:
  SharedDispatcherTest() : DispatcherTest(true) {}
};

TEST_F(DispatcherTest, TheFirstTaskOfAQueueMayBeADelayedOne) {
  start();
  domain::Submission later = task();
  later.delay = 1h;
  const domain::ExecutionId id = submit(later);

  pass(1h);

  ASSERT_TRUE(targets.wait_for(1));
  EXPECT_EQ(targets.orders()[0].lease.execution.spec.id, id);
}

/// Another server of the store may be sending it, until it has said nothing for so long.
TEST_F(SharedDispatcherTest, WhatACrashedServerWasSendingIsSentWhenItsTimeIsOver) {
  leave_behind(1);
  DispatchQuery query;
  query.tenant = "acme";
  const domain::DispatchIds left = store.dispatches(query).at(0).dispatch.ids;
  start();
  pass(39s);
  EXPECT_TRUE(targets.orders().empty());

  pass(1s);

  ASSERT_TRUE(targets.wait_for(1));
  EXPECT_EQ(targets.orders()[0].ids, left);
  settle();
  EXPECT_EQ(targets.orders().size(), 1u);
}

TEST_F(SharedDispatcherTest, WhatAnotherServerMakesReadyIsSentToo) {
  store.is_leader = false;  // it is for the other one to make it ready
  start();
  Submit submit = semel::test::submission(ids).queue("push");
  submit.delay = 1h;
  apply(submit);
  clock.advance(1h);
  const Command promote = PromoteDue{100};
  News news;
  news.ready = store.apply({&promote, 1}).ready;
  ASSERT_EQ(news.ready.size(), 1u);

  store.tell(news);

  ASSERT_TRUE(targets.wait_for(1));
}

TEST_F(DispatcherTest, AQueueThatHadNoTargetForATimeIsSentToAgain) {
  start();
  domain::QueueOptions pushed;
  pushed.target = "http://target/";
  pushed.max_in_flight = 1;
  put_queue(pushed);
  const domain::ExecutionId id = submit(task());
  ASSERT_TRUE(targets.wait_for(1));
  targets.answer(0, SendLater{});
  domain::QueueOptions polled;
  polled.target = "";
  put_queue(polled);
  pass(1h);  // it is taken to be sent again, and is for workers now
  Engine::PollRequest request = poll_for(60s);
  request.queues = {"push"};
  Awaited<Result<std::vector<Lease>>> lease;
  engine->poll(owner, request, lease.answer());
  ASSERT_EQ(lease.get()->at(0).execution.spec.id, id);

  put_queue(pushed);
  submit(task());

  ASSERT_TRUE(targets.wait_for(2));
}

TEST_F(DispatcherTest, WhatIsSentAgainIsBoundedAsWhatIsSentFirst) {
  made.queues["push"].max_in_flight = 2;
  leave_behind(5);

  start();
  ASSERT_TRUE(targets.wait_for(2));
  settle();
  EXPECT_EQ(targets.orders().size(), 2u);

  for (std::size_t i = 0; i < 5; ++i) {
    targets.answer(i, SendCompleted{});
    if (i % 2 == 0) continue;
    pass(1s);
    ASSERT_TRUE(targets.wait_for(std::min<std::size_t>(i + 3, 5)));
  }
  std::set<std::string> names;
  for (const DispatchOrder& order : targets.orders()) names.insert(order.ids.external);
  EXPECT_EQ(names.size(), 5u);
  EXPECT_EQ(targets.orders().size(), 5u);
}

TEST_F(DispatcherTest, WhoeverSendsHasLongerThanASendTakes) {
  targets.overhead = 100s;
  made.queues["push"].target_timeout = 1s;
  start();
  const domain::ExecutionId id = submit(task());
  ASSERT_TRUE(targets.wait_for(1));

  EXPECT_GT(dispatch_of(id).next_send_at, clock.now() + 1s + 100s);
}

TEST_F(DispatcherTest, WhoeverSendsAgainHasLongerThanASendOfAnyQueueTakes) {
  targets.overhead = 100s;
  made.queues["push"].target_timeout = 10min;
  leave_behind(1);
  start();
  ASSERT_TRUE(targets.wait_for(1));

  EXPECT_GT(dispatch_of(targets.orders()[0].lease.execution.spec.id).next_send_at, clock.now() + 10min + 100s);
}

TEST_F(DispatcherTest, ARepairIsSentThoughTheOldRequestIsStillOpen) {
  start();
  const domain::ExecutionId id = submit(task());
  ASSERT_TRUE(targets.wait_for(1));
  Awaited<Result<AttemptAnswer>> begun;
  const domain::DispatchGrant grant = *engine->check_callback(targets.orders()[0].token);
  engine->call_back(grant, Engine::CallbackBeat{}, begun.answer());
  ASSERT_TRUE(begun.get());
  Awaited<Result<domain::Dispatch>> repaired;
  engine->repair_dispatch(owner, id, repaired.answer());
  ASSERT_TRUE(repaired.get());
  await_dispatch(id, domain::DispatchState::ambiguous);  // it was taken, and cannot be sent now

  targets.answer(0, SendAccepted{});

  ASSERT_TRUE(targets.wait_for(2));
  EXPECT_EQ(targets.orders()[1].ids, domain::dispatch_ids(id.text(), "charge", 1, 1));
  targets.answer(1, SendAccepted{});
  await_dispatch(id, domain::DispatchState::sent);
}

TEST_F(DispatcherTest, AStoreThatIsAwayIsAskedForQueuesAgain) {
  engine.emplace(store, made);
  submit(task());
  store.wait_for_first_maintenance();
  store.queues_away = 1;

  engine->start_dispatching("http://here");
  store.queues_refused.acquire();
  settle();

  ASSERT_TRUE(targets.wait_for(1));
}

TEST_F(DispatcherTest, TheEnvelopeSaysHowLongNothingMayBeHeard) {
  made.queues["push"].heartbeat_timeout = 7min;
  made.queues["push"].target_timeout = 11s;
  start();
  submit(task());
  ASSERT_TRUE(targets.wait_for(1));
  domain::Submission quick = task();
  quick.timeout = 3min;
  submit(quick);
  ASSERT_TRUE(targets.wait_for(2));

  EXPECT_EQ(targets.orders()[0].answer_time, 11s);
  EXPECT_EQ(targets.orders()[0].lease.lease_until, clock.now() + 7min);
  EXPECT_EQ(targets.orders()[1].lease.lease_until, clock.now() + 3min);
}

TEST_F(DispatcherTest, ATokenOutlivesTheTimeThatTheTargetHas) {
  made.queues["push"].target = "cloudtasks://projects/p/locations/l/queues/q";
  made.queues["push"].target_dedup_window = 24h * 9;
  start();
  submit(task());
  ASSERT_TRUE(targets.wait_for(1));

  clock.advance(24h * 18 - 1ms);

  EXPECT_TRUE(engine->check_callback(targets.orders()[0].token));
}

}  // namespace
}  // namespace semel::engine::test
