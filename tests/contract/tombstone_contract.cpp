#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// What is left of removed executions (DESIGN §3.4).
class TombstoneContract : public StoreContract {
 protected:
  /// An execution in the state, removed at once.
  domain::ExecutionId create_removed(State state, const Submit& submit) {
    const domain::ExecutionId id = create_in(state, submit);
    EXPECT_EQ(remove(id), Removed::Kind::left_tombstone);
    return id;
  }
};
SEMEL_ON_ALL_STORES(TombstoneContract);

TEST_P(TombstoneContract, WhatDoesNotExistIsNotRemoved) {
  const domain::ExecutionId ours = create_in(State::completed, task());

  EXPECT_EQ(remove(ids_.execution()), Removed::Kind::not_found);
  EXPECT_EQ(as<Removed>(apply(Remove{"globex", ours})).kind, Removed::Kind::not_found);

  EXPECT_TRUE(find(ours).has_value());
}

TEST_P(TombstoneContract, AnOpenExecutionIsNotRemoved) {
  for (const State state : {State::running, State::pending}) {
    const domain::ExecutionId id = create_in(state, task());

    EXPECT_EQ(remove(id), Removed::Kind::still_open);

    EXPECT_EQ(state_of(id), state);
  }
}

TEST_P(TombstoneContract, WithoutIdentityNothingIsLeft) {
  for (const State state : closed_states) {
    const domain::ExecutionId id = create_in(state, task());

    EXPECT_EQ(remove(id), Removed::Kind::removed);

    EXPECT_EQ(describe(find(id)), "-");
    EXPECT_EQ(describe(find_tombstone(id)), "-");
    EXPECT_EQ(remove(id), Removed::Kind::not_found);
  }
}

TEST_P(TombstoneContract, WithTheWindowPassedNothingIsLeft) {
  const domain::ExecutionId id = create_in(State::completed, task().key("a").window(after_closing(1h)));
  advance(1h);

  EXPECT_EQ(remove(id), Removed::Kind::removed);

  EXPECT_EQ(describe(find_holder(hash_of("a"))), "-");
  EXPECT_EQ(expect_created(task().key("a").reuse(Reuse::reject_duplicate)).previous, std::nullopt);
}

TEST_P(TombstoneContract, OneTickBeforeTheWindowPassedATombstoneIsLeft) {
  const domain::ExecutionId id = create_in(State::completed, task().key("a").window(after_closing(1h)));
  advance(1h - 1ms);

  EXPECT_EQ(remove(id), Removed::Kind::left_tombstone);

  expect_held(task().key("a"));
}

TEST_P(TombstoneContract, ItTellsWhatDecisionsNeedAndNoMore) {
  const domain::ExecutionId id =
      create_in(State::failed, task().key("a").context("7").created_by("key-9").with(
                                   [](Submit& s) { s.spec.named_task = named_task("shop", "charge"); }));
  domain::Holder expected = tombstone_of(*find(id));
  advance(1h);
  remove(id);

  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(describe(find(id)), "-");
    EXPECT_EQ(describe(find_tombstone(id)), describe(expected));
    const std::optional<Held> held = find_holder(hash_of("a"));
    ASSERT_TRUE(held.has_value());
    EXPECT_EQ(describe(held->holder), describe(expected));
    EXPECT_FALSE(held->execution.has_value());
    EXPECT_TRUE(held->holder.tombstone);
    reopen();
  }
  EXPECT_EQ(describe(store().find_tombstone("globex", id)), "-");
}

TEST_P(TombstoneContract, WhileTheExecutionExistsThereIsNone) {
  const domain::ExecutionId id = create_in(State::completed, task().key("a"));

  EXPECT_EQ(describe(find_tombstone(id)), "-");
}

TEST_P(TombstoneContract, EveryReusePolicyJudgesItLikeAnyHolder) {
  for (const Reuse reuse : all_reuse) {
    for (const State state : closed_states) {
      const std::string key = fmt::format("{} {}", name_of(reuse), name_of(state));
      SCOPED_TRACE(key);
      const domain::ExecutionId holder = create_removed(state, task().key(key));
      const Submit again = task().key(key).reuse(reuse).queue("other");

      if (may_take_over(reuse, state)) {
        EXPECT_EQ(expect_created(again).previous, holder);
        EXPECT_EQ(describe(find_tombstone(holder)), "-");
        EXPECT_EQ(find_holder(hash_of(key)).value().holder.id, again.spec.id);
      } else {
        const Held held = expect_held(again);
        EXPECT_EQ(held.holder.id, holder);
        EXPECT_TRUE(held.holder.tombstone);
        EXPECT_FALSE(held.by_id);
        EXPECT_FALSE(held.execution.has_value());
      }
    }
  }
}

