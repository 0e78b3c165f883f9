#include "ports/promises.hpp"

#include <gtest/gtest.h>

#include "tests/unit/postgres/store_fixture.hpp"

/// What a store has promised stays as it is until then, whoever wants to change it, at whichever server.
namespace semel::test {
namespace {

using domain::Reuse;
using domain::State;

constexpr Duration life = 5s;
constexpr Duration grace = 2s;

class PostgresPromises : public PostgresStores {
 protected:
  /// A task with this key that was completed.
  domain::ExecutionId complete(const SubmitBuilder& builder) {
    const Submit submit = builder;
    as<Created>(apply(*store_, submit));
    Claim claim = claim_of(ids_, 1);
    claim.queues = {submit.spec.queue};
    const auto leases = as<Claimed>(apply(*store_, claim)).leases;
    EXPECT_EQ(leases.size(), 1u);
    as<AttemptAnswer>(apply(*store_, Complete{submit.spec.tenant, leases.at(0).attempt_id, "17"}));
    return submit.spec.id;
  }

  Holding holding(std::string_view key, domain::ExecutionId id, std::string_view queue = default_queue) {
    const auto execution = store_->find(default_tenant, id);
    return {std::string(default_tenant), hash_of(key), id, execution ? execution->closed_at : std::nullopt,
            std::string(queue)};
  }
  std::optional<Time> promise(const Holding& holding) {
    const Promised promised = store_->promises()->promise({&holding, 1}, life, grace);
    EXPECT_EQ(promised.now, clock_.now());
    return promised.until.at(0);
  }
  /// The same with a promise.
  domain::ExecutionId promised(std::string_view key) {
    const domain::ExecutionId id = complete(task().key(key));
    EXPECT_EQ(promise(holding(key, id)), clock_.now() + life);
    return id;
  }
  Submit taker(std::string_view key) { return task().key(key).reuse(Reuse::allow_duplicate); }
  Time postponed(Store& store, const Command& command) { return as<Postponed>(apply(store, command)).until; }

