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

  Claim claim(std::size_t count) {
    const std::lock_guard lock(mutex_);
    return claim_of(ids_, count);
  }
  void create_some(Store& store, int tasks, const std::function<Submit()>& make) {
    std::vector<Command> batch;
    for (int i = 0; i < tasks; ++i) batch.emplace_back(make());
    apply(store, batch);
  }

  std::mutex mutex_;  // guards ids_
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
  const auto setup = open();
  domain::QueueOptions options;
  options.max_running = 3;
  apply(*setup, PutQueue{std::string(default_tenant), std::string(default_queue), options, "admin"});
  create_some(*setup, 120, [&] { return task().build(); });
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> done = 0;

  in_threads(stores, [&](int) {
    const auto store = open();
    while (done < 120) {
      for (const Lease& lease : as<Claimed>(apply(*store, claim(2))).leases) {
        const int now = ++running;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        --running;
        apply(*store, Complete{std::string(default_tenant), lease.attempt_id, std::nullopt});
        ++done;
      }
      EXPECT_LE(count("executions WHERE state = 1"), 3);
    }
  });

  EXPECT_LE(most, 3);
  EXPECT_EQ(done, 120);
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

TEST_F(PostgresWork, OfOneConcurrencyKeyOneRunsAtATimeWhoeverSubmitsAndEnds) {
  constexpr int each = 30;
  std::vector<std::vector<Command>> submissions(stores);
  for (auto& list : submissions) {
    for (int i = 0; i < each; ++i) list.emplace_back(task().concurrency_key("k" + std::to_string(i % 2)).build());
  }
  std::atomic<int> done = 0;

  in_threads(stores, [&](int number) {
    const auto store = open();
    auto next = submissions[static_cast<std::size_t>(number)].begin();
    const auto end = submissions[static_cast<std::size_t>(number)].end();
    while (done < stores * each) {
      if (next != end) apply(*store, *next++);
      std::vector<Command> ends;
      for (const Lease& lease : as<Claimed>(apply(*store, claim(3))).leases)
        ends.emplace_back(Complete{std::string(default_tenant), lease.attempt_id, std::nullopt});
      EXPECT_LE(count("executions WHERE state = 1 AND concurrency_key = 'k0'"), 1);
      apply(*store, ends);
      done += static_cast<int>(ends.size());
    }
  });

  EXPECT_EQ(done, stores * each);
  EXPECT_EQ(count("executions WHERE state = 3"), stores * each);
}

}  // namespace
}  // namespace semel::test
