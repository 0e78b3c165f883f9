#include <map>
#include <random>

#include "tests/support/sanitized.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::test {
namespace {

TEST(IdentityMerge, LosesNoIdentityAtAnyStageOrOverAnyRestart) {
  StoreFile store;
  std::mt19937 random(7);
  int count = 0;  // identities claimed: key-0 … key-(count-1)
  constexpr int steps = is_sanitized ? 150 : 400;
  for (int step = 0; step < steps; ++step) {
    std::vector<Command> batch;
    const int size = 1 + static_cast<int>(random() % 20);
    for (int i = 0; i < size; ++i) batch.emplace_back(store.task(count++));
    for (const Outcome& outcome : store.apply(batch)) ASSERT_TRUE(std::holds_alternative<Created>(outcome));
    if (random() % 3 == 0) store->tidy_up();
    if (random() % 5 == 0) store.reopen();

    for (int i = std::max(0, count - 40); i < count; ++i) ASSERT_TRUE(store.is_held(store.task(i))) << i;
    for (int i = 0; i < 20; ++i)
      store.expect_duplicate(store.task(static_cast<int>(random() % static_cast<unsigned>(count))));
  }
  ASSERT_GT(count, 8 * steps);

  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(store.is_held(store.task(i))) << i;
    while (store->tidy_up()) {
    }
    store.reopen();
  }
  EXPECT_EQ(store->check_integrity(), "ok");
}

/// A few keys that are claimed, taken over and removed again and again, and who should hold each.
class Churn {
 public:
  explicit Churn(unsigned seed) : random_(seed) {}

  void step() {
    const std::string key = fmt::format("key-{}", random_() % keys);
    switch (random_() % 4) {
      case 0:
      case 1: submit(key); break;
      case 2: cancel(key); break;
      case 3: remove(key); break;
    }
    if (random_() % 6 == 0) store_->tidy_up();
    if (random_() % 25 == 0) store_.reopen();
    for (unsigned i = 0; i < keys; ++i) check(fmt::format("key-{}", i));
  }

 private:
  static constexpr unsigned keys = 24;  // three generations
  static constexpr Duration window = 10s;

  struct Expected {
    domain::ExecutionId id;
    bool open = true;
    bool removed = false;
  };

  void submit(const std::string& key) {
    const Submit task = store_.task(key).window(after_closing(window));
    const Outcome outcome = store_.apply(task);
    const auto held = holders_.find(key);
    const bool is_open = held != holders_.end() && held->second.open;
    ASSERT_EQ(std::holds_alternative<Held>(outcome), is_open) << describe(outcome);
    if (is_open) return;
    const auto* created = std::get_if<Created>(&outcome);
    ASSERT_NE(created, nullptr) << describe(outcome);
    const bool takes_over = held != holders_.end();
    EXPECT_EQ(created->previous, takes_over ? std::optional(held->second.id) : std::nullopt);
    holders_[key] = {task.spec.id};
  }

  void cancel(const std::string& key) {
    const auto held = holders_.find(key);
    if (held == holders_.end() || !held->second.open) return;
    store_.apply(Cancel{std::string(default_tenant), held->second.id});
    held->second.open = false;
  }

  /// Leaves a tombstone, or nothing when the window has passed.
  void remove(const std::string& key) {
    const auto held = holders_.find(key);
    if (held == holders_.end() || held->second.open || held->second.removed) return;
    const bool passes = random_() % 2 == 0;
    if (passes) store_.clock.advance(window);
    const Outcome outcome = store_.apply(Remove{std::string(default_tenant), held->second.id});
    held->second.removed = true;
    if (std::get<Removed>(outcome).kind == Removed::Kind::removed) holders_.erase(held);
    else EXPECT_FALSE(passes);
  }

  void check(const std::string& key) {
    const std::optional<Held> found = store_->find_holder(default_tenant, hash_of(key));
    const auto expected = holders_.find(key);
    ASSERT_EQ(found.has_value(), expected != holders_.end()) << key;
    if (!found) return;
    ASSERT_EQ(found->holder.id, expected->second.id) << key;
  }

  std::mt19937 random_;
  StoreFile store_;
  std::map<std::string, Expected> holders_;
};

TEST(IdentityMerge, KnowsTheHolderWhileIdentitiesAreTakenOverAndRemoved) {
  for (unsigned seed = 1; seed <= (is_sanitized ? 1 : 3); ++seed) {
    Churn churn(seed);
    for (int step = 0; step < 1'000 && !testing::Test::HasFatalFailure(); ++step) {
      SCOPED_TRACE(fmt::format("seed {}, step {}", seed, step));
      churn.step();
    }
  }
}

/// Submissions are probed when they come and applied later: what the probe saw may have changed by then.
TEST(IdentityMerge, IsNotDeceivedByWhatAnEarlierProbeSaw) {
  StoreFile store;
  std::mt19937 random(11);
  std::vector<Submit> probed;
  for (int key = 0; key < 2'000; ++key) {
    probed.push_back(store.task(key));
    Submit* const newest = &probed.back();
    ASSERT_FALSE(store->probe({&newest, 1}).at(0).has_value());
    if (random() % 2 == 0) store.apply(store.task(static_cast<int>(random() % probed.size())));  // comes first
    if (random() % 8 == 0) store->tidy_up();
    const std::size_t late = random() % probed.size();
    const bool was_held = store.is_held(store.task(static_cast<int>(late)));

    const Outcome outcome = store.apply(probed[late]);

    ASSERT_EQ(std::holds_alternative<Held>(outcome), was_held) << "key " << late << ": " << describe(outcome);
    ASSERT_EQ(std::holds_alternative<Created>(outcome), !was_held) << "key " << late << ": " << describe(outcome);
  }
}

TEST(IdentityMerge, IsOverWhenTidyUpSaysSo) {
  StoreFile store;
  std::vector<Command> batch;
  for (int i = 0; i < 5'000; ++i) batch.emplace_back(store.task(i));
  store.apply(batch);

  int slices = 1;
  while (store->tidy_up()) ++slices;

  EXPECT_GT(slices, 1) << "5,000 identities are more than one slice";
  EXPECT_FALSE(store->tidy_up());
  store.expect_duplicate(store.task(4'999));
}

}  // namespace
}  // namespace semel::test
