#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// How long an identity is held, to the tick. Every case here uses the policy that takes over only what is
/// free for all.
class WindowContract : public StoreContract {
 protected:
  Submit retry(std::string_view key) { return task().key(key).reuse(Reuse::reject_duplicate); }
};
SEMEL_ON_ALL_STORES(WindowContract);

constexpr Duration tick{1};

TEST_P(WindowContract, ATtlCountsFromCreationAndEndsAtItsTick) {
  const Submit holder = task().key("a").window(ttl(60s));
  create(holder);
  advance(50s);
  complete(claim_one());

  advance(10s - tick);
  expect_held(retry("a"));

  advance(tick);
  EXPECT_EQ(expect_created(retry("a")).previous, holder.spec.id);
}

TEST_P(WindowContract, AWindowAfterClosingCountsFromClosingAndEndsAtItsTick) {
  const Submit holder = task().key("a").window(after_closing(60s));
  create(holder);
  advance(50s);
  complete(claim_one());

  advance(60s - tick);
  expect_held(retry("a"));

  advance(tick);
  EXPECT_EQ(expect_created(retry("a")).previous, holder.spec.id);
}

TEST_P(WindowContract, EveryWayOfClosingStartsTheWindow) {
  for (const State state : closed_states) {
    SCOPED_TRACE(name_of(state));
    const std::string key(name_of(state));
    const domain::ExecutionId holder = create_in(state, task().key(key).window(after_closing(60s)));

    advance(60s - tick);
    expect_held(retry(key));

    advance(tick);
    EXPECT_EQ(expect_created(retry(key)).previous, holder);
    complete(claim_one());
  }
}

TEST_P(WindowContract, AWindowOfNothingIsPassedWhenTheHolderCloses) {
  create_in(State::completed, task().key("a").window(after_closing(0s)));

  expect_created(retry("a"));
}

TEST_P(WindowContract, ForeverIsForever) {
  create_in(State::completed, task().key("a").window(forever()));

  advance(24h * 365 * 50);

  expect_held(retry("a"));
}

TEST_P(WindowContract, AnOpenHolderIsNeverFree) {
  for (const State state : {State::running, State::pending}) {
    for (const domain::Window& window : {ttl(1s), after_closing(0s), after_closing(1s), forever()}) {
      const std::string key = fmt::format("{} {}", name_of(state), describe(window));
      SCOPED_TRACE(key);
      const domain::ExecutionId holder = create_in(state, task().key(key).window(window));

      advance(24h * 365);

      for (const Reuse reuse : all_reuse) EXPECT_EQ(expect_held(task().key(key).reuse(reuse)).holder.id, holder);
      if (state == State::pending) cancel(holder);
    }
  }
}

TEST_P(WindowContract, ATtlThatPassedWhileTheHolderWasOpenEndsWithIt) {
  create(task().key("a").window(ttl(1s)));
  const domain::AttemptId attempt = claim_one();
  advance(1h);
  expect_held(retry("a"));

  complete(attempt);

  expect_created(retry("a"));
}

TEST_P(WindowContract, TheWindowBelongsToTheHolderNotToTheRequest) {
  create_in(State::completed, task().key("a").window(after_closing(60s)));
  advance(30s);

  expect_held(task().key("a").reuse(Reuse::reject_duplicate).window(ttl(1s)));

  advance(30s);
  expect_created(task().key("a").reuse(Reuse::reject_duplicate).window(forever()));
}

TEST_P(WindowContract, TheNewHolderHasItsOwnWindow) {
  create_in(State::completed, task().key("a").window(after_closing(60s)));
  advance(60s);
  create_in(State::completed, task().key("a").window(after_closing(10s)));

  advance(10s - tick);
  expect_held(retry("a"));

  advance(tick);
  expect_created(retry("a"));
}

TEST_P(WindowContract, TheWindowOutlivesARestart) {
  create_in(State::completed, task().key("a").window(after_closing(60s)));
  create_in(State::completed, task().key("b").window(ttl(60s)));
  advance(60s - tick);
  reopen();
  expect_held(retry("a"));
  expect_held(retry("b"));

  advance(tick);
  reopen();

  expect_created(retry("a"));
  expect_created(retry("b"));
}

TEST_P(WindowContract, AHolderWhoseWindowPassedIsStillFound) {
  const domain::ExecutionId id = create_in(State::completed, task().key("a").window(after_closing(1s)));
  advance(1h);

  const std::optional<Held> held = find_holder(hash_of("a"));

  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->holder.id, id);
  EXPECT_EQ(held->holder.window, after_closing(1s));
  EXPECT_TRUE(held->execution.has_value());
}

}  // namespace
}  // namespace semel::test
