#include "domain/state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace semel::domain {
namespace {

// Written from the words of the design, not from the code: one row a state, one column an event, in the order
// claimed, completed, failed, failed_after_cancel, lease_ended, lease_ended_after_cancel, cancelled,
// cancelled_by_force, retried, deadline_passed, reopened, suspended, resumed, resolved, rejected.
const std::map<std::string, std::array<std::string, 15>> expected_after{
    {"pending",
     {"running", "-", "-", "-", "-", "-", "cancelled", "cancelled", "-", "timed_out", "-", "suspended", "-",
      "completed", "failed"}},
    {"running",
     {"-", "completed", "failed", "cancelled", "timed_out", "cancelled", "-", "cancelled", "pending", "-", "-", "-",
      "-", "-", "-"}},
    {"suspended",
     {"-", "completed", "failed", "-", "-", "-", "cancelled", "cancelled", "-", "timed_out", "-", "-", "pending",
      "completed", "failed"}},
    {"completed", {"-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}},
    {"failed", {"-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "pending", "-", "-", "-", "-"}},
    {"cancelled", {"-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "pending", "-", "-", "-", "-"}},
    {"timed_out", {"-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "pending", "-", "-", "-", "-"}},
};

TEST(State, GoesWhereTheTableSaysForEveryStateAndEvent) {
  ASSERT_EQ(expected_after.size(), all_states.size());

  for (const State state : all_states) {
    const auto& row = expected_after.at(std::string(name_of(state)));
    for (std::size_t i = 0; i < all_events.size(); ++i) {
      const std::optional<State> after = next(state, all_events[i]);

      EXPECT_EQ(after ? name_of(*after) : "-", row[i]) << name_of(state) << ", event " << i;
    }
  }
}

TEST(State, HasNoWayOutOfAClosedStateButReopening) {
  for (const State state : all_states) {
    const bool has_way_out = std::any_of(all_events.begin(), all_events.end(), [&](Event event) {
      return event != Event::reopened && next(state, event).has_value();
    });

    EXPECT_EQ(has_way_out, is_open(state)) << name_of(state);
  }
  EXPECT_FALSE(next(State::completed, Event::reopened).has_value());
}

TEST(State, IsOpenWhilePendingRunningOrSuspended) {
  for (const State state : {State::pending, State::running, State::suspended}) EXPECT_TRUE(is_open(state));
  for (const State state : {State::completed, State::failed, State::cancelled, State::timed_out}) {
    EXPECT_TRUE(is_closed(state)) << name_of(state);
  }
}

TEST(State, KeepsTheNumbersThatStoresHaveWritten) {
  EXPECT_EQ(static_cast<int>(State::pending), 0);
  EXPECT_EQ(static_cast<int>(State::running), 1);
  EXPECT_EQ(static_cast<int>(State::suspended), 2);
  EXPECT_EQ(static_cast<int>(State::completed), 3);
  EXPECT_EQ(static_cast<int>(State::failed), 4);
  EXPECT_EQ(static_cast<int>(State::cancelled), 5);
  EXPECT_EQ(static_cast<int>(State::timed_out), 6);
}

}  // namespace
}  // namespace semel::domain
