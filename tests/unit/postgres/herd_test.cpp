#include <algorithm>
#include <atomic>
#include <barrier>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

/// Many stores at once: every identity is claimed once, nobody deadlocks, and who waited sees what happened meanwhile.
class PostgresHerd : public PostgresStores {
 protected:
  static constexpr int stores = 4;

  /// Holds the identity with an execution of its own, in a transaction that the test ends.
  void claim_by_hand(Session& session, const Submit& submit) {
    const std::string id = submit.spec.id.text();
    session.execute("BEGIN; INSERT INTO identities VALUES ('acme', '" + bytea(submit.spec.identity.hash) + "', '" + id +
                    "'); INSERT INTO executions (tenant, id, kind, phase, queue, handler, priority, order_at, run_at, "
                    "created_at, created_by, identity_mode, strategy, scope, hash, window_kind, window_ms, "
                    "client_made_id, context) VALUES ('acme', '" +
                    id + "', 0, 1, 'default', 'charge_card', 0, 0, 0, 0, '', 1, 1, 0, '" +
                    bytea(submit.spec.identity.hash) + "', 1, 0, false, '{}')");
  }

  /// That the server has seen in this database, ever.
  std::int64_t deadlocks() {
    return std::stoll(database_.open()
                          ->execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
                          .text(0, "deadlocks"));
  }

  domain::ExecutionId create_failed(Store& store, std::string_view key) {
    const domain::ExecutionId id = as<Created>(apply(store, task().key(key).build())).id;
    apply(store, Cancel{std::string(default_tenant), id});
    return id;
  }
};

TEST_F(PostgresHerd, OneOfManyIdenticalSubmissionsCreates) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<Command>> batches(stores);
    for (auto& batch : batches) {
      for (int i = 0; i < 50; ++i) batch.emplace_back(task().key("herd-" + std::to_string(round)).build());
    }
    std::vector<std::unique_ptr<store::PostgresStore>> opened;
    for (int i = 0; i < stores; ++i) opened.push_back(open());
    std::atomic<int> created = 0;
    std::barrier together(stores);

    in_threads(stores, [&](int number) {
      const auto at = static_cast<std::size_t>(number);
      together.arrive_and_wait();
      for (const Outcome& outcome : apply(*opened[at], batches[at]))
        created += std::holds_alternative<Created>(outcome) ? 1 : 0;
    });

    EXPECT_EQ(created, 1);
  }
  EXPECT_EQ(count("executions"), 20);
  EXPECT_EQ(count("identities"), 20);
}

TEST_F(PostgresHerd, OverlappingBatchesInDifferentOrdersNeitherDeadlockNorWinTwice) {
  constexpr int rounds = 20;
  constexpr int keys = 60;
  std::vector<std::vector<std::vector<Command>>> batches(stores);
  for (int number = 0; number < stores; ++number) {
    std::mt19937 random(static_cast<std::uint32_t>(number));
    for (int round = 0; round < rounds; ++round) {
      auto& batch = batches[static_cast<std::size_t>(number)].emplace_back();
      for (int i = 0; i < keys; ++i) batch.emplace_back(task().key(fmt::format("{}-{}", round, i)).build());
      std::shuffle(batch.begin(), batch.end(), random);
    }
  }
  const std::int64_t deadlocks_before = deadlocks();
  std::mutex mutex;  // guards won
  std::map<std::string, int> won;
  std::barrier together(stores);

  in_threads(stores, [&](int number) {
    const auto store = open();
    for (const auto& batch : batches[static_cast<std::size_t>(number)]) {
      together.arrive_and_wait();
      const std::vector<Outcome> outcomes = apply(*store, batch);
      const std::lock_guard lock(mutex);
      for (std::size_t i = 0; i < batch.size(); ++i)
        won[*std::get<Submit>(batch[i]).spec.key] += std::holds_alternative<Created>(outcomes[i]) ? 1 : 0;
    }
  });

  EXPECT_EQ(won.size(), static_cast<std::size_t>(rounds * keys));
  EXPECT_TRUE(std::all_of(won.begin(), won.end(), [](const auto& one) { return one.second == 1; }));
  EXPECT_EQ(count("executions"), rounds * keys);
  EXPECT_EQ(count("identities i JOIN executions e ON e.tenant = i.tenant AND e.id = i.execution_id"), rounds * keys);
  EXPECT_EQ(deadlocks(), deadlocks_before);
}

