#include "engine/dispatch_answer.hpp"

#include <gtest/gtest.h>

#include "tests/support/builders.hpp"

namespace semel::engine {
namespace {

Lease pushed_lease() {
  test::Ids ids;
  Lease lease;
  lease.execution.spec.tenant = "acme";
  lease.execution.spec.id = ids.execution();
  lease.execution.spec.handler = "charge";
  lease.execution.attempt = 1;
  lease.attempt_id = ids.attempt();
  lease.dispatch = domain::begin_dispatch(lease.execution, lease.attempt_id, Time{}, 1min);
  return lease;
}

const DispatchRules rules{7min, {1, domain::Backoff::exponential, 1s, 1min, 0}};

template <typename T>
T follows(const SendAnswer& answer, const Lease& of = pushed_lease()) {
  return std::get<T>(what_follows(of, answer, rules));
}

TEST(DispatchAnswer, WhatIsAcceptedIsKeptByHeartbeats) {
  const Lease of = pushed_lease();

  const auto beat = follows<Heartbeat>(SendAccepted{}, of);

  EXPECT_EQ(beat.tenant, "acme");
  EXPECT_EQ(beat.attempt_id, of.attempt_id);
  EXPECT_EQ(beat.lease, 7min);
  EXPECT_EQ(beat.accepted, "accepted");
  EXPECT_EQ(follows<Heartbeat>(SendAccepted{true}).accepted, "deduplicated");
}

TEST(DispatchAnswer, AResultCompletes) {
  EXPECT_EQ(follows<Complete>(SendCompleted{"17"}).result, "17");
  EXPECT_EQ(follows<Complete>(SendCompleted{}).result, std::nullopt);
}

TEST(DispatchAnswer, ARefusalFailsTheAttemptWithWhatWasSaid) {
  const auto fail = follows<Fail>(SendRefused{422, "the target said 422", "no \"thanks\""});

  EXPECT_EQ(fail.error,
            R"({"type":"DISPATCH_REFUSED","message":"the target said 422","status":422,"answer":"no \"thanks\""})");
  EXPECT_TRUE(fail.retryable);
  EXPECT_EQ(follows<Fail>(SendRefused{0, "why", ""}).error, R"({"type":"DISPATCH_REFUSED","message":"why"})");
}

TEST(DispatchAnswer, LaterAndUnknownAreKeptApart) {
  EXPECT_FALSE(follows<PostponeDispatch>(SendLater{std::nullopt, 503, "busy"}).is_ambiguous);
  EXPECT_TRUE(follows<PostponeDispatch>(SendUnknown{"it broke"}).is_ambiguous);
  EXPECT_EQ(follows<PostponeDispatch>(SendUnknown{"it broke"}).answer, "it broke");
}

TEST(DispatchAnswer, SaysUnderWhichNameItWasSent) {
  Lease of = pushed_lease();
  of.dispatch->repair = 2;

  EXPECT_EQ(follows<Heartbeat>(SendAccepted{}, of).repair, 2);
  EXPECT_EQ(follows<PostponeDispatch>(SendLater{}, of).repair, 2);
}

TEST(DispatchAnswer, PausesGrowWithTheSends) {
  Lease of = pushed_lease();
  for (const Duration pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    EXPECT_EQ(follows<PostponeDispatch>(SendLater{}, of).pause, pause);
    of.dispatch->sends += 1;
  }
}

TEST(DispatchAnswer, ATargetMayNameThePauseButNotForEver) {
  EXPECT_EQ(follows<PostponeDispatch>(SendLater{90s}).pause, 90s);
  EXPECT_EQ(follows<PostponeDispatch>(SendLater{24h}).pause, 60min);
}

}  // namespace
}  // namespace semel::engine
