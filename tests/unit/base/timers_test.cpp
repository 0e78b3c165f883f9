#include "base/timers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace semel {
namespace {

constexpr Duration never = 24h;

TEST(Timers, RunsACallbackWhenItsTimeHasCome) {
  std::latch ran(3);
  Timers timers;

  for (const Duration delay : {0ms, 1ms, 2ms}) timers.after(delay, [&] { ran.count_down(); });

  ran.wait();
}

TEST(Timers, RunsCallbacksOfOneDelayInTheOrderOfTheirCalls) {
  std::vector<int> order;
  std::latch ran(100);
  Timers timers;

  for (int i = 0; i < 100; ++i) {
    timers.after(1ms, [&, i] {
      order.push_back(i);  // all on one thread
      ran.count_down();
    });
  }

  ran.wait();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(Timers, RunsAnEarlierOneFirstAlsoWhenItWasAskedForLater) {
  std::atomic<bool> late_ran = false;
  std::latch early_ran(1);
  Timers timers;
  const Timers::Token late = timers.after(never, [&] { late_ran = true; });

  timers.after(0ms, [&] { early_ran.count_down(); });
  early_ran.wait();

  EXPECT_TRUE(timers.cancel(late));
  EXPECT_FALSE(late_ran);
}

TEST(Timers, RunsAllCallbacksOnOneThreadOfItsOwn) {
  std::set<std::thread::id> threads;
  std::latch ran(20);
  Timers timers;

  for (int i = 0; i < 20; ++i) {
    timers.after(Duration{i % 3}, [&] {
      threads.insert(std::this_thread::get_id());
      ran.count_down();
    });
  }
  ran.wait();

  EXPECT_EQ(threads.size(), 1u);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(Timers, CancelsOnceAndThenSaysThatItWasLate) {
  Timers timers;
  const Timers::Token token = timers.after(never, [] { FAIL() << "it was cancelled"; });

  EXPECT_TRUE(timers.cancel(token));
  EXPECT_FALSE(timers.cancel(token));
  EXPECT_FALSE(timers.cancel(token + 1));
}

TEST(Timers, CannotCancelWhatHasRun) {
  std::latch ran(1);
  Timers timers;
  const Timers::Token token = timers.after(0ms, [&] { ran.count_down(); });

  ran.wait();

  EXPECT_FALSE(timers.cancel(token));
}

TEST(Timers, CancelsAnotherFromACallbackButNotTheRunningOneItself) {
  std::promise<Timers::Token> told_self;
  std::promise<std::pair<bool, bool>> cancelled;
  Timers timers;
  const Timers::Token other = timers.after(never, [] { FAIL() << "it was cancelled"; });

  const Timers::Token self = timers.after(0ms, [&] {
    const Timers::Token own = told_self.get_future().get();
    cancelled.set_value({timers.cancel(other), timers.cancel(own)});
  });
  told_self.set_value(self);

  EXPECT_EQ(cancelled.get_future().get(), std::pair(true, false));
}

TEST(Timers, TakesNewCallbacksFromACallback) {
  std::latch ran(1);
  Timers timers;

  timers.after(0ms, [&] { timers.after(0ms, [&] { timers.after(1ms, [&] { ran.count_down(); }); }); });

  ran.wait();
}

TEST(Timers, NeverRunsWhatIsStillDueWhenItIsDestroyed) {
  const auto kept = std::make_shared<int>(1);
  std::atomic<bool> ran = false;
  {
    Timers timers;
    timers.after(never, [&ran, kept] { ran = true; });
    EXPECT_EQ(kept.use_count(), 2);
  }

  EXPECT_FALSE(ran);
  EXPECT_EQ(kept.use_count(), 1) << "the callback is gone, and what it held";
}

TEST(Timers, RunsNothingMoreOnceItHasStopped) {
  std::atomic<int> ran = 0;
  std::latch first_ran(1);
  Timers timers;
  timers.after(0ms, [&] {
    ++ran;
    first_ran.count_down();
  });
  first_ran.wait();

  timers.stop();
  const Timers::Token late = timers.after(0ms, [&] { ++ran; });

  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(timers.cancel(late));
}

TEST(Timers, LetsGoOfACallbackThatWasCancelled) {
  const auto kept = std::make_shared<int>(1);
  Timers timers;

  timers.cancel(timers.after(never, [kept] {}));

  EXPECT_EQ(kept.use_count(), 1);
}

TEST(Timers, RunsEachCallbackOfManyThreadsOnceUnlessItWasCancelled) {
  std::atomic<int> ran = 0;
  std::atomic<int> cancelled = 0;
  {
    std::latch all_ran(2000);
    Timers timers;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 500; ++j) {
          const Timers::Token token = timers.after(Duration{j % 2}, [&] {
            ++ran;
            all_ran.count_down();
          });
          if (j % 3 != 0 || !timers.cancel(token)) continue;
          ++cancelled;
          all_ran.count_down();
        }
      });
    }
    all_ran.wait();
    threads.clear();
  }

  EXPECT_EQ(ran + cancelled, 2000);
}

}  // namespace
}  // namespace semel
