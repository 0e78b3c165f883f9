#include "domain/holder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace semel::domain {
namespace {

const Time created = from_ms(1'000'000);
const Time closed = from_ms(5'000'000);
constexpr Duration length = 60s;

Holder held_by(State state, Window window = {Window::Kind::after_closing, length}) {
  Holder holder;
  holder.state = state;
  holder.created_at = created;
  if (is_closed(state)) holder.closed_at = closed;
  holder.window = window;
  return holder;
}

std::string word(Verdict verdict) {
  switch (verdict) {
    case Verdict::duplicate: return "duplicate";
    case Verdict::released: return "released";
    case Verdict::window_passed: return "window_passed";
    case Verdict::reuse_allows: return "reuse_allows";
  }
  return "?";
}

struct ReuseRow {
  Reuse reuse;
  bool completed_is_free;
  bool unsuccessful_is_free;
};

// DESIGN §3.4, the table of the reuse policies.
const std::vector<ReuseRow> reuse_rows{
    {Reuse::allow_duplicate_failed_only, false, true},
    {Reuse::reject_duplicate, false, false},
    {Reuse::allow_duplicate, true, true},
};

std::string expected(const ReuseRow& row, State state, bool released, bool window_passed) {
  if (released) return "released";
  if (state == State::pending || state == State::running || state == State::suspended) return "duplicate";
  if (window_passed) return "window_passed";
  const bool free = state == State::completed ? row.completed_is_free : row.unsuccessful_is_free;
  return free ? "reuse_allows" : "duplicate";
}

TEST(Decide, FollowsTheTableForEveryReuseStateReleaseAndWindow) {
  for (const ReuseRow& row : reuse_rows) {
    for (const State state : all_states) {
      for (const bool released : {false, true}) {
        for (const bool passed : {false, true}) {
          Holder holder = held_by(state);
          if (released) holder.released_at = closed;

          const Verdict verdict = decide(holder, row.reuse, closed + length - (passed ? 0ms : 1ms));

          EXPECT_EQ(word(verdict), expected(row, state, released, passed))
              << name_of(row.reuse) << ", " << name_of(state) << ", released " << released << ", passed " << passed;
        }
      }
    }
  }
}

TEST(Decide, TakesOverForEveryVerdictButDuplicate) {
  EXPECT_FALSE(takes_over(Verdict::duplicate));
  for (const Verdict verdict : {Verdict::released, Verdict::window_passed, Verdict::reuse_allows}) {
    EXPECT_TRUE(takes_over(verdict)) << word(verdict);
  }
}

TEST(Decide, FreesAnIdentityAtTheExactTickAtWhichItsWindowEnds) {
  struct Case {
    Window window;
    Time end;
  };
  const std::vector<Case> cases{
      {{Window::Kind::after_closing, length}, closed + length},
      {{Window::Kind::after_closing, Duration{0}}, closed},
      {{Window::Kind::after_creation, 5000s}, created + 5000s},
  };

  for (const Case& each : cases) {
    const Holder holder = held_by(State::completed, each.window);

    EXPECT_EQ(decide(holder, Reuse::reject_duplicate, each.end - 1ms), Verdict::duplicate);
    EXPECT_EQ(decide(holder, Reuse::reject_duplicate, each.end), Verdict::window_passed);
    EXPECT_EQ(decide(holder, Reuse::reject_duplicate, each.end + 1ms), Verdict::window_passed);
  }
}

TEST(Decide, NeverFreesAnOpenHolderWhateverItsTtl) {
  const Holder holder = held_by(State::running, {Window::Kind::after_creation, 1s});

  EXPECT_EQ(decide(holder, Reuse::allow_duplicate, created + 100 * 365 * 24h), Verdict::duplicate);
}

TEST(Decide, FreesAHolderWhoseTtlPassedWhileItWasOpenAsSoonAsItCloses) {
  const Holder holder = held_by(State::completed, {Window::Kind::after_creation, 1s});

  EXPECT_EQ(decide(holder, Reuse::reject_duplicate, closed), Verdict::window_passed);
}

TEST(Decide, NeverFreesAForeverHolderByTime) {
  const Holder holder = held_by(State::completed, {Window::Kind::forever, Duration{0}});

  EXPECT_EQ(decide(holder, Reuse::reject_duplicate, closed + 1000 * 365 * 24h), Verdict::duplicate);
}

TEST(Decide, FreesAnOpenHolderThatWasReleasedByForce) {
  Holder holder = held_by(State::running);
  holder.released_at = created;

  EXPECT_EQ(decide(holder, Reuse::reject_duplicate, created), Verdict::released);
}

Holder tombstone(Window window) {
  Holder holder = held_by(State::completed, window);
  holder.tombstone = true;
  return holder;
}

TEST(TombstoneHolds, UntilTheWindowOfItsIdentityEnds) {
  const Holder holder = tombstone({Window::Kind::after_closing, length});

  EXPECT_TRUE(tombstone_holds(holder, {.identity = true}, closed + length - 1ms));
  EXPECT_FALSE(tombstone_holds(holder, {.identity = true}, closed + length));
}

TEST(TombstoneHolds, ForADayAfterClosingWhenTheClientMadeTheId) {
  const Holder holder = tombstone({Window::Kind::after_closing, length});

  EXPECT_TRUE(tombstone_holds(holder, {.client_made_id = true}, closed + 24h - 1ms));
  EXPECT_FALSE(tombstone_holds(holder, {.client_made_id = true}, closed + 24h));
}

TEST(TombstoneHolds, AsLongAsTheLongerOfBothClaims) {
  const TombstoneClaims both{.client_made_id = true, .identity = true};
  const Holder short_window = tombstone({Window::Kind::after_closing, 1h});
  const Holder long_window = tombstone({Window::Kind::after_closing, 48h});

  EXPECT_TRUE(tombstone_holds(short_window, both, closed + 24h - 1ms));
  EXPECT_FALSE(tombstone_holds(short_window, both, closed + 24h));
  EXPECT_TRUE(tombstone_holds(long_window, both, closed + 48h - 1ms));
  EXPECT_FALSE(tombstone_holds(long_window, both, closed + 48h));
}

TEST(TombstoneHolds, NothingWithoutAClaim) {
  EXPECT_FALSE(tombstone_holds(tombstone({Window::Kind::forever, {}}), {}, closed));
}

TEST(TombstoneHolds, NoIdentityThatWasReleased) {
  Holder holder = tombstone({Window::Kind::forever, {}});
  holder.released_at = closed;

  EXPECT_FALSE(tombstone_holds(holder, {.identity = true}, closed));
  EXPECT_TRUE(tombstone_holds(holder, {.client_made_id = true, .identity = true}, closed));
}

TEST(TombstoneHolds, AlsoAFailedIdentitySinceReuseIsTheNextRequestsChoice) {
  Holder holder = tombstone({Window::Kind::after_closing, length});
  holder.state = State::failed;

  EXPECT_TRUE(tombstone_holds(holder, {.identity = true}, closed));
}

Execution closed_execution() {
  Execution execution;
  execution.spec.id = *ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
  execution.spec.kind = Kind::workflow;
  execution.spec.named_task = NamedTask{uuid_namespace_dns(), "payments", "charge", "1.0.0", 2};
  execution.spec.handler = "charge_card";
  execution.spec.window = {Window::Kind::after_creation, 5s};
  execution.spec.fingerprint = Hash32{7};
  execution.spec.created_by = "key-1";
  execution.state = State::failed;
  execution.created_at = created;
  execution.closed_at = closed;
  execution.released_at = closed + 1ms;
  return execution;
}

TEST(Holder, IsWhatDecisionsSeeOfAnExecution) {
  const Holder holder = holder_of(closed_execution());

  EXPECT_EQ(holder.id.text(), "019bddae-b818-7d82-b7c5-bd42e5db27fc");
  EXPECT_EQ(holder.kind, Kind::workflow);
  EXPECT_EQ(holder.named_task, uuid_namespace_dns());
  EXPECT_EQ(holder.handler, "charge_card");
  EXPECT_EQ(holder.state, State::failed);
  EXPECT_EQ(holder.created_at, created);
  EXPECT_EQ(holder.closed_at, closed);
  EXPECT_EQ(holder.window, (Window{Window::Kind::after_creation, 5s}));
  EXPECT_EQ(holder.fingerprint, Hash32{7});
  EXPECT_EQ(holder.created_by, "key-1");
  EXPECT_EQ(holder.released_at, closed + 1ms);
  EXPECT_FALSE(holder.tombstone);
}

TEST(Holder, IsTheSameAsATombstoneButMarked) {
  const Holder left = tombstone_of(closed_execution());

  EXPECT_TRUE(left.tombstone);
  EXPECT_EQ(left.id, holder_of(closed_execution()).id);
  EXPECT_EQ(left.state, State::failed);
}

}  // namespace
}  // namespace semel::domain
