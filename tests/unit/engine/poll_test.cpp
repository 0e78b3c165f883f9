#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>

#include "tests/unit/engine/engine_fixture.hpp"
#include "tests/unit/engine/fake_store.hpp"

namespace semel::engine::test {
namespace {

using Leases = Result<std::vector<Lease>>;

constexpr Duration long_wait = 60s;

class PollTest : public EngineTest {};

TEST_F(PollTest, AnswersAtOnceWithoutAWait) {
  EXPECT_TRUE(poll()->empty());

  const auto id = create(ad_hoc());
  const Leases leases = poll();

  ASSERT_EQ(leases->size(), 1u);
  EXPECT_EQ(leases->front().execution.spec.id, id);
  EXPECT_EQ(leases->front().lease_until, clock.now() + 30s);
}

TEST_F(PollTest, GivesAsManyLeasesAsAskedFor) {
  for (int i = 0; i < 5; ++i) create(ad_hoc());

  EXPECT_EQ(poll(Duration{0}, 3)->size(), 3u);
  EXPECT_EQ(poll(Duration{0}, 3)->size(), 2u);
}

TEST_F(PollTest, AnswersAtOnceWhenATaskIsThereAlready) {
  create(ad_hoc());

  EXPECT_EQ(poll(long_wait)->size(), 1u);
}

TEST_F(PollTest, WaitsForATaskToBecomeReady) {
  Awaited<Leases> waiting;
  engine.poll(owner, poll_for(long_wait), waiting.answer());

  const auto id = create(ad_hoc());

  EXPECT_EQ(waiting.get()->at(0).execution.spec.id, id);
}

TEST_F(PollTest, WaitsForTheHandlersItAskedFor) {
  Engine::PollRequest request = poll_for(long_wait);
  request.handlers = {"charge"};
  Awaited<Leases> waiting;
  engine.poll(owner, request, waiting.answer());

  create(ad_hoc("mail"));
  const auto id = create(ad_hoc("charge"));

  EXPECT_EQ(waiting.get()->at(0).execution.spec.id, id);
}

TEST_F(PollTest, WaitsForADelayedTaskToBecomeDue) {
  domain::Submission delayed = ad_hoc();
  delayed.delay = 1h;
  create(delayed);
  Awaited<Leases> waiting;
  engine.poll(owner, poll_for(long_wait), waiting.answer());

  clock.advance(1h);
  maintain();

  EXPECT_EQ(waiting.get()->size(), 1u);
}

TEST_F(PollTest, AnswersEmptyWhenTheTimeIsOver) { EXPECT_TRUE(poll(1ms)->empty()); }

TEST_F(PollTest, AnswersEmptyWhenTheWorkerGoesAwayAndLeavesTheTaskToAnother) {
  Awaited<Leases> gone;
  Awaited<Leases> staying;
  const auto polling = engine.poll(owner, poll_for(long_wait), gone.answer());
  engine.poll(owner, poll_for(long_wait), staying.answer());

  polling->abandon();
  const auto id = create(ad_hoc());

  EXPECT_TRUE(gone.get()->empty());
  EXPECT_EQ(staying.get()->at(0).execution.spec.id, id);
  polling->abandon();  // a second time does nothing
}

TEST_F(PollTest, EndsAllWaitsWhenTheEngineStopsAndLetsNobodyWaitAgain) {
  Awaited<Leases> waiting;
  engine.poll(owner, poll_for(long_wait), waiting.answer());

  engine.stop_waiting();

  EXPECT_TRUE(waiting.get()->empty());
  EXPECT_TRUE(poll(long_wait)->empty());
}

TEST_F(PollTest, RefusesWhoIsNoWorker) {
  Awaited<Leases> refused;

  EXPECT_EQ(engine.poll(creator, poll_for(long_wait), refused.answer()), nullptr);

  const Leases answer = refused.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::forbidden);
  EXPECT_EQ(answer.error().message, "this needs the permission workers");
}

/// Lets one claim find nothing, as a database may that skips what another transaction holds; and can be held.
class HesitantStore final : public semel::test::FakeStore {
 public:
  HesitantStore(const Clock& clock, int refused_claim) : inner_(clock) {
    outcome = [this, refused_claim](const Command& command) -> Outcome {
      if (std::holds_alternative<Claim>(command) && ++claims_ == refused_claim) return Claimed{};
      Applied applied = inner_.apply({&command, 1});
      changes.insert(changes.end(), applied.changes.begin(), applied.changes.end());
      return std::move(applied.outcomes[0]);
    };
  }

 private:
  store::MemoryStore inner_;
  int claims_ = 0;  // used by the applier only
};

class PollRaceTest : public ::testing::Test {
 protected:
  static constexpr int no_claim = 0;

