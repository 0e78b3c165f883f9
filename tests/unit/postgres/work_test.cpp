#include <atomic>
#include <barrier>
#include <map>
#include <mutex>

#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

/// Many stores give out tasks at once: each task once, and limits are those of all together.
class PostgresWork : public PostgresStores {
 protected:
  static constexpr int stores = 4;

  Claim claim(std::size_t count) { return claim_of(ids_, count); }
  void create_some(Store& store, int tasks, const std::function<Submit()>& make) {
    std::vector<Command> batch;
    for (int i = 0; i < tasks; ++i) batch.emplace_back(make());
    apply(store, batch);
  }
};

TEST_F(PostgresWork, ClaimsOfManyStoresNeverOverlap) {
  constexpr int tasks = 600;
  const auto setup = open();
  create_some(*setup, tasks, [&, i = 0]() mutable {
    ++i;
    return task().priority(i % 7).handler(i % 2 == 0 ? "a" : "b").build();
  });
  std::map<domain::ExecutionId, int> claimed;
  std::mutex mutex;  // guards claimed
  std::barrier together(stores);

  in_threads(stores, [&](int) {
    const auto store = open();
    together.arrive_and_wait();
    for (bool more = true; more;) {
      const auto got = as<Claimed>(apply(*store, claim(5)));
      more = !got.leases.empty();
      std::vector<Command> done;
      for (const Lease& lease : got.leases)
        done.emplace_back(Complete{std::string(default_tenant), lease.attempt_id, std::nullopt});
      apply(*store, done);
      const std::lock_guard lock(mutex);
      for (const Lease& lease : got.leases) claimed[lease.execution.spec.id] += 1;
    }
  });

  EXPECT_EQ(claimed.size(), static_cast<std::size_t>(tasks));
  for (const auto& [id, times] : claimed) EXPECT_EQ(times, 1);
  EXPECT_EQ(count("attempts WHERE outcome = 1"), tasks);
  EXPECT_EQ(count("executions WHERE state = 3"), tasks);
}

TEST_F(PostgresWork, AClaimTakesWhatAnotherIsNotJustTaking) {
  const auto store = open();
  create_some(*store, 3, [&] { return task().build(); });
  const auto other = database_.open();
  other->execute("BEGIN; SELECT 1 FROM executions WHERE id = (SELECT min(id::text)::uuid FROM executions) FOR UPDATE");

  EXPECT_EQ(as<Claimed>(apply(*store, claim(2))).leases.size(), 2u);
  EXPECT_TRUE(as<Claimed>(apply(*store, claim(2))).leases.empty());

  other->execute("ROLLBACK");
  EXPECT_EQ(as<Claimed>(apply(*store, claim(2))).leases.size(), 1u);
}

TEST_F(PostgresWork, AClaimGoesOnBehindAllThatOthersAreTaking) {
  const auto store = open();
  create_some(*store, 60, [&] { return task().build(); });
  const auto other = database_.open();
  other->execute("BEGIN; SELECT 1 FROM executions ORDER BY id LIMIT 50 FOR UPDATE");

  EXPECT_EQ(as<Claimed>(apply(*store, claim(1))).leases.size(), 1u);

  other->execute("ROLLBACK");
}

TEST_F(PostgresWork, AClaimThatFindsAllTakenSaysThatThereIsMore) {
  const auto store = open();
  create_some(*store, 3, [&] { return task().build(); });
  const auto other = database_.open();
  other->execute("BEGIN; SELECT 1 FROM executions FOR UPDATE");

  const auto claimed = as<Claimed>(apply(*store, claim(1)));
  EXPECT_TRUE(claimed.leases.empty());
  EXPECT_EQ(claimed.held_back.size(), 1u) << "a worker that waits is to come again";

  other->execute("ROLLBACK");
}

