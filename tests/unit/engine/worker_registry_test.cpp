#include "engine/worker_registry.hpp"

#include <gtest/gtest.h>

namespace semel::engine {
namespace {

class WorkerRegistryTest : public testing::Test {
 protected:
  std::shared_ptr<void> asks(const std::string& worker, const std::string& tenant = "acme") {
    return registry_.asks(tenant, {worker, {"mail"}, std::vector<std::string>{"send"}}, now_);
  }
  /// "a 1": worker a has one open poll.
  std::vector<std::string> seen(const std::string& tenant = "acme") {
    std::vector<std::string> names;
    for (const WorkerRegistry::Seen& each : registry_.list(tenant, now_))
      names.push_back(each.asking.worker + " " + std::to_string(each.waiting));
    return names;
  }

  using Names = std::vector<std::string>;
  Time now_{1h};
  WorkerRegistry registry_;
};

TEST_F(WorkerRegistryTest, AWorkerWaitsUntilItsPollEnds) {
  std::shared_ptr<void> first = asks("a");
  const std::shared_ptr<void> second = asks("a");
  EXPECT_EQ(seen(), Names{"a 2"});
  first.reset();
  EXPECT_EQ(seen(), Names{"a 1"});
}

TEST_F(WorkerRegistryTest, ShowsATenantItsOwnByName) {
  asks("b");
  asks("a");
  asks("c", "globex");
  asks("c", "acme2");
  EXPECT_EQ(seen(), (Names{"a 0", "b 0"}));
  EXPECT_EQ(seen("globex"), Names{"c 0"});
  EXPECT_EQ(seen("nobody"), Names{});
}

TEST_F(WorkerRegistryTest, KeepsWhatWasAskedForLast) {
  asks("a");
  registry_.asks("acme", {"a", {"imports", "mail"}, std::nullopt}, now_);
  const WorkerRegistry::Seen found = registry_.list("acme", now_).at(0);
  EXPECT_EQ(found.asking.queues, (Names{"imports", "mail"}));
  EXPECT_EQ(found.asking.handlers, std::nullopt);
}

TEST_F(WorkerRegistryTest, ForgetsWhoHasNotAskedForAnHourUnlessItWaitsStill) {
  asks("gone");
  const std::shared_ptr<void> waits = asks("waits");
  now_ += 1h;
  EXPECT_EQ(seen(), (Names{"gone 0", "waits 1"}));
  now_ += 1ms;
  EXPECT_EQ(seen(), Names{"waits 1"});
}

TEST_F(WorkerRegistryTest, HasRoomForSoMany) {
  for (std::size_t i = 0; i < WorkerRegistry::workers_max; ++i) asks(std::to_string(i));
  EXPECT_EQ(asks("too many").use_count(), 0);
  EXPECT_NE(asks("7").use_count(), 0) << "it is known";
  now_ += 1h + 1ms;
  EXPECT_NE(asks("later").use_count(), 0);
  EXPECT_EQ(seen(), Names{"later 0"});
}

}  // namespace
}  // namespace semel::engine
