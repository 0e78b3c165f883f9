#include <gtest/gtest.h>

#include <atomic>

#include "tests/unit/engine/engine_fixture.hpp"
#include "tests/unit/engine/fake_store.hpp"

/// What a store postpones is tried again when its time has come, and answered then.
namespace semel::engine::test {
namespace {

using semel::test::FakeStore;
using semel::test::ManualClock;

const domain::Principal owner{"acme", "key-1", domain::all_permissions};

SubmitAnswer submit_to(Engine& engine, const std::string& key) {
  Awaited<SubmitAnswer> awaited;
  engine.submit(owner, keyed(key), awaited.answer());
  return awaited.get();
}

TEST(PostponedCommandsTest, AreAppliedAgainAsTheyWere) {
  FakeStore store;
  std::atomic<int> submits = 0;
  std::vector<Submit> seen;
  store.outcome = [&](const Command& command) -> Outcome {
    const auto* submit = std::get_if<Submit>(&command);
    if (submit == nullptr) return FakeStore::usual(command);
    seen.push_back(*submit);
    if (++submits < 3) return Postponed{ManualClock::start + 2ms};
    return FakeStore::usual(command);
  };
  Engine engine(store, options());

  const SubmitAnswer answer = submit_to(engine, "order-1");

  EXPECT_EQ(submits, 3);
  ASSERT_TRUE(std::holds_alternative<NewTask>(answer));
  EXPECT_EQ(std::get<NewTask>(answer).id, seen[0].spec.id);
  EXPECT_EQ(seen[2].spec.key, "order-1");
  EXPECT_EQ(seen[2].spec.context, seen[0].spec.context);
}

TEST(PostponedCommandsTest, AreRefusedWhenTheServerStops) {
  FakeStore store;
  std::promise<void> postponed;
  store.outcome = [&](const Command& command) -> Outcome {
    if (!std::holds_alternative<Submit>(command)) return FakeStore::usual(command);
    postponed.set_value();
    return Postponed{ManualClock::start + 1h};
  };
  Engine engine(store, options());
  Awaited<SubmitAnswer> awaited;
  engine.submit(owner, keyed("order-1"), awaited.answer());
  postponed.get_future().wait();

  engine.stop_waiting();

  EXPECT_EQ(std::get<Error>(awaited.get()).code, ErrorCode::unavailable);
}

TEST(PostponedCommandsTest, AreBounded) {
  Timers timers;
  PostponedCommands commands(timers, [](CommitQueue::Entry) {}, 1);
  int refused = 0;
  const auto entry = [&] {
    return CommitQueue::Entry{Cancel{"acme", {}}, [&](const Committed& committed) { refused += !committed.outcome; }};
  };

  commands.add(entry(), 1h);
  commands.add(entry(), 1h);

  EXPECT_EQ(commands.waiting(), 1u);
  EXPECT_EQ(refused, 1);
  commands.release_all();
  EXPECT_EQ(refused, 2);
}

}  // namespace
}  // namespace semel::engine::test