TEST_F(PostgresWork, ClaimsOfOneBatchShareInTheirOrder) {
  const auto store = open();
  create_some(*store, 5, [&] { return task().build(); });

  const std::vector<Outcome> outcomes = apply(*store, {claim(2), claim(2), claim(2)});

  EXPECT_EQ(as<Claimed>(outcomes[0]).leases.size(), 2u);
  EXPECT_EQ(as<Claimed>(outcomes[1]).leases.size(), 2u);
  EXPECT_EQ(as<Claimed>(outcomes[2]).leases.size(), 1u);
  EXPECT_LT(as<Claimed>(outcomes[0]).leases[1].execution.spec.id, as<Claimed>(outcomes[1]).leases[0].execution.spec.id);
}

TEST_F(PostgresWork, MaxRunningIsThatOfAllStores) {
  constexpr int rounds = 25;
  const auto setup = open();
  domain::QueueOptions options;
  options.max_running = 1;
  apply(*setup, PutQueue{std::string(default_tenant), std::string(default_queue), options, "admin"});
  create_some(*setup, rounds + stores, [&] { return task().build(); });
  std::vector<std::atomic<int>> given(rounds);
  std::barrier together(stores);

  in_threads(stores, [&](int) {
    const auto store = open();
    for (std::atomic<int>& of_round : given) {
      together.arrive_and_wait();
      const std::vector<Lease> leases = as<Claimed>(apply(*store, claim(1))).leases;
      of_round += static_cast<int>(leases.size());
      together.arrive_and_wait();
      for (const Lease& lease : leases)
        apply(*store, Complete{std::string(default_tenant), lease.attempt_id, std::nullopt});
    }
  });

  for (const std::atomic<int>& of_round : given) EXPECT_EQ(of_round, 1);
}

TEST_F(PostgresWork, ARateLimitIsThatOfAllStores) {
  const auto setup = open();
  domain::QueueOptions options;
  options.rate_limit = domain::RateLimit{100, 1s, 10};
  apply(*setup, PutQueue{std::string(default_tenant), std::string(default_queue), options, "admin"});
  create_some(*setup, 200, [&] { return task().build(); });
  std::atomic<int> given = 0;
  std::barrier together(stores);

  in_threads(stores, [&](int number) {
    const auto store = open();
    for (int step = 0; step < 20; ++step) {
      together.arrive_and_wait();
      given += static_cast<int>(as<Claimed>(apply(*store, claim(5))).leases.size());
      together.arrive_and_wait();
      if (number == 0) clock_.advance(10ms);
    }
  });

  EXPECT_EQ(given, 10 + 19);  // the burst, and one for every 10 ms after it
}

TEST_F(PostgresWork, OfOneConcurrencyKeyOneIsReadyWhoeverSubmitsAndEnds) {
  constexpr int rounds = 20;
  std::vector<std::vector<Command>> submissions(stores);
  for (auto& list : submissions) {
    for (int i = 0; i < rounds; ++i) list.emplace_back(task().concurrency_key("k" + std::to_string(i)).build());
  }
  std::atomic<int> done = 0;
  std::barrier together(stores);

  in_threads(stores, [&](int number) {
    const auto store = open();
    for (int round = 0; round < rounds; ++round) {
      const std::string key = "executions WHERE concurrency_key = 'k" + std::to_string(round) + "'";
      together.arrive_and_wait();
      apply(*store, submissions[static_cast<std::size_t>(number)][static_cast<std::size_t>(round)]);
      together.arrive_and_wait();
      EXPECT_EQ(count(key + " AND phase = 1"), 1);
      EXPECT_EQ(count(key + " AND phase = 4"), stores - 1);
      together.arrive_and_wait();
      while (done < (round + 1) * stores) {
        for (const Lease& lease : as<Claimed>(apply(*store, claim(3))).leases) {
          apply(*store, Complete{std::string(default_tenant), lease.attempt_id, std::nullopt});
          ++done;
        }
      }
    }
  });

  EXPECT_EQ(count("executions WHERE state = 3"), stores * rounds);
}

}  // namespace
}  // namespace semel::test
