#include <gtest/gtest.h>

#include <future>
#include <semaphore>
#include <thread>

#include "store/dedup_cache/redis_dedup_cache.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/redis_server.hpp"

namespace semel::store {
namespace {

using test::hash_of;
using test::ManualClock;
using test::RedisServer;

/// A store that promises everything, or nothing, by a clock of the test.
class FakePromises final : public Promises {
 public:
  explicit FakePromises(const ManualClock& clock) : clock_(clock) {}

  Promised promise(std::span<const Holding> holdings, Duration length, Duration) override {
    if (!holdings.empty()) asked.release();
    const auto until = gives ? std::optional(clock_.now() + length) : std::nullopt;
    return {clock_.now(), std::vector<std::optional<Time>>(holdings.size(), until)};
  }
  std::string secret() override { return std::string(32, 's'); }
  Time promises_now() const override { return clock_.now(); }

  std::counting_semaphore<> asked{0};
  std::atomic<bool> gives = true;

 private:
  const ManualClock& clock_;
};

/// Two servers' caches on one Redis. The store's clock stands, so that entries last as long as a test wants.
class DedupCaches : public testing::Test {
 protected:
  using Found = DedupCache::Found;

  std::unique_ptr<RedisDedupCache> make() {
    DedupCacheOptions options;
    options.target = *parse_redis(redis_.url());
    options.life = 10min;  // by this machine's clock, which the test cannot stop
    return std::make_unique<RedisDedupCache>(promises_, options);
  }
  static DedupCache::Identity order(const std::string& key = "order-1") { return {"acme", hash_of(key)}; }

  Held completed(const std::string& key = "order-1") {
    domain::Execution execution;
    const Submit submit = test::submission(ids_).key(key);
    execution.spec = submit.spec;
    execution.state = domain::State::completed;
    execution.created_at = execution.closed_at.emplace(ManualClock::start);
    execution.result = "17";
    return {domain::holder_of(execution), execution, false};
  }
  static Found look(DedupCache& cache, std::vector<DedupCache::Identity> identities) {
    std::promise<Found> found;
    cache.look_up(std::move(identities), [&](Found each) { found.set_value(std::move(each)); });
    return found.get_future().get();
  }
  static std::optional<std::string> result_in(DedupCache& cache, const DedupCache::Identity& identity = order()) {
    const Found found = look(cache, {identity});
    return found[0] ? found[0]->execution->result : std::nullopt;
  }
  static bool forget(DedupCache& cache, const DedupCache::Identity& identity = order()) {
    std::promise<bool> done;
    cache.forget(identity, [&](bool is_done) { done.set_value(is_done); });
    return done.get_future().get();
  }
  /// Returns when the entry is in this cache and, if it can be reached, in Redis. (Nothing tells when a cache has
  /// become warm: it is asked again.)
  void warm(DedupCache& cache, const std::string& key = "order-1") {
    const Held held = completed(key);
    cache.met(order(key), held);
    cache.met(order(key), held);
    while (!result_in(cache, order(key))) continue;
  }
  void warm_both(DedupCache& first, DedupCache& second) {
    warm(first);
    while (!result_in(second)) continue;
  }

