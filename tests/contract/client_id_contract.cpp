#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// Ids that clients make are looked up before identity and reuse (DESIGN §3.1).
class ClientIdContract : public StoreContract {};
SEMEL_ON_ALL_STORES(ClientIdContract);

TEST_P(ClientIdContract, TheSameIdFindsItsExecutionInEveryState) {
  for (const State state : reachable_states) {
    for (const Reuse reuse : all_reuse) {
      SCOPED_TRACE(fmt::format("{} {}", name_of(state), name_of(reuse)));
      const domain::ExecutionId id = ids_.execution();
      create_in(state, task().client_id(id));

      const Held held = expect_held(task().client_id(id).reuse(reuse));

      EXPECT_TRUE(held.by_id);
      EXPECT_EQ(held.holder.id, id);
      EXPECT_EQ(held.holder.state, state);
      EXPECT_TRUE(held.execution.has_value());
      if (state == State::pending) cancel(id);
    }
  }
}

TEST_P(ClientIdContract, TheIdIsFoundBeforeTheIdentity) {
  const domain::ExecutionId id = ids_.execution();
  create(task().client_id(id).key("a"));
  const Submit holder_of_b = task().key("b");
  create(holder_of_b);

  const Held held = expect_held(task().client_id(id).key("b"));

  EXPECT_TRUE(held.by_id);
  EXPECT_EQ(held.holder.id, id);
}

TEST_P(ClientIdContract, TheSameIdIsNotCreatedAgainWhenItsIdentityCouldBeTakenOver) {
  const domain::ExecutionId id = ids_.execution();
  create_in(State::failed, task().client_id(id).key("a"));

  EXPECT_TRUE(expect_held(task().client_id(id).key("a").reuse(Reuse::allow_duplicate)).by_id);
}

TEST_P(ClientIdContract, ANewIdWithAHeldIdentityIsADuplicateByIdentity) {
  const Submit holder = task().key("a");
  create(holder);

  const Held held = expect_held(task().client_id(ids_.execution()).key("a"));

  EXPECT_FALSE(held.by_id);
  EXPECT_EQ(held.holder.id, holder.spec.id);
}

TEST_P(ClientIdContract, AnIdMadeByTheServerIsFoundToo) {
  const Submit made_by_server = task();
  create(made_by_server);

  EXPECT_TRUE(expect_held(task().client_id(made_by_server.spec.id)).by_id);
}

TEST_P(ClientIdContract, OfTwoEqualIdsInOneBatchTheFirstWins) {
  const domain::ExecutionId id = ids_.execution();
  const Submit first = task().client_id(id).key("a");
  const Submit second = task().client_id(id).key("b");
  const Submit third = task().client_id(id);

  const std::vector<Outcome> outcomes = apply_all({first, second, third});

  EXPECT_EQ(as<Created>(outcomes.at(0)).id, id);
  for (const std::size_t i : {1u, 2u}) {
    const Held held = as<Held>(outcomes.at(i));
    EXPECT_TRUE(held.by_id);
    EXPECT_EQ(held.holder.id, id);
  }
  EXPECT_EQ(find(id).value().spec.key, "a");
  EXPECT_EQ(describe(find_holder(hash_of("b"))), "-");  // a refused submission claims nothing
}

TEST_P(ClientIdContract, IdsAndIdentitiesThatCrossInOneBatchAreSettledInOrder) {
  const domain::ExecutionId x = ids_.execution();
  const domain::ExecutionId y = ids_.execution();

  const std::vector<Outcome> outcomes = apply_all({task().client_id(x).key("a").build(),  // creates x
                                                   task().client_id(y).key("a").build(),  // "a" is x's
                                                   task().client_id(x).key("b").build(),  // x exists
                                                   task().client_id(y).key("b").build()});

  EXPECT_EQ(as<Created>(outcomes.at(0)).id, x);
  EXPECT_FALSE(as<Held>(outcomes.at(1)).by_id);
  EXPECT_TRUE(as<Held>(outcomes.at(2)).by_id);
  EXPECT_EQ(as<Created>(outcomes.at(3)).id, y);
  EXPECT_EQ(find_holder(hash_of("b")).value().holder.id, y);
}

