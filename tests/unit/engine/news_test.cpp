#include <gtest/gtest.h>

#include "tests/support/builders.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

namespace semel::engine::test {
namespace {

using Leases = Result<std::vector<Lease>>;
using semel::test::Ids;

/// An engine whose store other servers change too: what they do is applied to the store behind its back.
class NewsTest : public ::testing::Test {
 protected:
  void SetUp() override { store.wait_for_first_maintenance(); }

  /// Another server applies the command; the news that it tells.
  News elsewhere(const Command& command) {
    const Applied applied = store.apply({&command, 1});
    News news;
    news.now = applied.now;
    news.changes = applied.changes;
    news.ready = applied.ready;
    return news;
  }
  domain::ExecutionId created_elsewhere(News* news = nullptr) {
    const Submit submit = semel::test::submission(ids);
    const News told = elsewhere(submit);
    if (news != nullptr) *news = told;
    return submit.spec.id;
  }
  Command completed_elsewhere(domain::ExecutionId id) {
    Claim claim = semel::test::claim_of(ids, 1);
    elsewhere(claim);
    EXPECT_EQ(store.find("acme", id)->state, domain::State::running);
    return Complete{"acme", claim.attempt_ids.front(), "17"};
  }
  static News missed() {
    News news;
    news.something_was_missed = true;
    return news;
  }

  /// Returns when everything that was pushed before is applied.
  void settle() {
    std::promise<void> over;
    engine.maintain([&] { over.set_value(); });
    over.get_future().get();
  }
  std::shared_ptr<Awaited<Leases>> waiting_worker() {
    auto waiting = std::make_shared<Awaited<Leases>>();
    engine.poll(owner, poll_for(60s), waiting->answer());
    settle();  // its first claim has found nothing
    return waiting;
  }

  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  semel::test::ManualClock clock;
  Ids ids;
  WatchedStore store{clock, true};
  Engine engine{store, options()};
};

TEST_F(NewsTest, OfATaskWakeAWorkerHere) {
  const auto worker = waiting_worker();
  News news;
  const domain::ExecutionId id = created_elsewhere(&news);

  store.tell(news);

  EXPECT_EQ(worker->get()->at(0).execution.spec.id, id);
}

TEST_F(NewsTest, CountInTheRatesOfQueuesHere) {
  News news;
  created_elsewhere(&news);

  store.tell(news);

  const Result<std::vector<QueueView>> queues = engine.queues(owner);
  ASSERT_EQ(queues->size(), 1u);
  EXPECT_EQ(queues->front().rates->minute.created, 1u);
}

TEST_F(NewsTest, OfAResultAnswerWhoWaitsForItHere) {
  const domain::ExecutionId id = created_elsewhere();
  const Command complete = completed_elsewhere(id);
  Awaited<Result<ResultView>> waiting;
  engine.await_result(owner, id, 60s, waiting.answer());

  store.tell(elsewhere(complete));

  EXPECT_EQ(waiting.get()->result, "17");
}

TEST_F(NewsTest, OfChangesReachWhoFollowsHere) {
  auto stream = engine.follow(owner, {}, [] {});
  ASSERT_TRUE(stream);
  News news;
  const domain::ExecutionId id = created_elsewhere(&news);

  store.tell(news);

  const EventStream::Batch batch = (*stream)->next();
  ASSERT_EQ(batch.events.size(), 1u);
  EXPECT_EQ(batch.events[0].event.id, id);
}

TEST_F(NewsTest, ThatWereMissedLetWhoWaitsLookForThemselves) {
  const auto worker = waiting_worker();
  const domain::ExecutionId closed = created_elsewhere();
  const domain::ExecutionId open = created_elsewhere();
  elsewhere(completed_elsewhere(closed));
  Awaited<Result<ResultView>> waiting;
  engine.await_result(owner, open, 60s, waiting.answer());

  store.tell(missed());
  EXPECT_EQ(worker->get()->at(0).execution.spec.id, open);
  elsewhere(Cancel{"acme", open, true});
  store.tell(missed());

  EXPECT_EQ(waiting.get()->state, domain::State::cancelled) << "not before: it was open";
}

TEST_F(NewsTest, ThatWereMissedAreAGapForWhoFollows) {
  auto stream = engine.follow(owner, {}, [] {});
  ASSERT_TRUE(stream);

  store.tell(missed());

  EXPECT_TRUE((*stream)->next().is_gap);
}

TEST_F(NewsTest, OfSettingsLetThemBeReadAnew) {
  const domain::Template mail = named("mail");
  elsewhere(PutTemplate{"acme", mail.namespace_, mail.name, mail.version, mail.document});
  domain::QueueOptions paused;
  paused.paused = true;
  elsewhere(PutQueue{"acme", "default", paused});
  EXPECT_TRUE(engine.templates(owner)->empty());

  News news;
  news.templates_changed = true;
  store.tell(news);
  EXPECT_EQ(engine.templates(owner)->size(), 1u);
  EXPECT_FALSE(engine.queue(owner, "default")->settings.paused);

  news.queues_changed = true;
  store.tell(news);
  EXPECT_TRUE(engine.queue(owner, "default")->settings.paused);
}

/// An engine that tried at once, again and again, would not hear that it is to stop, either.
TEST(News, ThatCannotBeReadAreReadAfterAPause) {
  const semel::test::ManualClock clock;
  WatchedStore store(clock, true);
  constexpr int many = 100;
  {
    const Engine engine(store, options());
    store.wait_for_first_maintenance();
    store.queues_away = many;
    News news;
    news.queues_changed = true;

    store.tell(news);
    store.queues_refused.acquire();
    store.queues_refused.acquire();  // the maintenance has tried, too
  }

  EXPECT_GT(store.queues_away, many / 2);
}

TEST_F(NewsTest, OfAKeyCountAtOnce) {
  EXPECT_FALSE(engine.requires_keys());
  domain::ApiKey key;
  key.id = "first";
  key.tenant = "acme";
  elsewhere(CreateKey{key, std::nullopt});

  News news;
  news.keys_changed = true;
  store.tell(news);

  EXPECT_TRUE(engine.requires_keys());
}

TEST_F(NewsTest, AreNotNeededToFindATemplateThatAnotherServerHasPut) {
  const domain::Template mail = named("mail");
  elsewhere(PutTemplate{"acme", mail.namespace_, mail.name, mail.version, mail.document});
  domain::Submission submission;
  submission.namespace_ = mail.namespace_;
  submission.name = mail.name;
  Awaited<SubmitAnswer> answer;

  engine.submit(owner, submission, answer.answer());

  EXPECT_TRUE(std::holds_alternative<NewTask>(answer.get()));
}

/// A server that has never led: what one that leads has begun may be done after it has ceased to lead.
TEST(News, LeaveToTheLeaderWhatOneServerDoesForAll) {
  semel::test::ManualClock clock;
  WatchedStore store(clock, true);
  store.is_leader = false;
  Engine engine(store, options());
  const auto maintain = [&] {
    std::promise<void> over;
    engine.maintain([&] { over.set_value(); });
    over.get_future().get();
  };
  Ids ids;
  const Submit submit = semel::test::submission(ids);
  const std::vector<Command> commands{submit, semel::test::claim_of(ids, 1)};
  store.apply(commands);
  clock.advance(1h);

  maintain();
  EXPECT_EQ(store.find("acme", submit.spec.id)->state, domain::State::running);

  store.is_leader = true;
  maintain();
  EXPECT_EQ(store.find("acme", submit.spec.id)->state, domain::State::timed_out);
}

}  // namespace
}  // namespace semel::engine::test