  std::unique_ptr<store::PostgresStore> store_ = open();
  std::unique_ptr<store::PostgresStore> other_ = open();
};

TEST_F(PostgresPromises, AreOnlyOfCompletedHolders) {
  const Submit open_task = task().key("open");
  apply(*store_, open_task);
  const Submit cancelled = task().key("cancelled");
  apply(*store_, cancelled);
  apply(*store_, Cancel{cancelled.spec.tenant, cancelled.spec.id});
  apply(*store_, Cancel{open_task.spec.tenant, open_task.spec.id});
  const Submit pending = task().key("pending");
  apply(*store_, pending);

  EXPECT_FALSE(promise(holding("pending", pending.spec.id)));
  EXPECT_FALSE(promise(holding("cancelled", cancelled.spec.id)));
  EXPECT_FALSE(promise(holding("unknown", pending.spec.id)));
}

TEST_F(PostgresPromises, AreOnlyOfTheHolderThatIsMeant) {
  const domain::ExecutionId id = complete(task().key("a"));

  EXPECT_FALSE(promise(holding("a", ids_.execution())));
  Holding others = holding("a", id);
  others.tenant = "globex";
  EXPECT_FALSE(promise(others));
  Holding older = holding("a", id);
  *older.closed_at -= 1ms;
  EXPECT_FALSE(promise(older));
  EXPECT_EQ(promise(holding("a", id)), clock_.now() + life);
}

TEST_F(PostgresPromises, EndBeforeTheWindowDoes) {
  const domain::ExecutionId soon = complete(task().key("soon").window(after_closing(6s)));
  const domain::ExecutionId now = complete(task().key("now").window(after_closing(2s)));

  EXPECT_EQ(promise(holding("soon", soon)), clock_.now() + 6s - grace);
  EXPECT_FALSE(promise(holding("now", now)));
  clock_.advance(6s);
  as<Created>(apply(*other_, task().key("soon")));
}

TEST_F(PostgresPromises, AreNotGivenOfWhatIsReleasedOrRemoved) {
  const domain::ExecutionId released = complete(task().key("released"));
  as<Released>(apply(*store_, Release{std::string(default_tenant), hash_of("released"), false, "k"}));
  const domain::ExecutionId removed = complete(task().key("removed"));
  const Holding before = holding("removed", removed);
  as<Removed>(apply(*store_, Remove{std::string(default_tenant), removed}));

  EXPECT_FALSE(promise(holding("released", released)));
  EXPECT_FALSE(promise(before));
}

TEST_F(PostgresPromises, AreNotGivenWhereAQueueKeepsNothing) {
  const domain::ExecutionId id = complete(task().key("a").queue("fleeting"));
  domain::QueueOptions options;
  options.retention = Duration{0};
  apply(*store_, PutQueue{std::string(default_tenant), "fleeting", options});

  EXPECT_FALSE(promise(holding("a", id, "fleeting")));
}

TEST_F(PostgresPromises, PostponeATakeoverUntilTheyAreOver) {
  const domain::ExecutionId id = promised("a");

  EXPECT_EQ(postponed(*other_, taker("a")), clock_.now() + life + grace);
  EXPECT_EQ(as<Held>(apply(*other_, task().key("a"))).holder.id, id);
  clock_.advance(life + grace - 1ms);
  EXPECT_EQ(postponed(*store_, taker("a")), clock_.now() + 1ms);
  clock_.advance(1ms);
  EXPECT_EQ(as<Created>(apply(*other_, taker("a"))).previous, id);
}

TEST_F(PostgresPromises, HarmNobodyElseInTheBatch) {
  const domain::ExecutionId id = promised("a");

  const auto outcomes =
      apply(*other_, {task().key("b").build(), taker("a"), task().key("a").build(), task().key("c").build()});

  EXPECT_TRUE(std::holds_alternative<Created>(outcomes[0]));
  EXPECT_TRUE(std::holds_alternative<Postponed>(outcomes[1]));
  EXPECT_EQ(as<Held>(outcomes[2]).holder.id, id);
  EXPECT_TRUE(std::holds_alternative<Created>(outcomes[3]));
}

TEST_F(PostgresPromises, PostponeAReleaseAndARemoval) {
  const domain::ExecutionId id = promised("a");
  const Release release{std::string(default_tenant), hash_of("a"), true, "k"};
  const Remove remove{std::string(default_tenant), id};

  EXPECT_EQ(postponed(*other_, release), clock_.now() + life + grace);
  EXPECT_EQ(postponed(*other_, remove), clock_.now() + life + grace);
  EXPECT_EQ(store_->find(default_tenant, id)->result, "17");
  EXPECT_FALSE(store_->find_holder(default_tenant, hash_of("a"))->holder.released_at);
  clock_.advance(life + grace);
  EXPECT_EQ(as<Released>(apply(*other_, release)).kind, Released::Kind::released);
  EXPECT_EQ(as<Removed>(apply(*other_, remove)).kind, Removed::Kind::removed);
}

TEST_F(PostgresPromises, AreNotSweptAway) {
  domain::QueueOptions options;
  options.retention = 1s;
  apply(*store_, PutQueue{std::string(default_tenant), std::string(default_queue), options});
  const domain::ExecutionId id = promised("a");
  const domain::ExecutionId unpromised = complete(task().key("b"));
  clock_.advance(1s);

  EXPECT_EQ(as<Swept>(apply(*other_, Sweep{})).executions, 1);
  EXPECT_TRUE(store_->find(default_tenant, id));
  EXPECT_FALSE(store_->find(default_tenant, unpromised));
  clock_.advance(life + grace);
  EXPECT_EQ(as<Swept>(apply(*other_, Sweep{})).executions, 1);
}

TEST_F(PostgresPromises, AreNotGivenForAWhileAfterOneWasInTheWay) {
  const domain::ExecutionId id = promised("a");
  postponed(*other_, Release{std::string(default_tenant), hash_of("a"), false, "k"});

  EXPECT_FALSE(promise(holding("a", id)));
  clock_.advance(unpromised_for - 1ms);
  EXPECT_FALSE(promise(holding("a", id)));
  clock_.advance(1ms);
  EXPECT_TRUE(promise(holding("a", id)));
}

TEST_F(PostgresPromises, HoldAlsoForWhatWasPutAwayMeanwhile) {
  store::PostgresOptions options;
  options.stays_for = Duration{0};
  options.kept_long = Duration{0};
  const auto archivist = open(options);
  const domain::ExecutionId id = promised("a");

  while (archivist->archive()) continue;

  EXPECT_EQ(count("closed"), 1);
  EXPECT_EQ(postponed(*other_, taker("a")), clock_.now() + life + grace);
  EXPECT_EQ(postponed(*other_, Remove{std::string(default_tenant), id}), clock_.now() + life + grace);
  const domain::ExecutionId away = complete(task().key("b"));
  while (archivist->archive()) continue;
  EXPECT_EQ(promise(holding("b", away)), clock_.now() + life);
}

TEST_F(PostgresPromises, ShareOneSecret) {
  EXPECT_EQ(store_->promises()->secret().size(), 32u);
  EXPECT_EQ(store_->promises()->secret(), other_->promises()->secret());
}

/// Whoever is first: either there is a promise and the takeover waits, or a takeover and no promise.
TEST_F(PostgresPromises, AndTakeoversNeverMeet) {
  for (int round = 0; round < 50; ++round) {
    const std::string key = "key-" + std::to_string(round);
    const domain::ExecutionId id = complete(task().key(key));
    const Submit submit = taker(key);
    bool is_promised = false;
    Outcome outcome;
    in_threads(2, [&](int number) {
      if (number == 0) is_promised = promise(holding(key, id)).has_value();
      else outcome = apply(*other_, submit);
    });

    EXPECT_EQ(is_promised, std::holds_alternative<Postponed>(outcome)) << describe(outcome);
    EXPECT_EQ(!is_promised, std::holds_alternative<Created>(outcome)) << describe(outcome);
    if (!is_promised) apply(*store_, Cancel{submit.spec.tenant, submit.spec.id});
  }
}

}  // namespace
}  // namespace semel::test