TEST_P(ClientIdContract, AnExecutionIsFoundByItsIdLongerThanPromisedWhileItExists) {
  const domain::ExecutionId id = ids_.execution();
  create_in(State::completed, task().client_id(id));

  advance(24h * 30);

  EXPECT_TRUE(expect_held(task().client_id(id)).by_id);
}

TEST_P(ClientIdContract, ARemovedOneIsFoundUntilExactlyADayAfterClosing) {
  for (const State state : closed_states) {
    for (const bool identified : {false, true}) {
      const std::string key = fmt::format("{} {}", name_of(state), identified);
      SCOPED_TRACE(key);
      const domain::ExecutionId id = ids_.execution();
      const auto submit = [&] {
        SubmitBuilder made = task().client_id(id);
        if (identified) made.key(key).window(after_closing(1h));
        return made.build();
      };
      create_in(state, submit());
      advance(2h);
      ASSERT_EQ(remove(id), Removed::Kind::left_tombstone);

      advance(22h - 1ms);
      const Held held = expect_held(submit());
      EXPECT_TRUE(held.by_id);
      EXPECT_TRUE(held.holder.tombstone);
      EXPECT_EQ(held.holder.state, state);
      EXPECT_FALSE(held.execution.has_value());

      advance(1ms);
      expect_created(submit());
      cancel(id);
    }
  }
}

TEST_P(ClientIdContract, RemovedExactlyADayAfterClosingItLeavesNothing) {
  const domain::ExecutionId id = ids_.execution();
  create_in(State::completed, task().client_id(id));
  advance(24h);

  EXPECT_EQ(remove(id), Removed::Kind::removed);

  EXPECT_EQ(describe(find_tombstone(id)), "-");
  expect_created(task().client_id(id));
}

TEST_P(ClientIdContract, AnIdStaysTakenWhileItsTombstoneHoldsAnIdentity) {
  const domain::ExecutionId id = ids_.execution();
  create_in(State::failed, task().client_id(id).key("a").window(after_closing(72h)));
  remove(id);
  advance(72h - 1ms);
  EXPECT_TRUE(expect_held(task().client_id(id).key("a")).by_id);  // although reuse would allow a new one
  EXPECT_TRUE(expect_held(task().client_id(id).key("b")).by_id);

  advance(1ms);

  expect_created(task().client_id(id).key("b"));
}

TEST_P(ClientIdContract, AnIdThatIsFreeAgainLeavesNoTraceOfItsFormerOwner) {
  const domain::ExecutionId id = ids_.execution();
  create_in(State::completed, task().client_id(id).key("a").window(after_closing(1h)));
  remove(id);
  advance(24h);

  EXPECT_EQ(expect_created(task().client_id(id).key("b")).previous, std::nullopt);

  EXPECT_EQ(describe(find_tombstone(id)), "-");
  EXPECT_EQ(describe(find_holder(hash_of("a"))), "-");
  EXPECT_EQ(find_holder(hash_of("b")).value().holder.id, id);
  EXPECT_EQ(expect_created(task().key("a")).previous, std::nullopt);
}

TEST_P(ClientIdContract, AnIdThatIsFreeAgainMayCarryItsFormerIdentity) {
  const domain::ExecutionId id = ids_.execution();
  create_in(State::completed, task().client_id(id).key("a").window(after_closing(1h)));
  remove(id);
  advance(24h);

  EXPECT_EQ(expect_created(task().client_id(id).key("a")).previous,
            std::nullopt);  // never its own predecessor

  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, id);
  EXPECT_FALSE(find_holder(hash_of("a")).value().holder.tombstone);
}

}  // namespace
}  // namespace semel::test