  /// Holds the applier, so that what follows becomes one batch.
  void hold() {
    store->gate.close();
    engine->cancel(owner, {}, {}, [](Result<CancelAnswer>) {});
    store->gate.wait_for_arrival();
    store->gate.open();
  }
  void start(int refused_claim) {
    store.emplace(clock, refused_claim);
    engine.emplace(*store, options());
  }
  void submit() {
    Awaited<SubmitAnswer> submitted;
    engine->submit(owner, ad_hoc(), submitted.answer());
    EXPECT_TRUE(std::holds_alternative<NewTask>(submitted.get()));
  }

  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  semel::test::ManualClock clock;
  std::optional<HesitantStore> store;
  std::optional<Engine> engine;
};

TEST_F(PollRaceTest, TakesATaskThatBecameReadyWhileItsClaimWasUnderWay) {
  start(1);
  hold();
  Awaited<Leases> waiting;

  // In one batch: the wake-up comes before the claim's answer, which has found nothing.
  engine->submit(owner, ad_hoc(), [](SubmitAnswer) {});
  engine->poll(owner, poll_for(long_wait), waiting.answer());
  store->gate.let_through();

  EXPECT_EQ(waiting.get()->size(), 1u);
}

TEST_F(PollRaceTest, ClaimsATaskThatItWaitsForInTheCommitThatCreatesIt) {
  start(no_claim);
  Awaited<Leases> waiting;
  engine->poll(owner, poll_for(long_wait), waiting.answer());
  hold();

  engine->submit(owner, ad_hoc(), [](SubmitAnswer) {});
  store->gate.let_through();

  EXPECT_EQ(waiting.get()->size(), 1u);
  const auto batches = store->batches();
  const auto creates = [](const Command& command) { return std::holds_alternative<Submit>(command); };
  const auto claims = [](const Command& command) { return std::holds_alternative<Claim>(command); };
  const auto batch =
      std::ranges::find_if(batches, [&](const auto& each) { return std::ranges::any_of(each, creates); });
  ASSERT_TRUE(batch != batches.end());
  EXPECT_TRUE(std::any_of(std::ranges::find_if(*batch, creates), batch->end(), claims));
}

TEST_F(PollRaceTest, PassesAWakeUpOnThatItNoLongerNeeds) {
  start(2);
  submit();
  hold();
  Awaited<Leases> first;
  Awaited<Leases> second;

  // In one batch: the new task wakes the first poll, which gets the old task; the second poll has found
  // nothing.
  engine->submit(owner, ad_hoc(), [](SubmitAnswer) {});
  engine->poll(owner, poll_for(long_wait), first.answer());
  engine->poll(owner, poll_for(long_wait), second.answer());
  store->gate.let_through();

  EXPECT_EQ(first.get()->size(), 1u);
  EXPECT_EQ(second.get()->size(), 1u);
}

/// A worker that polls again and again until it is told to stop.
class Worker {
 public:
  Worker(Engine& engine, const domain::Principal& principal, std::function<void(const Lease&)> take)
      : engine_(engine), principal_(principal), take_(std::move(take)) {}

  void poll() {
    engine_.poll(principal_, poll_for(long_wait), [this](Leases leases) {
      if (!leases || leases->empty()) return stopped_.count_down();
      take_(leases->front());
      poll();
    });
  }
  void wait_until_stopped() { stopped_.wait(); }
  bool is_stopped() const { return stopped_.try_wait(); }

 private:
  Engine& engine_;
  const domain::Principal& principal_;
  const std::function<void(const Lease&)> take_;
  std::latch stopped_{1};
};

TEST_F(PollTest, LosesNoWakeUpBetweenManyWorkersAndSubmitters) {
  constexpr int submitters = 4;
  constexpr int each = 250;
  std::mutex mutex;
  std::set<domain::ExecutionId> leased;
  std::latch all_leased(submitters * each);
  const auto take = [&](const Lease& lease) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(leased.insert(lease.execution.spec.id).second) << "leased twice";
    all_leased.count_down();
  };
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < 6; ++i) workers.push_back(std::make_unique<Worker>(engine, owner, take));
  for (const auto& worker : workers) worker->poll();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < submitters; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < each; ++j) engine.submit(owner, ad_hoc(), [](SubmitAnswer) {});
      });
    }
  }

  all_leased.wait();
  for (const auto& worker : workers) EXPECT_FALSE(worker->is_stopped()) << "its time ran out while tasks waited";
  engine.stop_waiting();
  for (const auto& worker : workers) worker->wait_until_stopped();

  EXPECT_EQ(leased.size(), static_cast<std::size_t>(submitters * each));
}

}  // namespace
}  // namespace semel::engine::test
