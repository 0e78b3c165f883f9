#include <atomic>
#include <fstream>
#include <thread>

#include "tests/integration/dedup_cache_fixture.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/sanitized.hpp"

/// With the dedup cache, every answer is the one that PostgreSQL would give, whatever happens to Redis.
namespace semel::test {
namespace {

TEST_F(DedupCacheTest, AnswersByteForByteAsPostgreSqlWould) {
  complete(task("order-1"), "other");
  const Json again = task("order-1");
  for (const Json& policy : {Json{{"reuse", "allow_duplicate_failed_only"}}, Json{{"reuse", "reject_duplicate"}}}) {
    for (const char* on_duplicate : {"reject", "describe", "return_existing"}) {
      for (const Json& difference : {Json::object(), Json{{"context", {{"order", 8}, {"more", true}}}},
                                     Json{{"context", {{"order", 8}}}, {"on_payload_mismatch", "ignore"}},
                                     Json{{"handler", "refund"}}, Json{{"wait", "1s"}}}) {
        Json submission = again;
        submission.update(policy);
        submission.update(difference);
        submission["on_duplicate"] = on_duplicate;
        for (const char* asker : {"admin", "reader", "maker", "other"}) {
          SCOPED_TRACE(std::string(asker) + " " + submission.dump());
          expect_from_cache(*first_, submission, plain_->submit(submission, asker), asker);
        }
      }
    }
  }
}

TEST_F(DedupCacheTest, AnswersTemplatesWithoutKeysAndBatchesToo) {
  const Json strict{{"namespace", "shop"}, {"name", "charge"}, {"version", "1.0.0"}, {"queue", "shop"}};
  ASSERT_LT(plain_->ask({"PUT", "/v1/templates", "admin", strict.dump()}).status, 300);
  const Json submission{{"namespace", "shop"},
                        {"name", "charge"},
                        {"queue", "shop"},
                        {"context", {{"a", 1.50}}},
                        {"on_duplicate", "return_existing"}};
  complete(submission);
  complete(task("order-1"));

  expect_from_cache(*first_, submission, plain_->submit(submission));
  warm_both(task("order-1"));

  const Json batch{{"tasks", {submission, task("order-1"), {{"handler", ""}}, task("order-1", {{"task_uuid", "x"}})}}};
  EXPECT_EQ(first_->post("admin", "/v1/tasks:batch", batch).body, plain_->post("admin", "/v1/tasks:batch", batch).body);
}

TEST_F(DedupCacheTest, KeepsTenantsApart) {
  const std::string ours = complete(task("order-1"));
  const std::string theirs = complete(task("order-1"), "globex");
  const Json existing = task("order-1", {{"on_duplicate", "return_existing"}});

  expect_from_cache(*first_, existing, plain_->submit(existing));
  expect_from_cache(*first_, existing, plain_->submit(existing, "globex"), "globex");

  EXPECT_EQ(first_->submit(existing).json()["task_uuid"], ours);
  EXPECT_EQ(first_->submit(existing, "globex").json()["task_uuid"], theirs);
}

TEST_F(DedupCacheTest, LooksForAClientsOwnIdFirst) {
  complete(task("order-1"));
  const std::string uuid = "0198c0de-0000-7000-8000-000000000001";
  ASSERT_EQ(plain_->submit({{"handler", "a"}, {"queue", "q"}, {"task_uuid", uuid}}).status, 201);
  warm_both(task("order-1"));

  const Json both = task("order-1", {{"task_uuid", uuid}});
  const Json same{{"handler", "a"}, {"queue", "q"}, {"task_uuid", uuid}};

  EXPECT_EQ(first_->submit(both).body, plain_->submit(both).body);
  EXPECT_EQ(first_->submit(same).body, plain_->submit(same).body);
}

/// What open and failed tasks, large results and tombstones say is never kept.
TEST_F(DedupCacheTest, AsksPostgreSqlForEverythingElse) {
  ASSERT_EQ(plain_->submit(task("open")).status, 201);
  const std::string large = std::string(20'000, 'x');
  complete(task("large", {{"context", large}}));
  const Json expected_large = plain_->submit(task("large", {{"context", large}})).json();

  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(first_->submit(task("open")).status, 409);
    EXPECT_EQ(first_->submit(task("large", {{"context", large}})).json(), expected_large);
  }

  EXPECT_EQ(first_->hits(), 0);
  complete_in("open");
  warm_both(task("open"));
}

TEST_F(DedupCacheTest, AnswersTheSameWhenRedisIsKilled) {
  complete(task("order-1"));
  warm_both(task("order-1"));
  const HttpAnswer expected = plain_->submit(task("order-1"));

  redis_.kill();

  while (first_->reaches_redis()) ASSERT_EQ(first_->submit(task("order-1")).body, expected.body);
  EXPECT_EQ(first_->submit(task("order-2")).status, 201);
  expect_from_cache(*first_, task("order-1"), expected);  // its own memory
  redis_.start_again();
  while (!first_->reaches_redis()) ASSERT_EQ(first_->submit(task("order-1")).body, expected.body);
  warm_both(task("order-1"));
}

TEST_F(DedupCacheTest, AnswersTheSameWhenRedisNeverAnswers) {
  complete(task("order-1"));
  const HttpAnswer expected = plain_->submit(task("order-1"));

  redis_.freeze();

  while (first_->reaches_redis()) ASSERT_EQ(first_->submit(task("order-1")).body, expected.body);
  EXPECT_EQ(first_->submit(task("order-2")).status, 201);
  EXPECT_EQ(second_->submit(task("order-2")).status, 409);
  redis_.thaw();
  while (!first_->reaches_redis()) ASSERT_EQ(first_->submit(task("order-1")).body, expected.body);
  warm_both(task("order-1"));
}

/// A Redis that fails over to an older copy, or is restored from one, brings such entries back.
TEST_F(DedupCacheTest, IsNotDeceivedByEntriesThatWereTrueOnce) {
  complete(task("order-1"));
  const auto [key, entry] = entry_in_redis(task("order-1"));
  warm_both(task("order-1"));

  const std::string taker = second_->submit(task("order-1", {{"reuse", "allow_duplicate"}})).json()["task_uuid"];
  redis_.ask({"SET", key, entry});

  const Json describe = task("order-1", {{"on_duplicate", "describe"}});
  for (int i = 0; i < 10; ++i) {
    for (CachedServer* server : {first_.get(), second_.get()}) {
      const HttpAnswer answer = server->submit(describe);
      EXPECT_EQ(answer.code(), "TASK_ALREADY_EXISTS");
      EXPECT_EQ(answer.json()["error"]["existing_execution_id"], taker);
    }
  }
}

TEST_F(DedupCacheTest, IsNotDeceivedByGarbage) {
  complete(task("order-1"));
  const HttpAnswer expected = plain_->submit(task("order-1"));
  const auto [key, entry] = entry_in_redis(task("order-1"));
  const std::string other = key.substr(0, key.rfind(':') + 1) + hash_of_key("order-2");

  for (const std::string& planted : {entry, entry.substr(0, 40), std::string("garbage"), std::string()}) {
    redis_.ask({"SET", other, planted});
    EXPECT_EQ(second_->submit(task("order-2", {{"reuse", "reject_duplicate"}})).status, planted == entry ? 201 : 409);
  }
  redis_.ask({"SET", key, "garbage"});
  EXPECT_EQ(second_->submit(task("order-1")).body, expected.body);
  EXPECT_GE(second_->metric("errors_total"), 4);
}

TEST_F(DedupCacheTest, NobodyGetsTheOldAnswerAfterAReleaseWasAnswered) {
  for (int round = 0; round < 3; ++round) {
    const std::string key = "order-" + std::to_string(round);
    complete(task(key));
    warm_both(task(key));

    ASSERT_EQ(release(*first_, key).status, 200);

    EXPECT_EQ(second_->submit(task(key, {{"reuse", "reject_duplicate"}})).status, 201);
    EXPECT_EQ(first_->submit(task(key)).body, plain_->submit(task(key)).body);
  }
}

TEST_F(DedupCacheTest, ReleasesNothingWhenRedisCannotBeTold) {
  const std::string id = complete(task("order-1"));
  warm_both(task("order-1"));
  const HttpAnswer expected = plain_->submit(task("order-1"));

  redis_.kill();
  const HttpAnswer refused = release(*first_, "order-1");

  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.code(), "UNAVAILABLE");
  EXPECT_EQ(plain_->submit(task("order-1", {{"reuse", "reject_duplicate"}})).body, expected.body);
  EXPECT_EQ(database_.open()->execute("SELECT count(*) FROM executions WHERE released_at IS NOT NULL").text(0, "count"),
            "0");
  redis_.start_again();
  EXPECT_EQ(release(*first_, "order-1").status, 200);
  EXPECT_EQ(second_->submit(task("order-1")).status, 201);
}

TEST_F(DedupCacheTest, ATaskIsDeletedWhenNobodyIsAnsweredFromTheCacheAnyMore) {
  const std::string id = complete(task("order-1"));
  const Json existing = task("order-1", {{"on_duplicate", "return_existing"}});
  warm_both(existing);

  const HttpAnswer deleted = plain_->ask({"POST", "/v1/tasks:delete?queue=order-1", "admin", "{}"});

  ASSERT_EQ(deleted.status, 200) << deleted.body;
  EXPECT_EQ(deleted.json()["done"], 1) << deleted.body;
  EXPECT_EQ(first_->submit(existing).json().value("result_expired", false), true);
  EXPECT_EQ(second_->submit(existing).body, plain_->submit(existing).body);
}

/// Whoever asks after a takeover was answered gets the new holder, or a later one, from whichever server.
TEST_F(DedupCacheTest, NobodyGetsAnOldHolderAfterATakeoverWasAnswered) {
  for (int round = 0; round < (is_sanitized ? 2 : 4); ++round) {
    const std::string key = "order-" + std::to_string(round);
    const std::string old = complete(task(key));
    const Json describe = task(key, {{"on_duplicate", "describe"}});
    warm_both(describe);
    std::atomic<bool> is_taken_over = false;
    std::atomic<int> asked_after = 0;
    const auto ask_on = [&](HttpClient client) {
      while (asked_after < 200) {
        const bool is_after = is_taken_over;
        const Json error = client.ask({"POST", "/v1/tasks", "admin", describe.dump()}).json()["error"];
        if (is_after) {
          EXPECT_NE(error["existing_execution_id"], old);
          ++asked_after;
        }
      }
    };
    std::thread first([&] { ask_on(first_->connect()); });
    std::thread second([&] { ask_on(second_->connect()); });

    const HttpAnswer taken = plain_->submit(task(key, {{"reuse", "allow_duplicate"}}));
    is_taken_over = true;
    first.join();
    second.join();

    EXPECT_EQ(taken.status, 201);
    EXPECT_EQ(taken.json()["previous_execution_id"], old);
  }
}

/// With a database of its own that goes away.
class WithoutPostgreSql : public DedupCacheTest {
 protected:
  WithoutPostgreSql() : DedupCacheTest(5min) {}
  std::string target() const override { return postgres_.connection_string(); }

