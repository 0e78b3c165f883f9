#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// Identities given free on purpose (DESIGN §3.4).
class ReleaseContract : public StoreContract {
 protected:
  Submit strictest(std::string_view key) { return task().key(key).reuse(Reuse::reject_duplicate); }
};
SEMEL_ON_ALL_STORES(ReleaseContract);

TEST_P(ReleaseContract, WhatNobodyHoldsIsNotFound) {
  create_in(State::completed, task().key("a").tenant(default_tenant));

  const Released released = release(hash_of("b"));

  EXPECT_EQ(released.kind, Released::Kind::not_found);
  EXPECT_EQ(released.holder, std::nullopt);
  EXPECT_EQ(as<Released>(apply(Release{"globex", hash_of("a"), true, "k"})).kind, Released::Kind::not_found);
  expect_held(strictest("a"));
}

TEST_P(ReleaseContract, AnOpenHolderIsKept) {
  for (const State state : {State::running, State::pending}) {
    const std::string key(name_of(state));
    const domain::ExecutionId id = create_in(state, task().key(key));

    const Released released = release(hash_of(key));

    EXPECT_EQ(released.kind, Released::Kind::holder_open);
    EXPECT_EQ(released.holder, id);
    EXPECT_EQ(find(id).value().released_at, std::nullopt);
    expect_held(task().key(key).reuse(Reuse::allow_duplicate));
  }
}

TEST_P(ReleaseContract, AClosedHolderIsReleasedAndAnybodyMayTakeOver) {
  for (const State state : closed_states) {
    for (const bool reopened : {false, true}) {
      const std::string key = fmt::format("{} {}", name_of(state), reopened);
      SCOPED_TRACE(key);
      const domain::ExecutionId id = create_in(state, task().key(key).window(forever()));
      advance(1s);

      const Released released = release(hash_of(key));

      EXPECT_EQ(released.kind, Released::Kind::released);
      EXPECT_EQ(released.holder, id);
      if (reopened) reopen();
      const std::optional<Held> held = find_holder(hash_of(key));
      ASSERT_TRUE(held.has_value());
      EXPECT_EQ(held->holder.id, id);
      EXPECT_EQ(held->holder.released_at, now());
      EXPECT_EQ(find(id).value().released_at, now());
      const Submit taker = strictest(key);
      EXPECT_EQ(expect_created(taker).previous, id);
      EXPECT_EQ(find_holder(hash_of(key)).value().holder.id, taker.spec.id);
      EXPECT_EQ(find_holder(hash_of(key)).value().holder.released_at, std::nullopt);
      cancel(taker.spec.id);
    }
  }
}

TEST_P(ReleaseContract, AnOpenHolderIsReleasedByForceAndGoesOn) {
  const Submit holder = task().key("a");
  create(holder);
  const domain::AttemptId attempt = claim_one();

  EXPECT_EQ(release(hash_of("a"), true).kind, Released::Kind::released);

  EXPECT_EQ(state_of(holder.spec.id), State::running);
  const Submit taker = strictest("a");
  EXPECT_EQ(expect_created(taker).previous, holder.spec.id);
  EXPECT_EQ(complete(attempt, "1").kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(find(holder.spec.id).value().result, "1");
  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, taker.spec.id);
  EXPECT_EQ(remove(holder.spec.id), Removed::Kind::removed);
}

TEST_P(ReleaseContract, RepeatedItChangesNothing) {
  const domain::ExecutionId closed = create_in(State::completed, task().key("closed"));
  const domain::ExecutionId open = create_in(State::running, task().key("open"));
  const Time first = now();
  release(hash_of("closed"));
  release(hash_of("open"), true);
  advance(1h);

  EXPECT_EQ(release(hash_of("closed")).kind, Released::Kind::released);
  EXPECT_EQ(release(hash_of("open")).kind, Released::Kind::released);  // it is free already, without force

  EXPECT_EQ(find(closed).value().released_at, first);
  EXPECT_EQ(find(open).value().released_at, first);
}

TEST_P(ReleaseContract, ATombstoneIsReleasedLikeAnyHolder) {
  const domain::ExecutionId id = create_in(State::completed, task().key("a").window(forever()));
  remove(id);
  advance(1s);

  EXPECT_EQ(release(hash_of("a")).holder, id);

  for (int round = 0; round < 2; ++round) {
    const std::optional<Held> held = find_holder(hash_of("a"));
    ASSERT_TRUE(held.has_value());
    EXPECT_TRUE(held->holder.tombstone);
    EXPECT_EQ(held->holder.released_at, now());
    reopen();
  }
  EXPECT_EQ(expect_created(strictest("a")).previous, id);
  EXPECT_EQ(describe(find_tombstone(id)), "-");
}

TEST_P(ReleaseContract, AReleasedHolderThatIsRemovedLeavesNothing) {
  const domain::ExecutionId id = create_in(State::completed, task().key("a").window(forever()));
  release(hash_of("a"));

  EXPECT_EQ(remove(id), Removed::Kind::removed);

  EXPECT_EQ(describe(find_holder(hash_of("a"))), "-");
  EXPECT_EQ(release(hash_of("a")).kind, Released::Kind::not_found);
}

TEST_P(ReleaseContract, TheHolderAfterATakeoverIsReleasedOnItsOwn) {
  const domain::ExecutionId first = create_in(State::completed, task().key("a"));
  release(hash_of("a"));
  const domain::ExecutionId second = create_in(State::completed, task().key("a"));
  expect_held(strictest("a"));
  advance(1s);

  EXPECT_EQ(release(hash_of("a")).holder, second);

  EXPECT_EQ(find(second).value().released_at, now());
  EXPECT_EQ(find(first).value().released_at, now() - 1s);
  EXPECT_EQ(expect_created(strictest("a")).previous, second);
}

}  // namespace
}  // namespace semel::test
