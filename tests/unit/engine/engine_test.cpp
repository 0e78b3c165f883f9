#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/engine/engine_fixture.hpp"

namespace semel::engine::test {
namespace {

using domain::State;

class UseCaseTest : public EngineTest {
 protected:
  Result<ResultView> result_of(domain::ExecutionId id, Duration wait = Duration{0}) {
    return result_of(owner, id, wait);
  }
  Result<ResultView> result_of(const domain::Principal& principal, domain::ExecutionId id, Duration wait) {
    Awaited<Result<ResultView>> awaited;
    engine.await_result(principal, id, wait, awaited.answer());
    return awaited.get();
  }
  Result<CancelAnswer> cancel(domain::ExecutionId id) {
    Awaited<Result<CancelAnswer>> awaited;
    engine.cancel(owner, id, {}, awaited.answer());
    return awaited.get();
  }
  Result<Released> release(const Hash32& hash, bool force) {
    Awaited<Result<Released>> awaited;
    engine.release(owner, hash, force, awaited.answer());
    return awaited.get();
  }
};

ErrorCode code_of(const auto& result) { return result ? ErrorCode::internal : result.error().code; }

TEST_F(UseCaseTest, ShowATaskToItsCreatorAndReadersOnly) {
  const auto id = std::get<NewTask>(submit(creator, keyed("order-1"))).id;
  const domain::Principal elsewhere{"tenant-2", "key-1", domain::all_permissions};

  EXPECT_TRUE(engine.get(owner, id));
  EXPECT_TRUE(engine.get(creator, id));
  EXPECT_EQ(code_of(engine.get(nobody, id)), ErrorCode::not_found);
  EXPECT_EQ(code_of(engine.get(elsewhere, id)), ErrorCode::not_found);
  EXPECT_EQ(code_of(result_of(nobody, id, Duration{0})), ErrorCode::not_found);
  EXPECT_EQ(code_of(engine.find_by_key(nobody, {"order-1", {}, {}, {}, {}})), ErrorCode::not_found);
}

TEST_F(UseCaseTest, GiveAResultAtOnceOrWhenItComes) {
  const auto id = create(ad_hoc());
  Awaited<Result<ResultView>> waiting;

  EXPECT_EQ(result_of(id)->state, State::pending);
  EXPECT_EQ(result_of(id, 1ms)->state, State::pending) << "the time is over";
  engine.await_result(owner, id, 60s, waiting.answer());
  complete(poll()->at(0).attempt_id, "7");

  EXPECT_EQ(waiting.get()->result, "7");
  EXPECT_EQ(result_of(id, 60s)->result, "7");
}

TEST_F(UseCaseTest, EndWaitsForResultsWhenTheEngineStops) {
  const auto id = create(ad_hoc());
  Awaited<Result<ResultView>> waiting;
  engine.await_result(owner, id, 60s, waiting.answer());

  engine.stop_waiting();

  EXPECT_EQ(waiting.get()->state, State::pending);
  EXPECT_EQ(result_of(id, 60s)->state, State::pending) << "a new wait ends at once";
}

TEST_F(UseCaseTest, WhoWaitsWhileTheStoreIsAwayIsToldSo) {
  const domain::ExecutionId id = create(keyed("a"));
  Awaited<Result<ResultView>> waiting;
  engine.await_result(owner, id, 60s, waiting.answer());
  Awaited<SubmitAnswer> submitting;
  domain::Submission submission = keyed("b");
  submission.wait = 60s;
  engine.submit(owner, std::move(submission), submitting.answer());

  store.finds_nothing = true;
  engine.stop_waiting();

  EXPECT_EQ(waiting.get().error().code, ErrorCode::unavailable);
  EXPECT_TRUE(std::holds_alternative<NewTask>(submitting.get())) << "it was created, whatever can be read of it";
  EXPECT_THROW(result_of(id), StoreFault);
}

TEST_F(UseCaseTest, ALoneDuplicateIsNoReasonForAWrite) {
  create(keyed("a"));

  for (int i = 0; i < 5; ++i) submit(keyed("a"));

  EXPECT_EQ(store.tallies, 0);
  maintain();
  EXPECT_EQ(store.tallies, 1);
}

TEST_F(UseCaseTest, RecordAnOutcomeOnceAndRefuseStaleAttempts) {
  create(ad_hoc());
  const Lease lease = poll()->at(0);

  EXPECT_EQ(complete(lease.attempt_id, "1")->kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(complete(lease.attempt_id, "1")->kind, AttemptAnswer::Kind::already_recorded);
  EXPECT_EQ(code_of(complete({})), ErrorCode::stale_attempt);
}

TEST_F(UseCaseTest, ExtendALeaseByAHeartbeat) {
  create(ad_hoc());
  const Lease lease = poll()->at(0);
  Awaited<Result<AttemptAnswer>> beaten;
  Awaited<Result<AttemptAnswer>> unknown;
  clock.advance(10s);

  engine.heartbeat(owner, lease.attempt_id, 40s, std::nullopt, beaten.answer());
  engine.heartbeat(owner, {}, 40s, std::nullopt, unknown.answer());

  EXPECT_EQ(beaten.get()->lease_until, clock.now() + 40s);
  EXPECT_EQ(code_of(unknown.get()), ErrorCode::stale_attempt);
}

TEST_F(UseCaseTest, TellWaitersWhenALeaseEnds) {
  const auto id = create(ad_hoc());
  poll();
  Awaited<Result<ResultView>> waiting;
  engine.await_result(owner, id, 60s, waiting.answer());

  clock.advance(30s);
  maintain();

  EXPECT_EQ(waiting.get()->state, State::timed_out);
}

TEST_F(UseCaseTest, TellWaitersWhenATaskFailsOrIsCancelled) {
  const auto failing = create(ad_hoc());
  const Lease lease = poll()->at(0);
  const auto cancelled = create(ad_hoc());
  Awaited<Result<ResultView>> first;
  Awaited<Result<ResultView>> second;
  engine.await_result(owner, failing, 60s, first.answer());
  engine.await_result(owner, cancelled, 60s, second.answer());

  engine.fail(owner, lease.attempt_id, {R"({"message":"m","type":"t"})"}, [](Result<AttemptAnswer>) {});
  EXPECT_EQ(cancel(cancelled)->kind, CancelAnswer::Kind::cancelled);

  EXPECT_EQ(first.get()->error, R"({"message":"m","type":"t"})");
  EXPECT_EQ(second.get()->state, State::cancelled);
}

TEST_F(UseCaseTest, RefuseToCancelWhatIsClosedOrUnknown) {
  const auto id = create(ad_hoc());
  cancel(id);

  EXPECT_EQ(code_of(cancel(id)), ErrorCode::not_cancellable);
  EXPECT_EQ(code_of(cancel({})), ErrorCode::not_found);
}

TEST_F(UseCaseTest, FindTheHolderOfAKeyInItsScope) {
  put(named("charge"));
  domain::Submission of_template;
  of_template.name = "charge";
  of_template.key = "order-1";
  const auto in_tenant = create(keyed("order-1"));
  const auto in_template = create(of_template);

  const Result<KeyView> tenant_wide = engine.find_by_key(owner, {"order-1", {}, {}, {}, {}});
  const Result<KeyView> templates = engine.find_by_key(owner, {"order-1", "default", "charge", {}, {}});

  EXPECT_EQ(tenant_wide->held.holder.id, in_tenant);
  EXPECT_TRUE(tenant_wide->is_held);
  EXPECT_EQ(templates->held.holder.id, in_template);
  EXPECT_EQ(code_of(engine.find_by_key(owner, {"order-9", {}, {}, {}, {}})), ErrorCode::not_found);
}

TEST_F(UseCaseTest, SayThatAKeyIsNoLongerHeldOnceItsWindowHasPassed) {
  domain::Submission submission = keyed("order-1");
  submission.ttl = 60s;
  create(submission);
  complete(poll()->at(0).attempt_id);

  clock.advance(60s - 1ms);
  EXPECT_TRUE(engine.find_by_key(owner, {"order-1", {}, {}, {}, {}})->is_held);

  clock.advance(1ms);
  EXPECT_FALSE(engine.find_by_key(owner, {"order-1", {}, {}, {}, {}})->is_held);
}

TEST_F(UseCaseTest, ReleaseAnIdentityOfAClosedHolderOrByForce) {
  const auto id = create(keyed("order-1"));
  const Hash32 hash = engine.get(owner, id)->execution.spec.identity.hash;

  EXPECT_EQ(code_of(release(hash, false)), ErrorCode::identity_held);
  EXPECT_EQ(release(hash, true)->holder, id);
  EXPECT_FALSE(engine.find_by_key(owner, {"order-1", {}, {}, {}, {}})->is_held);
  EXPECT_EQ(code_of(release(Hash32{1}, true)), ErrorCode::not_found);
}

TEST_F(UseCaseTest, ExplainWithoutCreating) {
  const Result<ExplainView> before = engine.explain(owner, keyed("order-1"));
  create(keyed("order-1", "[1]"));
  const Result<ExplainView> readable = engine.explain(owner, keyed("order-1", "[2]"));
  const Result<ExplainView> unreadable = engine.explain(creator, keyed("order-1", "[2]"));

  EXPECT_EQ(before->explanation.action, domain::Explanation::Action::create);
  EXPECT_EQ(before->held, std::nullopt);
  EXPECT_EQ(readable->explanation.answer, domain::DuplicateAnswer::other_payload);
  EXPECT_EQ(readable->pointers, std::vector<std::string>{"/0"});
  EXPECT_TRUE(readable->held.has_value());
  EXPECT_EQ(unreadable->explanation.answer, domain::DuplicateAnswer::opaque);
  EXPECT_FALSE(unreadable->held.has_value());
  EXPECT_TRUE(unreadable->pointers.empty());
}

TEST_F(UseCaseTest, ManageTemplates) {
  put(named("charge", "1.0.0"));
  put(named("charge", "1.1.0"));
  Awaited<Result<TemplateRemoved>> removed;
  Awaited<Result<TemplateRemoved>> again;

  EXPECT_EQ(engine.template_versions(owner, "default", "charge")->size(), 2u);
  EXPECT_EQ(code_of(engine.template_versions(owner, "default", "refund")), ErrorCode::not_found);

  engine.remove_template(owner, {"", "default", "charge", ""}, removed.answer());
  EXPECT_EQ(removed.get()->count, 2);
  engine.remove_template(owner, {"", "default", "charge", ""}, again.answer());
  EXPECT_EQ(code_of(again.get()), ErrorCode::not_found);
}

TEST_F(UseCaseTest, RefuseWhoLacksThePermission) {
  Awaited<Result<AttemptAnswer>> completed, failed, beaten;
  Awaited<Result<CancelAnswer>> cancelled;
  Awaited<Result<Released>> released;
  Awaited<Result<Engine::StoredRevision>> stored;
  Awaited<Result<TemplateRemoved>> removed;

  engine.complete(nobody, {}, std::nullopt, completed.answer());
  engine.fail(nobody, {}, {"{}"}, failed.answer());
  engine.heartbeat(nobody, {}, 1s, std::nullopt, beaten.answer());
  engine.cancel(nobody, {}, {}, cancelled.answer());
  engine.release(nobody, {}, true, released.answer());
  engine.put_template(nobody, named("charge"), stored.answer());
  engine.remove_template(nobody, {"", "default", "charge", ""}, removed.answer());

  EXPECT_EQ(completed.get().error().message, "this needs the permission workers");
  EXPECT_EQ(failed.get().error().message, "this needs the permission workers");
  EXPECT_EQ(beaten.get().error().message, "this needs the permission workers");
  EXPECT_EQ(cancelled.get().error().message, "this needs the permission tasks:cancel");
  EXPECT_EQ(released.get().error().message, "this needs the permission admin");
  EXPECT_EQ(stored.get().error().message, "this needs the permission admin");
  EXPECT_EQ(removed.get().error().message, "this needs the permission admin");
  EXPECT_EQ(engine.explain(nobody, ad_hoc()).error().message, "this needs the permission tasks:create");
  EXPECT_EQ(engine.template_versions(nobody, "a", "b").error().message, "this needs the permission tasks:read");
}

TEST(EngineStart, ReadsTheStoredTemplatesAgain) {
  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  semel::test::ManualClock clock;
  store::MemoryStore store(clock);
  store.apply(std::vector<Command>{PutTemplate{"acme", "default", "charge", "1.0.0", "charge 0.9.9"},
                                   PutTemplate{"acme", "default", "charge", "1.0.0", "charge 1.0.0"}});

  Engine engine(store, options());

  const auto versions = engine.template_versions(owner, "default", "charge");
  ASSERT_EQ(versions->size(), 1u);
  EXPECT_EQ(versions->front()->revision, 2);
  EXPECT_EQ(versions->front()->document, "charge 1.0.0");
}

TEST(EngineStart, StopsAtAStoredTemplateThatItCannotRead) {
  semel::test::ManualClock clock;
  store::MemoryStore store(clock);
  store.apply(std::vector<Command>{PutTemplate{"acme", "default", "charge", "1.0.0", "nonsense"}});

  EXPECT_THROW(Engine(store, options()), StoreFault);
}

TEST(EngineEnd, AnswersWhoStillWaits) {
  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  semel::test::ManualClock clock;
  store::MemoryStore store(clock);
  Awaited<Result<std::vector<Lease>>> poll;
  Awaited<SubmitAnswer> submitted;
  {
    Engine engine(store, options());
    Engine::PollRequest request = poll_for(60s);
    request.queues = {"elsewhere"};
    engine.poll(owner, request, poll.answer());
    domain::Submission waiting = ad_hoc();
    waiting.wait = 60s;
    engine.submit(owner, waiting, submitted.answer());
  }

  EXPECT_TRUE(poll.get()->empty());
  EXPECT_TRUE(std::holds_alternative<NewTask>(submitted.get()));
}

}  // namespace
}  // namespace semel::engine::test