  PostgresServer postgres_;
};

TEST_F(WithoutPostgreSql, DuplicatesOfCompletedTasksAreAnsweredAllTheSame) {
  complete(task("order-1"));
  const Json existing = task("order-1", {{"on_duplicate", "return_existing"}});
  const HttpAnswer expected = plain_->submit(existing);
  expect_from_cache(*first_, existing, expected);
  expect_from_cache(*first_, task("order-1"), plain_->submit(task("order-1")));
  while (redis_.keys().empty()) continue;

  postgres_.crash();

  EXPECT_EQ(first_->submit(existing).body, expected.body);   // from its memory
  EXPECT_EQ(second_->submit(existing).body, expected.body);  // from Redis
  EXPECT_EQ(second_->submit(task("order-2")).status, 503);
  EXPECT_EQ(second_->submit(task("order-1", {{"reuse", "allow_duplicate"}})).status, 503);
}

TEST_F(DedupCacheTest, CountsInTheWordsOfPrometheus) {
  complete(task("order-1"));
  warm_both(task("order-1"));
  const std::string text = second_->ask({"GET", "/metrics", "operator"}).body;
  const TempDir folder;
  std::ofstream(folder / "metrics.txt") << text;

  const Finished checked = run_to_end({"sh", "-c", "promtool check metrics < " + (folder / "metrics.txt").string()});

  EXPECT_EQ(checked.code, 0);
  EXPECT_EQ(checked.output + checked.errors, "");
  for (const char* line :
       {"# TYPE semel_dedup_cache_hits_total counter", "semel_dedup_cache_hits_total{from=\"redis\"} ",
        "semel_dedup_cache_hits_total{from=\"memory\"} ", "semel_dedup_cache_misses_total ",
        "semel_dedup_cache_errors_total 0", "semel_dedup_cache_reachable 1"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  EXPECT_EQ(plain_->ask({"GET", "/metrics", "operator"}).body.find("dedup_cache"), std::string::npos);
}

TEST_F(DedupCacheTest, NeedsAStoreThatCanPromise) {
  server::InstanceOptions options;
  const TempDir folder;
  options.store.target = {server::StoreTarget::Kind::sqlite, (folder / "semel.db").string()};
  options.http.port = 0;
  options.dedup_cache.emplace().target = *store::parse_redis(redis_.url());

  EXPECT_THROW(CachedServer(options, keys_), StoreFault);
}

}  // namespace
}  // namespace semel::test
