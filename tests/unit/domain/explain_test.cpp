#include "domain/explain.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/domain/domain_builders.hpp"

namespace semel::domain {
namespace {

using test::noon;
using Action = Explanation::Action;

Plan planned(Reuse reuse = Reuse::allow_duplicate_failed_only, OnDuplicate on_duplicate = OnDuplicate::describe) {
  static const Template template_ = test::payment();
  static const Principal principal{"acme", "key-1", all_permissions};
  Submission submission = test::submission_of(&template_);
  submission.reuse = reuse;
  submission.on_duplicate = on_duplicate;
  return plan(std::move(submission), {principal, &template_, {}, {}, noon}).value();
}

/// Holds the identity of `plan`, as another submission of the same would.
Holder holder_for(const Plan& plan, State state) {
  Holder holder;
  holder.named_task = plan.claimant().named_task;
  holder.fingerprint = plan.spec.fingerprint;
  holder.state = state;
  holder.created_at = noon - 2h;
  if (is_closed(state)) holder.closed_at = noon - 1h;
  holder.window = {Window::Kind::after_closing, 24h};
  return holder;
}

TEST(Explain, SaysThatAFreeIdentityCreates) {
  const Explanation explanation = explain(planned(), std::nullopt, false, false, noon);

  EXPECT_EQ(explanation.action, Action::create);
  EXPECT_EQ(explanation.verdict, std::nullopt);
  EXPECT_EQ(explanation.answer, std::nullopt);
  EXPECT_EQ(explanation.window_end, std::nullopt);
  EXPECT_EQ(explanation.why, "No execution holds this identity.");
}

TEST(Explain, SaysThatNothingIdentifiesAUniqueSubmission) {
  Plan plan = planned();
  plan.spec.identity = Identity{};

  EXPECT_EQ(explain(plan, std::nullopt, false, false, noon).why,
            "Nothing identifies this submission (always_unique and no idempotency_key), so each one creates "
            "a task.");
}

TEST(Explain, SaysWhyAnIdentityIsTakenOver) {
  struct Case {
    Verdict verdict;
    State state;
    bool released;
    Duration window;
    std::string why;
  };
  const std::vector<Case> cases{
      {Verdict::released, State::running, true, 24h, "The holder's identity was released on purpose."},
      {Verdict::window_passed, State::completed, false, 1h, "The holder is closed and its window has passed."},
      {Verdict::reuse_allows, State::timed_out, false, 24h,
       "The holder is timed_out and reuse is allow_duplicate_failed_only."},
  };
  for (const Case& each : cases) {
    const Plan plan = planned();
    Holder holder = holder_for(plan, each.state);
    holder.window.length = each.window;
    if (each.released) holder.released_at = noon - 1s;

    const Explanation explanation = explain(plan, holder, false, true, noon);

    EXPECT_EQ(explanation.action, Action::take_over);
    EXPECT_EQ(explanation.verdict, each.verdict);
    EXPECT_EQ(explanation.answer, std::nullopt);
    EXPECT_EQ(explanation.why, each.why);
  }
}

TEST(Explain, SaysWhyADuplicateIsOneAndWhenItsWindowEnds) {
  const Plan plan = planned();

  const Explanation open = explain(plan, holder_for(plan, State::running), false, true, noon);
  const Explanation done = explain(plan, holder_for(plan, State::completed), false, true, noon);

  EXPECT_EQ(open.action, Action::duplicate);
  EXPECT_EQ(open.verdict, Verdict::duplicate);
  EXPECT_EQ(open.answer, DuplicateAnswer::describe);
  EXPECT_EQ(open.window_end, std::nullopt);
  EXPECT_EQ(open.why, "The holder is running, and an open holder is never free. The answer describes the holder.");
  EXPECT_EQ(done.action, Action::duplicate);
  EXPECT_EQ(done.window_end, noon + 23h);
  EXPECT_EQ(done.why,
            "The holder is completed, its window has not passed, and reuse is allow_duplicate_failed_only. "
            "The answer describes the holder.");
}

TEST(Explain, SaysHowEachDuplicateWouldBeAnswered) {
  const Plan rejecting = planned(Reuse::reject_duplicate, OnDuplicate::reject);
  const Plan returning = planned(Reuse::reject_duplicate, OnDuplicate::return_existing);
  Holder other_payload = holder_for(returning, State::running);
  other_payload.fingerprint = Hash32{9};
  Holder other_subject = holder_for(returning, State::running);
  other_subject.named_task = uuid_namespace_dns();
  const std::string open = "The holder is running, and an open holder is never free.";

  EXPECT_EQ(explain(rejecting, holder_for(rejecting, State::running), false, true, noon).why,
            open + " The answer tells nothing of the holder.");
  EXPECT_EQ(explain(returning, holder_for(returning, State::running), false, true, noon).why,
            open + " The answer is the holder itself.");
  EXPECT_EQ(explain(returning, other_payload, false, true, noon).why, open + " The payload differs from the holder's.");
  EXPECT_EQ(explain(returning, other_subject, false, true, noon).why,
            open + " The holder is another kind of execution, named task or handler.");
}

TEST(Explain, LooksAtTheClientsIdBeforeReuseAndWindow) {
  const Plan plan = planned(Reuse::allow_duplicate);
  Holder holder = holder_for(plan, State::failed);
  holder.window.length = Duration{0};

  const Explanation same = explain(plan, holder, true, true, noon);
  holder.fingerprint = Hash32{9};
  const Explanation other = explain(plan, holder, true, true, noon);

  EXPECT_EQ(same.action, Action::same_id);
  EXPECT_EQ(same.verdict, std::nullopt);
  EXPECT_EQ(same.answer, DuplicateAnswer::return_existing);
  EXPECT_EQ(same.why, "An execution with this task_uuid exists. The answer is the holder itself.");
  EXPECT_EQ(other.answer, DuplicateAnswer::other_payload);
}

/// Everything that could differ between two explanations.
std::string told(const Explanation& explanation) {
  return std::to_string(static_cast<int>(explanation.action)) + "|" +
         (explanation.verdict ? std::to_string(static_cast<int>(*explanation.verdict)) : "-") + "|" +
         (explanation.answer ? std::to_string(static_cast<int>(*explanation.answer)) : "-") + "|" +
         (explanation.window_end ? to_rfc3339(*explanation.window_end) : "-") + "|" + explanation.why;
}

TEST(Explain, TellsTheSameOfEveryHolderThatMayNotBeRead) {
  const Plan plan = planned(Reuse::reject_duplicate);
  for (const bool by_id : {false, true}) {
    const std::string expected = told(explain(plan, holder_for(plan, State::pending), by_id, false, noon));
    for (const State state : all_states) {
      for (const bool other : {false, true}) {
        Holder holder = holder_for(plan, state);
        if (other) holder.fingerprint = Hash32{9};
        if (other) holder.named_task = std::nullopt;
        holder.tombstone = other;

        const Explanation explanation = explain(plan, holder, by_id, false, noon);

        EXPECT_EQ(told(explanation), expected) << name_of(state);
        EXPECT_EQ(explanation.answer, DuplicateAnswer::opaque);
        EXPECT_EQ(explanation.window_end, std::nullopt);
        EXPECT_EQ(explanation.verdict, std::nullopt);
      }
    }
  }
}

TEST(Explain, TellsOnlyThatAnUnreadableHolderCanBeTakenOver) {
  const Plan plan = planned(Reuse::allow_duplicate);
  Holder released = holder_for(plan, State::running);
  released.released_at = noon;
  Holder passed = holder_for(plan, State::completed);
  passed.window.length = 1h;

  for (const Holder& holder : {released, passed, holder_for(plan, State::failed)}) {
    const Explanation explanation = explain(plan, holder, false, false, noon);

    EXPECT_EQ(explanation.action, Action::take_over);
    EXPECT_EQ(explanation.why, "The identity can be taken over.");
    EXPECT_EQ(explanation.verdict, std::nullopt);
    EXPECT_EQ(explanation.window_end, std::nullopt);
  }
}

}  // namespace
}  // namespace semel::domain
