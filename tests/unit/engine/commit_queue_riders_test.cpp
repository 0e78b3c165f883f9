#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <thread>

#include "tests/unit/engine/commit_queue_fixture.hpp"

namespace semel::engine::queue_test {
namespace {

TEST(CommitQueue, LetsARiderJoinOnlyBatchesThatWrite) {
  std::atomic<int> asked = 0;
  std::atomic<int> answered = 0;
  const auto rider = [&]() -> std::optional<CommitQueue::Entry> {
    ++asked;
    return CommitQueue::Entry{RecordDuplicates{}, [&](Committed) { ++answered; }};
  };
  FakeStore store;
  CommitQueue queue(store, {}, uncounted(), rider);
  const auto push_and_wait = [&](Command command) {
    std::latch done(1);
    EXPECT_TRUE(queue.push(std::move(command), [&](Committed) { done.count_down(); }));
    done.wait();
  };

  push_and_wait(Claim{});
  push_and_wait(ExpireLeases{});
  push_and_wait(PromoteDue{});
  push_and_wait(Submit{});  // perhaps a duplicate
  EXPECT_EQ(asked, 0);

  push_and_wait(numbered(1));
  queue.close();

  EXPECT_EQ(asked, 1);
  EXPECT_EQ(answered, 1);
  EXPECT_EQ(store.batch_sizes(), (Sizes{1, 1, 1, 1, 2}));
  EXPECT_TRUE(std::holds_alternative<RecordDuplicates>(store.batches()[4][1])) << "it comes last";
}

TEST(CommitQueue, TakesWhatTheHeraldPushesIntoTheSameCommit) {
  FakeStore store;
  CommitQueue* self = nullptr;
  std::latch done(2);
  const CommitQueue::Done count_down = [&](const Committed&) { done.count_down(); };
  const auto herald = [&](const Command& command) {
    if (std::holds_alternative<Claim>(command)) return;
    EXPECT_TRUE(self->push(Claim{}, count_down));
  };
  CommitQueue queue(store, {}, uncounted(), no_rider, [](const Applied&) {}, herald);
  self = &queue;

  EXPECT_TRUE(queue.push(numbered(1), count_down));
  done.wait();

  EXPECT_EQ(store.batch_sizes(), (Sizes{2}));
  EXPECT_TRUE(std::holds_alternative<Claim>(store.batches()[0][1]));
}

TEST(CommitQueue, TellsTheRiderWhenTheStoreFails) {
  std::promise<bool> rode;
  FakeStore store;
  store.before_outcomes = [](std::size_t) { throw StoreFault("no"); };
  CommitQueue queue(store, {}, uncounted(), [&]() -> std::optional<CommitQueue::Entry> {
    return CommitQueue::Entry{RecordDuplicates{},
                              [&](Committed committed) { rode.set_value(committed.outcome.has_value()); }};
  });

  EXPECT_TRUE(queue.push(numbered(1), nothing));

  EXPECT_FALSE(rode.get_future().get());
}

TEST(CommitQueue, TellsTheObserverOfACommitBeforeItsCallers) {
  std::vector<std::string> order;
  std::promise<void> over;
  FakeStore store;
  CommitQueue queue(store, {}, uncounted(), no_rider, [&](const Applied& applied) {
    order.push_back("observer of " + std::to_string(applied.outcomes.size()));
  });

  EXPECT_TRUE(queue.push(numbered(1), [&](const Committed&) {
    order.push_back("caller");
    over.set_value();
  }));

  over.get_future().wait();
  EXPECT_EQ(order, (std::vector<std::string>{"observer of 1", "caller"}));
}

}  // namespace
}  // namespace semel::engine::queue_test