  RedisServer redis_;
  ManualClock clock_;
  test::Ids ids_;
  FakePromises promises_{clock_};
  std::unique_ptr<RedisDedupCache> cache_ = make();
};

TEST_F(DedupCaches, AskForAPromiseTheSecondTimeThatADuplicateIsMet) {
  cache_->met(order("once"), completed("once"));
  cache_->met(order(), completed());
  cache_->met(order(), completed());

  while (!result_in(*cache_)) continue;
  EXPECT_FALSE(result_in(*cache_, order("once")));
  promises_.asked.acquire();
  EXPECT_FALSE(promises_.asked.try_acquire());
  EXPECT_EQ(result_in(*cache_), "17");
  EXPECT_GT(cache_->counts().hits_near, 0u);
}

TEST_F(DedupCaches, FindNothingThatTheStoreDidNotPromise) {
  promises_.gives = false;
  cache_->met(order(), completed());
  cache_->met(order(), completed());
  promises_.asked.acquire();

  EXPECT_FALSE(result_in(*cache_));
  EXPECT_TRUE(redis_.keys().empty());
}

TEST_F(DedupCaches, ShareEntriesThroughRedis) {
  const auto second = make();
  warm_both(*cache_, *second);

  const Found found = look(*second, {order("unknown"), order()});

  EXPECT_FALSE(found[0]);
  EXPECT_EQ(found[1]->execution->result, "17");
  EXPECT_EQ(second->counts().hits_far, 1u);
  EXPECT_GE(second->counts().misses, 1u);
  EXPECT_EQ(second->counts().errors, 0u);
}

TEST_F(DedupCaches, UseNoEntryWhoseTimeIsOverByTheClockOfTheStore) {
  const auto second = make();
  warm_both(*cache_, *second);

  clock_.advance(10min);

  EXPECT_FALSE(result_in(*cache_));
  EXPECT_FALSE(result_in(*second));
}

TEST_F(DedupCaches, TakeWhatOthersHaveWrittenForNothing) {
  const auto second = make();
  warm(*cache_, "known");
  while (!result_in(*second, order("known"))) continue;  // from now on it asks Redis
  const std::string known = redis_.keys().at(0);
  const std::string key = known.substr(0, known.rfind(':') + 1) + to_hex(order().hash);
  warm(*cache_);
  while (!redis_.ask({"GET", key})) continue;
  const std::string entry = *redis_.ask({"GET", key});

  for (const std::string& planted : {std::string("garbage"), std::string(), entry.substr(1), entry + "x",
                                     EntryCodec(std::string(32, 'x')).encode(CacheEntry{order(), {}, completed()})}) {
    redis_.ask({"SET", key, planted});
    const auto errors = second->counts().errors;
    EXPECT_FALSE(result_in(*second));
    EXPECT_GT(second->counts().errors, errors);
  }
  redis_.ask({"SET", key.substr(0, key.rfind(':') + 1) + to_hex(order("other").hash), entry});
  EXPECT_FALSE(result_in(*second, order("other")));
  EXPECT_FALSE(result_in(*second, {"globex", order().hash}));
  redis_.ask({"DEL", key});
  redis_.ask({"LPUSH", key, "x"});
  EXPECT_FALSE(result_in(*second));
}

TEST_F(DedupCaches, GoOnWithoutRedisAndWithItWhenItIsBack) {
  const auto second = make();
  warm_both(*cache_, *second);

  redis_.kill();
  while (second->counts().is_reachable) EXPECT_FALSE(result_in(*second, order("other")));
  EXPECT_EQ(result_in(*second), "17");  // near
  warm(*second, "while it is away");
  redis_.start_again();
  while (!second->counts().is_reachable) std::this_thread::yield();

  warm(*second, "order-2");
  while (!result_in(*cache_, order("order-2"))) continue;
  EXPECT_FALSE(result_in(*cache_, order("while it is away")));
}

TEST_F(DedupCaches, DoNotWaitForARedisThatNeverAnswers) {
  redis_.freeze();

  while (cache_->counts().is_reachable) EXPECT_FALSE(result_in(*cache_));
  EXPECT_FALSE(result_in(*cache_));  // at once
  EXPECT_FALSE(forget(*cache_));
  redis_.thaw();

  while (!cache_->counts().is_reachable) std::this_thread::yield();
  warm(*cache_);
}

TEST_F(DedupCaches, ForgetOnlyWhenRedisKnows) {
  const auto second = make();
  warm_both(*cache_, *second);

  EXPECT_TRUE(forget(*cache_));
  EXPECT_FALSE(result_in(*cache_));
  EXPECT_EQ(redis_.ask({"GET", redis_.keys().at(0)}), "released");
  EXPECT_FALSE(result_in(*make()));
  redis_.kill();
  EXPECT_FALSE(forget(*cache_));
}

TEST_F(DedupCaches, FindNothingAfterTheyWereClosed) {
  warm(*cache_);
  cache_->close();

  EXPECT_FALSE(result_in(*cache_, order("other")));
  EXPECT_FALSE(forget(*cache_));
  cache_->close();
}

}  // namespace
}  // namespace semel::store
