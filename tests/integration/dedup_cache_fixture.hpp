#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/instance.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/test_keys.hpp"

namespace semel::test {

/// One server, and a connection to it.
class CachedServer {
 public:
  CachedServer(server::InstanceOptions options, const Authenticator& keys)
      : instance_(std::move(options), clock_, keys), client_(instance_.address()) {}

  HttpAnswer ask(const HttpRequest& request) { return client_.ask(request); }
  HttpAnswer post(const std::string& key, const std::string& target, const Json& body) {
    return ask({"POST", target, key, body.dump()});
  }
  HttpAnswer submit(const Json& submission, const std::string& key = "admin") {
    return post(key, "/v1/tasks", submission);
  }
  HttpClient connect() { return HttpClient(instance_.address()); }

  /// What a metric of the cache has come to, all its labels together.
  double metric(const std::string& name) {
    const std::string text = "\n" + ask({"GET", "/metrics", "operator"}).body;
    double sum = 0;
    for (std::size_t at = 0; (at = text.find("\nsemel_dedup_cache_" + name, at)) != std::string::npos; ++at)
      sum += std::stod(text.substr(text.find(' ', at)));
    return sum;
  }
  double hits() { return metric("hits_total"); }
  bool reaches_redis() { return metric("reachable") > 0; }

 private:
  const SystemClock clock_;
  server::Instance instance_;
  HttpClient client_;
};

/// Servers on one PostgreSQL: one that knows of no cache, and two that share one. What the first says is right.
class DedupCacheTest : public testing::Test {
 protected:
  using Server = std::unique_ptr<CachedServer>;

  explicit DedupCacheTest(Duration life = 1s) : life_(life) {}
  void SetUp() override {
    plain_ = make(false);
    first_ = make(true);
    second_ = make(true);
  }

  Server make(bool has_cache) const {
    server::InstanceOptions options;
    options.store.target = {server::StoreTarget::Kind::postgres, target()};
    options.http.port = 0;
    options.retry.max_attempts = 1;
    if (has_cache) {
      store::DedupCacheOptions& cache = options.dedup_cache.emplace();
      cache.target = *store::parse_redis(redis_.url());
      cache.life = life_;
      cache.grace = 300ms;
    }
    return std::make_unique<CachedServer>(std::move(options), keys_);
  }
  virtual std::string target() const { return database_.target(); }

  static Json task(const std::string& key) {
    return {{"handler", "charge"}, {"context", {{"order", 7}}}, {"idempotency_key", key}, {"queue", key}};
  }
  static Json task(const std::string& key, const Json& more) {
    Json made = task(key);
    made.update(more);
    return made;
  }

  /// Ends the only task of the queue.
  void complete_in(const std::string& queue, const std::string& tenant_key = "admin") {
    const HttpAnswer polled =
        plain_->post(tenant_key, "/v1/worker/poll", {{"worker_id", "w"}, {"queues", {queue}}, {"max", 1}});
    ASSERT_EQ(polled.json()["leases"].size(), 1u) << polled.body;
    const std::string attempt = polled.json()["leases"][0]["attempt_id"];
    ASSERT_EQ(plain_->post(tenant_key, "/v1/attempts/" + attempt + "/complete", {{"result", {{"receipt", 17}}}}).status,
              200);
  }
  /// A task that was completed; its id.
  std::string complete(const Json& submission, const std::string& created_by = "admin") {
    const HttpAnswer created = plain_->submit(submission, created_by);
    EXPECT_EQ(created.status, 201) << created.body;
    complete_in(submission["queue"], created_by == "globex" ? "globex" : "admin");
    return created.json().value("task_uuid", "");
  }

  /// Asks until the cache of the server has answered; whoever answers must answer so. (Nothing tells when a cache has
  /// become warm.)
  static void expect_from_cache(CachedServer& server, const Json& submission, const HttpAnswer& expected,
                                const std::string& key = "admin") {
    const double before = server.hits();
    for (int tries = 0; tries < 2'000; ++tries) {
      const HttpAnswer answer = server.submit(submission, key);
      ASSERT_EQ(answer.status, expected.status) << answer.body;
      ASSERT_EQ(answer.body, expected.body);
      if (server.hits() > before) return;
    }
    FAIL() << "the cache never answered";
  }
  void warm_both(const Json& submission) {
    const HttpAnswer expected = plain_->submit(submission);
    expect_from_cache(*first_, submission, expected);
    expect_from_cache(*second_, submission, expected);
  }

  /// The key and the bytes of the only entry in Redis, once there is one.
  std::pair<std::string, std::string> entry_in_redis(const Json& submission) {
    while (true) {
      first_->submit(submission);
      for (const std::string& key : redis_.keys()) {
        if (const auto bytes = redis_.ask({"GET", key})) return {key, *bytes};
      }
    }
  }

  std::string hash_of_key(const std::string& key) const {
    return to_hex(domain::identity_hash({domain::Mode::key, "acme", domain::Scope::tenant, "", key, std::nullopt}));
  }
  HttpAnswer release(CachedServer& server, const std::string& key) const {
    return server.ask({"DELETE", "/v1/identity/" + hash_of_key(key), "admin"});
  }

  const Duration life_;
  PostgresDatabase database_;
  RedisServer redis_;
  TestKeys keys_;
  Server plain_, first_, second_;
};

}  // namespace semel::test
