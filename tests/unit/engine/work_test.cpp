#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/engine/engine_fixture.hpp"
#include "tests/unit/engine/fake_store.hpp"

namespace semel::engine::test {
namespace {

using Worked = Result<Engine::WorkAnswer>;
using Endings = std::vector<Result<Engine::Ending>>;

constexpr Duration work_wait = 60s;

Engine::Ending ended_well(domain::AttemptId attempt) { return {attempt, Engine::Success{"17"}}; }

/// What a worker says and asks in one request.
class WorkTest : public EngineTest {
 protected:
  Worked work(Endings endings, Duration wait = Duration{0}) {
    Awaited<Worked> awaited;
    engine.work(owner, poll_for(wait), std::move(endings), awaited.answer());
    return awaited.get();
  }
  domain::AttemptId lease() { return poll()->at(0).attempt_id; }
  ResultView result_of(domain::ExecutionId id, Duration wait) {
    Awaited<Result<ResultView>> awaited;
    engine.await_result(owner, id, wait, awaited.answer());
    return awaited.get().value();
  }
};

TEST_F(WorkTest, EndsWhatTheWorkerHadAndLeasesTheNextTask) {
  const auto first = create(ad_hoc());
  const domain::AttemptId attempt = lease();
  const auto second = create(ad_hoc());

  const Worked worked = work({ended_well(attempt)});

  EXPECT_EQ(worked->endings.at(0)->state, domain::State::completed);
  EXPECT_EQ(worked->leases.at(0).execution.spec.id, second);
  EXPECT_EQ(result_of(first, Duration{0}).result, "17");
}

TEST_F(WorkTest, ABadOutcomeKeepsNobodyFromTheNextTask) {
  const auto id = create(ad_hoc());

  const Worked worked = work({refuse(ErrorCode::bad_request, "no"), ended_well({})});

  EXPECT_EQ(worked->endings.at(0).error().message, "no");
  EXPECT_EQ(worked->endings.at(1).error().code, ErrorCode::stale_attempt);
  EXPECT_EQ(worked->leases.at(0).execution.spec.id, id);
}

TEST_F(WorkTest, WhoWaitsForAResultHasItWhileTheWorkerStillWaitsForATask) {
  const auto first = create(ad_hoc());
  const domain::AttemptId attempt = lease();
  Awaited<Worked> waiting;
  const auto polling = engine.work(owner, poll_for(work_wait), {ended_well(attempt)}, waiting.answer());

  EXPECT_EQ(result_of(first, work_wait).state, domain::State::completed);
  const auto second = create(ad_hoc());

  const Worked worked = waiting.get();
  EXPECT_EQ(worked->endings.at(0)->state, domain::State::completed);
  EXPECT_EQ(worked->leases.at(0).execution.spec.id, second);
}

TEST_F(WorkTest, TellsWhatWasRecordedWhenTheTimeIsOver) {
  create(ad_hoc());

  const Worked worked = work({ended_well(lease())}, 1ms);

  EXPECT_TRUE(worked->endings.at(0));
  EXPECT_TRUE(worked->leases.empty());
}

TEST_F(WorkTest, AWorkerThatGoesAwayLeavesTheNextTaskToAnotherAndItsOutcomesCount) {
  const auto first = create(ad_hoc());
  Awaited<Worked> gone;
  const auto polling = engine.work(owner, poll_for(work_wait), {ended_well(lease())}, gone.answer());
  EXPECT_EQ(result_of(first, work_wait).state, domain::State::completed);

  polling->abandon();

  const Worked worked = gone.get();
  EXPECT_TRUE(worked->endings.at(0));
  EXPECT_TRUE(worked->leases.empty());
  create(ad_hoc());
  EXPECT_EQ(poll()->size(), 1u);
}

TEST_F(WorkTest, OutcomesAreSaidOnceHoweverOftenItLooksForTasks) {
  create(ad_hoc());
  const domain::AttemptId attempt = lease();
  Awaited<Worked> waiting;
  engine.work(owner, poll_for(work_wait), {ended_well(attempt)}, waiting.answer());

  domain::Submission other = ad_hoc();
  other.queue = "other";
  create(other);
  create(ad_hoc());

  EXPECT_EQ(waiting.get()->endings.at(0)->kind, AttemptAnswer::Kind::recorded);
}

TEST_F(WorkTest, RefusesWhoIsNoWorker) {
  Awaited<Worked> refused;

  EXPECT_EQ(engine.work(creator, poll_for(work_wait), {ended_well({})}, refused.answer()), nullptr);

  EXPECT_EQ(refused.get().error().code, ErrorCode::forbidden);
}

/// Stores that do not do all of it.
class WorkFaultTest : public ::testing::Test {
 protected:
  Worked work(EngineOptions with = options()) {
    Engine engine(store, std::move(with));
    Awaited<Worked> awaited;
    engine.work(owner, poll_for(Duration{0}), {ended_well({})}, awaited.answer());
    return awaited.get();
  }
  /// An outcome is recorded; with what the engine does by itself, all is as usual.
  static Outcome answer_to(const Command& command) {
    if (!std::holds_alternative<Complete>(command)) return FakeStore::usual(command);
    AttemptAnswer answer;
    answer.kind = AttemptAnswer::Kind::recorded;
    return answer;
  }
  static bool is_end(const Command& command) { return std::holds_alternative<Complete>(command); }
  static bool is_claim(const Command& command) { return std::holds_alternative<Claim>(command); }

  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  semel::test::FakeStore store;
};

TEST_F(WorkFaultTest, TheOutcomesAndTheClaimAreOneBatchInThatOrder) {
  store.outcome = [](const Command& command) -> Outcome {
    if (is_claim(command)) return Claimed{};
    return answer_to(command);
  };

  EXPECT_TRUE(work()->endings.at(0));

  bool found = false;
  for (const auto& batch : store.batches()) {
    const auto end = std::ranges::find_if(batch, is_end);
    if (end == batch.end()) continue;
    found = true;
    ASSERT_NE(std::next(end), batch.end());
    EXPECT_TRUE(is_claim(*std::next(end)));
  }
  EXPECT_TRUE(found);
}

TEST_F(WorkFaultTest, WhatWasRecordedIsToldWhenOnlyTheClaimFailed) {
  store.outcome = [](const Command& command) -> Outcome {
    if (is_claim(command)) return Rejected{nothing_changed()};
    return answer_to(command);
  };

  const Worked worked = work();

  ASSERT_TRUE(worked);
  EXPECT_TRUE(worked->endings.at(0));
  EXPECT_TRUE(worked->leases.empty());
}

TEST_F(WorkFaultTest, IsRefusedAsAWholeWhenNothingWasRecorded) {
  store.outcome = [](const Command&) -> Outcome { return Rejected{nothing_changed()}; };

  EXPECT_EQ(work().error().code, ErrorCode::unavailable);
}

TEST_F(WorkFaultTest, IsRefusedAsAWholeByAQueueThatIsFull) {
  EngineOptions full = options();
  full.commits.commands_max = 1;  // two would come

  EXPECT_EQ(work(full).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace semel::engine::test
