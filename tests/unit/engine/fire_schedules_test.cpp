#include <gtest/gtest.h>

#include <future>
#include <latch>

#include "engine/engine.hpp"
#include "tests/unit/engine/fake_store.hpp"

/// What becomes of firings when the store does not take them. What becomes of them otherwise is in
/// tests/integration/firing_test.cpp.
namespace semel::engine {
namespace {

/// A store with one schedule that is due, once that is wanted.
class DueStore : public semel::test::FakeStore {
 public:
  std::atomic<bool> is_due = false;

  std::vector<domain::ScheduleRecord> due_schedules(Time, std::size_t) override {
    if (!is_due) return {};
    domain::ScheduleRecord record;
    record.tenant = "acme";
    record.name = "nightly";
    record.version = 1;
    record.handled = semel::test::ManualClock::start - 1h;
    record.next = semel::test::ManualClock::start;
    return {record};
  }
  std::optional<Time> next_schedule() override {
    const std::optional<Time> next = is_due ? std::optional(semel::test::ManualClock::start) : std::nullopt;
    if (!maintained_.try_wait()) maintained_.count_down();  // asked by one thread only
    return next;
  }

  std::vector<AdvanceSchedule> advances() const {
    std::vector<AdvanceSchedule> found;
    for (const auto& batch : batches()) {
      for (const Command& command : batch) {
        if (const auto* advance = std::get_if<AdvanceSchedule>(&command)) found.push_back(*advance);
      }
    }
    return found;
  }

  /// The engine's own first pass is over, so that only the test's own ones find what is due from then on.
  void wait_for_first_maintenance() { maintained_.wait(); }

 private:
  std::latch maintained_{1};
};

domain::ScheduleDefinition one_off() {
  domain::ScheduleDefinition definition{
      {.name = "nightly", .timing = domain::OneOff{semel::test::ManualClock::start}}, {}, "{}", "{}", std::nullopt};
  definition.task.handler = "report";
  return definition;
}

class FireSchedules : public ::testing::Test {
 protected:
  /// The engine's threads look at the store from here on.
  void start() {
    EngineOptions options;
    options.read_template = [](const std::string&) -> Result<domain::Template> { return bad_request("none"); };
    options.read_schedule = [](const std::string&, const std::string&) -> Result<domain::ScheduleDefinition> {
      return one_off();
    };
    engine_.emplace(store_, std::move(options));
    store_.wait_for_first_maintenance();
  }

  void maintain() {
    std::promise<void> over;
    engine_->maintain([&] { over.set_value(); });
    over.get_future().wait();
  }
  static bool has_advance(const std::vector<Command>& batch) {
    return std::any_of(batch.begin(), batch.end(),
                       [](const Command& command) { return std::holds_alternative<AdvanceSchedule>(command); });
  }

  DueStore store_;
  std::optional<Engine> engine_;
};

TEST_F(FireSchedules, AStoreThatTakesNoChangesIsNotAskedAtOnceAgain) {
  store_.before_outcomes = [this](std::size_t batch) {
    if (has_advance(store_.batches()[batch])) throw StoreFault("the disk is full");
  };
  start();
  store_.is_due = true;

  for (int pass = 0; pass < 3; ++pass) maintain();

  EXPECT_EQ(store_.advances().size(), 1u);  // the clock stands, so the pause is not over
}

TEST_F(FireSchedules, WhatAStoreCannotHoldIsSettledWithoutTheTask) {
  store_.outcome = [this](const Command& command) -> Outcome {
    const auto* advance = std::get_if<AdvanceSchedule>(&command);
    if (advance == nullptr) return DueStore::usual(command);
    if (advance->firings.at(0).submit) return Rejected{{ErrorCode::bad_request, "too large"}};
    store_.is_due = false;
    return ScheduleAdvanced{};
  };
  start();
  store_.is_due = true;

  maintain();

  const std::vector<AdvanceSchedule> advances = store_.advances();
  ASSERT_GE(advances.size(), 2u);
  EXPECT_TRUE(advances[0].firings.at(0).submit);
  EXPECT_FALSE(advances.back().firings.at(0).submit);
  EXPECT_EQ(advances.back().firings.at(0).refusal, "too large");
  EXPECT_EQ(advances.back().handled, semel::test::ManualClock::start);
}

}  // namespace
}  // namespace semel::engine