TEST_P(TombstoneContract, ItsWindowGoesOnToTheTick) {
  const auto retry = [this](std::string_view key) { return task().key(key).reuse(Reuse::reject_duplicate).build(); };
  create(task().key("ttl").window(ttl(1h)));
  advance(10min);
  complete(claim_one());
  const Time closed = now();
  remove(find_holder(hash_of("ttl")).value().holder.id);
  create_removed(State::completed, task().key("closing").window(after_closing(1h)));
  create_removed(State::completed, task().key("forever").window(forever()));

  clock().set(closed + 50min - 1ms);
  expect_held(retry("ttl"));
  advance(1ms);
  expect_created(retry("ttl"));
  clock().set(closed + 1h - 1ms);
  expect_held(retry("closing"));
  advance(1ms);
  expect_created(retry("closing"));
  advance(24h * 365 * 20);
  expect_held(retry("forever"));
}

TEST_P(TombstoneContract, AttemptsAndDuplicatesGoWithTheExecution) {
  const Submit submit = task().key("a");
  create(submit);
  const domain::AttemptId attempt = claim_one();
  complete(attempt);
  apply(RecordDuplicates{{{std::string(default_tenant), submit.spec.id, 3, {{now(), "k", "409 CONFLICT"}}}}});

  remove(submit.spec.id);

  EXPECT_TRUE(attempts(submit.spec.id).empty());
  EXPECT_EQ(store().duplicates(default_tenant, submit.spec.id).count, 0u);
  const AttemptAnswer late = complete(attempt);
  EXPECT_EQ(late.kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(late.state, std::nullopt);
  EXPECT_EQ(heartbeat(attempt).kind, AttemptAnswer::Kind::stale);
}

TEST_P(TombstoneContract, ItCanNeitherBeCancelledNorRemoved) {
  const domain::ExecutionId id = create_removed(State::completed, task().key("a"));

  EXPECT_EQ(cancel(id).kind, CancelAnswer::Kind::not_found);
  EXPECT_EQ(remove(id), Removed::Kind::not_found);
  EXPECT_TRUE(find_tombstone(id).has_value());
}

TEST_P(TombstoneContract, OneWhoseIdentityWasTakenOverLeavesNothing) {
  const domain::ExecutionId old = create_in(State::failed, task().key("a"));
  const Submit newer = task().key("a");
  create(newer);

  EXPECT_EQ(remove(old), Removed::Kind::removed);

  EXPECT_EQ(describe(find_tombstone(old)), "-");
  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, newer.spec.id);
  EXPECT_EQ(find(newer.spec.id).value().previous, old);
}

TEST_P(TombstoneContract, OneWhoseIdentityWasTakenOverKeepsThePromiseOfItsId) {
  const domain::ExecutionId id = ids_.execution();
  create_in(State::failed, task().client_id(id).key("a"));
  const Submit newer = task().key("a");
  create(newer);

  EXPECT_EQ(remove(id), Removed::Kind::left_tombstone);

  EXPECT_TRUE(expect_held(task().client_id(id)).by_id);
  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, newer.spec.id);
  advance(24h);
  expect_created(task().client_id(id));
  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, newer.spec.id);
}

TEST_P(TombstoneContract, TakenOverItKeepsThePromiseOfItsId) {
  const domain::ExecutionId id = ids_.execution();
  create_removed(State::failed, task().client_id(id).key("a"));
  const Submit newer = task().key("a");

  EXPECT_EQ(expect_created(newer).previous, id);

  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, newer.spec.id);
  advance(24h - 1ms);
  EXPECT_TRUE(expect_held(task().client_id(id)).by_id);
  advance(1ms);
  expect_created(task().client_id(id));
  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, newer.spec.id);
}

TEST_P(TombstoneContract, AnOlderExecutionNeverGetsItsIdentityBack) {
  const domain::ExecutionId old = create_in(State::failed, task().key("a").window(forever()));
  const domain::ExecutionId newer = create_in(State::completed, task().key("a").window(after_closing(1h)));
  advance(1h);

  EXPECT_EQ(remove(newer), Removed::Kind::removed);

  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(describe(find_holder(hash_of("a"))), "-");
    EXPECT_TRUE(find(old).has_value());
    reopen();
  }
  EXPECT_EQ(expect_created(task().key("a").reuse(Reuse::reject_duplicate)).previous, std::nullopt);
}

TEST_P(TombstoneContract, ManyAreRemovedInOneBatch) {
  std::vector<Command> removals;
  for (int i = 0; i < 20; ++i) {
    const domain::ExecutionId id = create_in(State::completed, i % 2 == 0 ? task().key(std::to_string(i)) : task());
    removals.push_back(Remove{std::string(default_tenant), id});
  }
  removals.push_back(removals[0]);

  const std::vector<Outcome> outcomes = apply_all(removals);

  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(as<Removed>(outcomes[i]).kind, i % 2 == 0 ? Removed::Kind::left_tombstone : Removed::Kind::removed);
  }
  EXPECT_EQ(as<Removed>(outcomes[20]).kind, Removed::Kind::not_found);
}

}  // namespace
}  // namespace semel::test
