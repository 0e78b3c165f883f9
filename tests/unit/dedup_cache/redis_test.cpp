#include "store/dedup_cache/redis.hpp"

#include <gmock/gmock.h>

#include "store/dedup_cache/examine_cache.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/redis_server.hpp"

namespace semel::store {
namespace {

using test::RedisServer;
using testing::HasSubstr;
using Texts = std::vector<std::optional<std::string>>;

RedisTarget target_of(const RedisServer& server, const std::string& more = "") {
  RedisTarget target = *parse_redis("redis://" + more + "127.0.0.1");
  target.port = server.port();
  return target;
}

RedisFault::Kind fault_of(const auto& use) {
  try {
    use();
  } catch (const RedisFault& fault) {
    return fault.kind();
  }
  ADD_FAILURE() << "it worked";
  return {};
}

TEST(RedisConnection, KeepsWhatWasAddedAndNeverOverwritesByThat) {
  const RedisServer server;
  Redis redis(target_of(server), {});
  const std::string zero("a\0b", 3);

  redis.add(std::vector<Redis::Value>{{"k", zero, 1min}, {"l", "1", 1min}});
  redis.add(std::vector<Redis::Value>{{"k", "other", 1min}});
  redis.set({"l", "2", 1min});

  EXPECT_EQ(redis.get(std::vector<std::string>{"k", "none", "l"}), (Texts{zero, std::nullopt, "2"}));
  EXPECT_GT(std::stoll(*server.ask({"PTTL", "k"})), 30'000);
}

TEST(RedisConnection, TakesAnotherTypeForNothing) {
  const RedisServer server;
  server.ask({"LPUSH", "list", "x"});
  Redis redis(target_of(server), {});

  EXPECT_EQ(redis.get(std::vector<std::string>{"list"}), Texts{std::nullopt});
}

TEST(RedisConnection, ChoosesADatabaseAndSaysWhoItIs) {
  const RedisServer server({"--requirepass", "s3cret"});

  Redis redis(target_of(server, ":s3cret@"), {});
  redis.set({"k", "v", 1min});

  EXPECT_EQ(fault_of([&] { Redis(target_of(server), {}); }), RedisFault::Kind::refused);
  EXPECT_EQ(fault_of([&] { Redis(target_of(server, ":wrong@"), {}); }), RedisFault::Kind::refused);
}

TEST(RedisConnection, DoesNotWaitForOneThatNeverAnswers) {
  RedisServer server;
  Redis redis(target_of(server), {1s, 20ms});

  server.freeze();

  EXPECT_EQ(fault_of([&] { redis.ping(); }), RedisFault::Kind::too_slow);
  EXPECT_EQ(fault_of([&] { Redis(target_of(server), {1s, 20ms}); }), RedisFault::Kind::too_slow);
}

TEST(RedisConnection, IsBrokenWhenTheServerHasGone) {
  RedisServer server;
  Redis redis(target_of(server), {});

  server.kill();

  EXPECT_EQ(fault_of([&] { redis.ping(); }), RedisFault::Kind::broken);
  EXPECT_EQ(fault_of([&] { Redis(target_of(server), {}); }), RedisFault::Kind::broken);
}

TEST(CacheExamined, TellsWhetherItAnswersAndWhatHappensWhenItIsFull) {
  const RedisServer unlimited;
  const RedisServer full({"--maxmemory", "10mb", "--maxmemory-policy", "noeviction"});
  const RedisServer evicting({"--maxmemory", "10mb", "--maxmemory-policy", "allkeys-lru"});
  const RedisServer replica({"--replicaof", "127.0.0.1 " + std::to_string(unlimited.port())});
  using enum Finding::Verdict;

  const auto well = examine_cache(target_of(unlimited)).all();
  const auto limited = examine_cache(target_of(full)).all();
  const auto evicts = examine_cache(target_of(evicting)).all();
  const auto replicating = examine_cache(target_of(replica)).all();
  RedisTarget nowhere{"127.0.0.1"};
  nowhere.port = test::free_port();
  const auto gone = examine_cache(nowhere).all();

  EXPECT_THAT(well.at(0).found, HasSubstr("answers, Redis 7"));
  EXPECT_EQ(well.at(0).verdict, ok);
  EXPECT_EQ(well.at(1), (Finding{ok, "cache memory", "no limit"}));
  EXPECT_EQ(limited.at(1).verdict, warn);
  EXPECT_EQ(evicts.at(1), (Finding{ok, "cache memory", "at most 10485760 bytes, allkeys-lru"}));
  EXPECT_EQ(replicating.at(0).verdict, fail);
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone.at(0).verdict, fail);
}

}  // namespace
}  // namespace semel::store
