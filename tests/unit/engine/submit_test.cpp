#include <gtest/gtest.h>

#include <string>

#include "tests/unit/engine/engine_fixture.hpp"
#include "tests/unit/engine/fake_store.hpp"

namespace semel::engine::test {
namespace {

using domain::DuplicateAnswer;

class SubmitTest : public EngineTest {
 protected:
  std::vector<SubmitAnswer> submit_batch(std::vector<Result<domain::Submission>> submissions) {
    Awaited<std::vector<SubmitAnswer>> awaited;
    engine.submit_batch(owner, std::move(submissions), awaited.answer());
    return awaited.get();
  }
};

DuplicateTask duplicate(const SubmitAnswer& answer) { return std::get<DuplicateTask>(answer); }
Error refusal(const SubmitAnswer& answer) { return std::get<Error>(answer); }

TEST_F(SubmitTest, CreatesATaskThatCanBeRead) {
  const NewTask task = std::get<NewTask>(submit(keyed("order-1", R"({"a":1})")));
  const Result<TaskView> view = engine.get(owner, task.id);

  EXPECT_EQ(task.task_id, "order-1");
  EXPECT_TRUE(task.key_used);
  EXPECT_EQ(task.previous, std::nullopt);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->execution.spec.context, R"({"a":1})");
  EXPECT_EQ(view->execution.state, domain::State::pending);
  EXPECT_TRUE(view->held);
}

TEST_F(SubmitTest, GivesATaskWithoutAKeyItsIdAsTaskId) {
  const NewTask task = std::get<NewTask>(submit(ad_hoc()));

  EXPECT_EQ(task.task_id, task.id.text());
  EXPECT_FALSE(task.key_used);
}

TEST_F(SubmitTest, AnswersADuplicateAndCountsIt) {
  const auto id = create(keyed("order-1"));
  domain::Submission again = keyed("order-1");
  again.on_duplicate = domain::OnDuplicate::return_existing;

  const DuplicateTask opaque = duplicate(submit(keyed("order-1")));
  const DuplicateTask existing = duplicate(submit(again));
  const DuplicateTally tally = engine.get(owner, id)->duplicates;

  EXPECT_EQ(opaque.answer, DuplicateAnswer::opaque);
  EXPECT_EQ(existing.answer, DuplicateAnswer::return_existing);
  EXPECT_EQ(existing.held.holder.id, id);
  EXPECT_EQ(existing.task_id, "order-1");
  EXPECT_EQ(tally.count, 2u);
  ASSERT_EQ(tally.last.size(), 2u);
  EXPECT_EQ(tally.last[0], (DuplicateHit{clock.now(), "key-1", "409 CONFLICT"}));
  EXPECT_EQ(tally.last[1].answer, "200");
}

TEST_F(SubmitTest, CountsADuplicateOnceAlsoAfterItWasFlushed) {
  const auto id = create(keyed("order-1"));
  for (int i = 0; i < 3; ++i) submit(keyed("order-1"));

  maintain();
  EXPECT_EQ(store.duplicates("acme", id).count, 3u);
  EXPECT_EQ(engine.get(owner, id)->duplicates.count, 3u);

  submit(keyed("order-1"));
  EXPECT_EQ(engine.get(owner, id)->duplicates.count, 4u) << "memory and table together";

  Awaited<Result<CancelAnswer>> cancelled;  // not a lease, for which the maintenance would wake, and flush
  engine.cancel(owner, id, {}, cancelled.answer());
  EXPECT_TRUE(cancelled.get()) << "the next commit takes the counts along";
  EXPECT_EQ(store.duplicates("acme", id).count, 4u);
}

TEST_F(SubmitTest, NamesThePointersOfAnotherPayloadToThoseWhoMayReadIt) {
  create(keyed("order-1", R"({"amount":1,"who":"a"})"));

  const DuplicateTask told = duplicate(submit(keyed("order-1", R"({"amount":2,"who":"a"})")));
  const DuplicateTask not_told = duplicate(submit(creator, keyed("order-1", R"({"amount":2})")));

  EXPECT_EQ(told.answer, DuplicateAnswer::other_payload);
  EXPECT_EQ(told.pointers, std::vector<std::string>{"/amount"});
  EXPECT_EQ(not_told.answer, DuplicateAnswer::opaque);
  EXPECT_TRUE(not_told.pointers.empty());
}

TEST_F(SubmitTest, TakesAnIdentityOverWhenReuseAllows) {
  const auto first = create(keyed("order-1"));
  complete(poll()->at(0).attempt_id);
  domain::Submission again = keyed("order-1");
  again.reuse = domain::Reuse::allow_duplicate;

  const NewTask second = std::get<NewTask>(submit(again));

  EXPECT_EQ(second.previous, first);
  EXPECT_FALSE(engine.get(owner, first)->held);
  EXPECT_TRUE(engine.get(owner, second.id)->held);
}

TEST_F(SubmitTest, LooksAtTheClientsIdFirst) {
  domain::Submission own = keyed("order-1");
  own.task_uuid = domain::ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
  create(own);
  domain::Submission other = own;
  other.key = "order-2";
  other.context = other.canonical_context = "[]";

  EXPECT_EQ(duplicate(submit(own)).answer, DuplicateAnswer::return_existing);
  EXPECT_TRUE(duplicate(submit(own)).held.by_id);
  EXPECT_EQ(duplicate(submit(other)).answer, DuplicateAnswer::other_payload);
}

TEST_F(SubmitTest, AnswersABatchInOrderTheFirstOfOneIdentityWins) {
  std::vector<Result<domain::Submission>> batch;
  batch.push_back(keyed("order-1"));
  batch.push_back(tl::unexpected<Error>(Error{ErrorCode::bad_request, "was refused before"}));
  batch.push_back(keyed("order-1"));
  batch.push_back(keyed("order-2"));

  const std::vector<SubmitAnswer> answers = submit_batch(std::move(batch));

  ASSERT_EQ(answers.size(), 4u);
  const NewTask first = std::get<NewTask>(answers[0]);
  EXPECT_EQ(refusal(answers[1]).message, "was refused before");
  EXPECT_EQ(duplicate(answers[2]).held.holder.id, first.id);
  EXPECT_TRUE(std::holds_alternative<NewTask>(answers[3]));
}

TEST_F(SubmitTest, AnswersABatchOfRefusalsOnly) {
  std::vector<Result<domain::Submission>> batch;
  batch.push_back(tl::unexpected<Error>(Error{ErrorCode::bad_request, "bad"}));

  EXPECT_EQ(refusal(submit_batch(std::move(batch)).at(0)).message, "bad");
}

TEST_F(SubmitTest, UsesTheNewestVersionOfATemplateUnlessOneIsNamed) {
  for (const std::string version : {"1.9.0", "1.10.0", "2.0.0-rc.1"}) put(named("charge", version));
  domain::Submission newest;
  newest.name = "charge";
  newest.context = newest.canonical_context = "1";
  domain::Submission chosen = newest;
  chosen.version = "1.9.0";
  chosen.context = chosen.canonical_context = "2";

  EXPECT_EQ(engine.get(owner, create(newest))->execution.spec.named_task->version, "2.0.0-rc.1");
  EXPECT_EQ(engine.get(owner, create(chosen))->execution.spec.named_task->version, "1.9.0");
}

TEST_F(SubmitTest, RefusesATemplateThatIsNotRegistered) {
  domain::Submission submission;
  submission.name = "charge";
  const Error unknown = refusal(submit(submission));
  put(named("charge"));
  submission.version = "9.0.0";
  const Error unknown_version = refusal(submit(submission));

  EXPECT_EQ(unknown.code, ErrorCode::not_found);
  EXPECT_EQ(unknown.message, "no template default/charge is registered; PUT it to /v1/templates first");
  EXPECT_EQ(unknown_version.message, "no template default/charge version 9.0.0 is registered; the newest is 1.0.0");
}

TEST_F(SubmitTest, TellsNamesOfTemplatesOnlyToThoseWhoMayReadThem) {
  put(named("charge"));
  domain::Submission submission;
  submission.name = "chrage";

  EXPECT_EQ(refusal(submit(owner, submission)).message,
            "no template default/chrage is registered; did you mean default/charge?");
  EXPECT_EQ(refusal(submit(creator, submission)).message,
            "no template default/chrage is registered; PUT it to /v1/templates first");
}

TEST_F(SubmitTest, NeedsThePermissionToCreate) {
  const Error error = refusal(submit(nobody, ad_hoc()));

  EXPECT_EQ(error.code, ErrorCode::forbidden);
  EXPECT_EQ(error.message, "this needs the permission tasks:create");
}

TEST_F(SubmitTest, WaitsForTheResultWhenAsked) {
  domain::Submission submission = keyed("order-1");
  submission.wait = 60s;
  domain::Submission again = submission;
  again.on_duplicate = domain::OnDuplicate::return_existing;
  Awaited<SubmitAnswer> first;
  Awaited<SubmitAnswer> second;
  engine.submit(owner, submission, first.answer());
  const Lease lease = poll(60s)->at(0);
  engine.submit(owner, again, second.answer());

  complete(lease.attempt_id, "[42]");

  const NewTask created = std::get<NewTask>(first.get());
  const DuplicateTask existing = duplicate(second.get());
  EXPECT_EQ(created.state, domain::State::completed);
  EXPECT_EQ(created.execution->result, "[42]");
  EXPECT_EQ(existing.held.holder.state, domain::State::completed);
  EXPECT_EQ(existing.held.execution->result, "[42]");
}

TEST_F(SubmitTest, AnswersWithTheStateWhenTheWaitIsOver) {
  domain::Submission submission = ad_hoc();
  submission.wait = 1ms;

  EXPECT_EQ(std::get<NewTask>(submit(submission)).state, domain::State::pending);
}

TEST(SubmitToABusyStore, IsToldToComeBackWhenTheQueueIsFull) {
  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  semel::test::FakeStore store;
  store.gate.close();
  EngineOptions small = options();
  small.commits.commands_max = 3;
  Engine engine(store, small);
  store.gate.wait_for_arrival();  // the applier is held with the first maintenance
  store.gate.open();
  std::vector<Awaited<SubmitAnswer>> answers(8);

  for (auto& each : answers) engine.submit(owner, ad_hoc(), each.answer());
  store.gate.let_through();

  int refused = 0;
  for (auto& each : answers) {
    const SubmitAnswer answer = each.get();
    const auto* error = std::get_if<Error>(&answer);
    if (error == nullptr) continue;
    ++refused;
    EXPECT_EQ(error->code, ErrorCode::unavailable);
    EXPECT_EQ(error->message, overloaded().message);
  }
  EXPECT_GE(refused, 5);
}

TEST(SubmitToABusyStore, IsRefusedWhenTheCommitFails) {
  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  semel::test::FakeStore store;
  store.before_outcomes = [](std::size_t) { throw StoreFault("the disk is full"); };
  Engine engine(store, options());
  Awaited<SubmitAnswer> answer;

  engine.submit(owner, ad_hoc(), answer.answer());

  EXPECT_EQ(refusal(answer.get()).code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace semel::engine::test
