#include "base/loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <optional>
#include <semaphore>
#include <thread>

namespace semel {
namespace {

TEST(Loop, RunsAPassAtOnceAndOneMoreForEachWake) {
  std::counting_semaphore<> passed{0};
  Loop loop("test", [&] {
    passed.release();
    return Loop::until_woken;
  });
  passed.acquire();

  for (int i = 0; i < 100; ++i) {
    loop.wake();
    passed.acquire();  // each wake after a pass leads to another
  }
}

TEST(Loop, RunsAPassAgainAfterTheTimeThatTheLastOneReturned) {
  std::latch passed(5);
  int left = 5;
  Loop loop("test", [&] {
    if (left == 0) return Loop::until_woken;
    --left;
    passed.count_down();
    return left % 2 == 0 ? Duration{0} : Duration{1};
  });

  passed.wait();
}

TEST(Loop, RunsOnAThreadOfItsOwn) {
  std::latch passed(1);
  std::thread::id id;
  Loop loop("test", [&] {
    id = std::this_thread::get_id();
    passed.count_down();
    return Loop::until_woken;
  });

  passed.wait();

  EXPECT_NE(id, std::this_thread::get_id());
}

/// A loop whose first pass stays in the middle until it is let go.
struct Held {
  std::latch in_first{1};
  std::latch go_on{1};
  std::atomic<int> passes = 0;
  Loop loop{"held", [this] {
              if (++passes == 1) {
                in_first.count_down();
                go_on.wait();
              }
              return Loop::until_woken;
            }};
};

TEST(Loop, RunsExactlyOneMorePassForAllWakesDuringAPass) {
  Held held;
  held.in_first.wait();
  for (int i = 0; i < 10; ++i) held.loop.wake();

  held.go_on.count_down();
  held.loop.stop();

  EXPECT_EQ(held.passes, 2);
}

TEST(Loop, FinishesTheRunningPassWhenItIsStopped) {
  Held held;
  held.in_first.wait();
  std::jthread stopper([&] { held.loop.stop(); });

  held.go_on.count_down();
  stopper.join();

  EXPECT_EQ(held.passes, 1);
}

TEST(Loop, FinishesThePassItWasWokenForBeforeItStops) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> asked = false;
    std::atomic<bool> seen = false;
    {
      Loop loop("test", [&] {
        if (asked) seen = true;
        return Loop::until_woken;
      });
      asked = true;
      loop.wake();
    }

    EXPECT_TRUE(seen);
  }
}

TEST(Loop, DoesNothingWhenItIsWokenOrStoppedAfterItStopped) {
  std::atomic<int> passes = 0;
  Loop loop("test", [&] {
    ++passes;
    return Loop::until_woken;
  });
  loop.stop();

  loop.wake();
  loop.stop();

  EXPECT_EQ(passes, 1);
}

TEST(Loop, CanBeWokenByItsOwnPass) {
  std::latch passed(3);
  Loop* self = nullptr;
  std::latch made(1);
  std::atomic<int> left = 3;
  Loop loop("a name longer than a thread's may be", [&] {
    made.wait();
    if (left == 0) return Loop::until_woken;
    passed.count_down();
    if (--left > 0) self->wake();
    return Loop::until_woken;
  });
  self = &loop;
  made.count_down();

  passed.wait();
}

TEST(Loop, LosesNoWakeOfManyThreads) {
  std::atomic<int> asked = 0;
  std::atomic<int> seen = 0;
  {
    Loop loop("test", [&] {
      seen = asked.load();
      return Loop::until_woken;
    });
    std::vector<std::jthread> wakers;
    for (int i = 0; i < 4; ++i) {
      wakers.emplace_back([&] {
        for (int j = 0; j < 1000; ++j) {
          ++asked;
          loop.wake();
        }
      });
    }
    wakers.clear();
  }

  EXPECT_EQ(seen, 4000);
}

}  // namespace
}  // namespace semel