TEST_F(PostgresHerd, AClaimWaitsForAnotherAndLosesWhenThatCommits) {
  const auto store = open();
  const auto other = database_.open();
  const Submit first = task().key("a");
  const std::vector<Command> batch{task().key("a").build(), task().key("b").build()};
  claim_by_hand(*other, first);
  std::vector<Outcome> outcomes;

  std::thread waiting([&] { outcomes = apply(*store, batch); });
  await_lock();
  other->execute("COMMIT");
  waiting.join();

  EXPECT_EQ(as<Held>(outcomes.at(0)).holder.id, first.spec.id);
  as<Created>(outcomes.at(1));
}

TEST_F(PostgresHerd, AClaimWaitsForAnotherAndWinsWhenThatRollsBack) {
  const auto store = open();
  const auto other = database_.open();
  const std::vector<Command> batch{task().key("a").build(), task().key("b").build()};
  claim_by_hand(*other, task().key("a"));
  std::vector<Outcome> outcomes;

  std::thread waiting([&] { outcomes = apply(*store, batch); });
  await_lock();
  other->execute("ROLLBACK");
  waiting.join();

  as<Created>(outcomes.at(0));
  as<Created>(outcomes.at(1));
}

TEST_F(PostgresHerd, WhoWaitedForATakeoverSeesTheNewHolder) {
  const auto store = open();
  const domain::ExecutionId failed = create_failed(*store, "a");
  const Submit taker = task().key("a");
  const auto other = database_.open();
  claim_by_hand(*other, task().key("another"));
  other->execute("UPDATE identities SET execution_id = '" + taker.spec.id.text() + "' WHERE execution_id = '" +
                 failed.text() + "'");
  other->execute("UPDATE executions SET id = '" + taker.spec.id.text() + "' WHERE state = 0");
  Outcome outcome;

  std::thread waiting([&] { outcome = apply(*store, task().key("a").build()); });
  await_lock();
  other->execute("COMMIT");
  waiting.join();

  EXPECT_EQ(as<Held>(outcome).holder.id, taker.spec.id);
}

TEST_F(PostgresHerd, TakeoversByManyStoresHappenOnce) {
  constexpr int keys = 40;
  const auto setup = open();
  for (int i = 0; i < keys; ++i) create_failed(*setup, std::to_string(i));
  std::vector<std::vector<Command>> batches(stores);
  for (int number = 0; number < stores; ++number) {
    auto& batch = batches[static_cast<std::size_t>(number)];
    for (int i = 0; i < keys; ++i) batch.emplace_back(task().key(std::to_string(i)).build());
    std::mt19937 random(static_cast<std::uint32_t>(number));
    std::shuffle(batch.begin(), batch.end(), random);
  }
  std::atomic<int> created = 0;
  std::barrier together(stores);

  in_threads(stores, [&](int number) {
    const auto store = open();
    together.arrive_and_wait();
    for (const Outcome& outcome : apply(*store, batches[static_cast<std::size_t>(number)]))
      created += std::holds_alternative<Created>(outcome) ? 1 : 0;
  });

  EXPECT_EQ(created, keys);
  EXPECT_EQ(count("executions"), 2 * keys);
  EXPECT_EQ(count("executions WHERE previous IS NOT NULL"), keys);
}

TEST_F(PostgresHerd, AClientMadeIdIsUsedOnce) {
  for (int round = 0; round < 10; ++round) {
    const domain::ExecutionId id = ids_.execution();
    std::vector<std::vector<Command>> batches(stores);
    for (auto& batch : batches) {
      batch.emplace_back(task().build());
      batch.emplace_back(task().client_id(id).build());
    }
    std::vector<std::unique_ptr<store::PostgresStore>> opened;
    for (int i = 0; i < stores; ++i) opened.push_back(open());
    std::atomic<int> created = 0;
    std::atomic<int> held = 0;
    std::barrier together(stores);

    in_threads(stores, [&](int number) {
      const auto at = static_cast<std::size_t>(number);
      together.arrive_and_wait();
      for (const Outcome& outcome : apply(*opened[at], batches[at])) {
        created += std::holds_alternative<Created>(outcome) ? 1 : 0;
        held += std::holds_alternative<Held>(outcome) ? 1 : 0;
      }
    });

    EXPECT_EQ(created, stores + 1);
    EXPECT_EQ(held, stores - 1);
  }
}

}  // namespace
}  // namespace semel::test
