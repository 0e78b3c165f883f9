#include "engine/turns.hpp"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.hpp"

namespace semel::engine {
namespace {

/// Three workers that wait, of which each wake-up takes one that does its handler.
class TurnsTest : public ::testing::Test {
 protected:
  TurnsTest() {
    for (const std::string handler : {"a", "a", "b"}) {
      waiters_.add({"acme", {"mail"}, std::vector{handler}}, 24h,
                   [this, handler](bool maybe_ready) { woken_ += maybe_ready ? handler : "-"; });
    }
  }
  ~TurnsTest() override {
    waiters_.release_all();
    timers_.stop();
  }
  static HeldBack task(const std::string& handler, std::optional<Time> until) {
    return {"acme", "mail", handler, until};
  }

  const Time now_ = semel::test::ManualClock::start;
  Timers timers_;
  ReadyWaiters waiters_{timers_};
  Turns turns_{waiters_};
  std::string woken_;
};

TEST_F(TurnsTest, WakesOneAtOnceWhenItMayBeHadNow) {
  turns_.hold(task("a", now_), now_);

  EXPECT_EQ(woken_, "a");
  EXPECT_EQ(turns_.next(), std::nullopt);
}

TEST_F(TurnsTest, WakesOneWhenItsTimeHasCome) {
  turns_.hold(task("b", now_ + 2s), now_);
  turns_.hold(task("a", now_ + 1s), now_);
  turns_.hold(task("a", now_ + 1s), now_);  // the same turn
  EXPECT_EQ(turns_.next(), now_ + 1s);

  turns_.wake(now_ + 1s - 1ms);
  EXPECT_EQ(woken_, "");
  turns_.wake(now_ + 1s);
  EXPECT_EQ(woken_, "a");
  turns_.wake(now_ + 1h);

  EXPECT_EQ(woken_, "ab");
  EXPECT_EQ(turns_.next(), std::nullopt);
}

TEST_F(TurnsTest, WakesOneOfEachHandlerWhenOneThatRunsHasEnded) {
  turns_.hold(task("a", std::nullopt), now_);
  turns_.hold(task("b", std::nullopt), now_);

  turns_.ended("acme", "other");
  turns_.ended("globex", "mail");
  EXPECT_EQ(woken_, "");
  turns_.ended("acme", "mail");

  EXPECT_EQ(woken_, "ab");
  turns_.ended("acme", "mail");  // nobody is held back any more
  EXPECT_EQ(woken_, "ab");
}

}  // namespace
}  // namespace semel::engine
