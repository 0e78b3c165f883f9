#include "domain/submission.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "domain/workflow/steps_text.hpp"
#include "tests/support/steps.hpp"
#include "tests/unit/domain/domain_builders.hpp"

namespace semel::domain {
namespace {

using semel::test::StepBuilder;
using test::noon;
using test::payment;
using test::refusal_of;
using test::submission_of;

const Principal principal{"acme", "key-1", all_permissions};
const ExecutionId fresh_id = *ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
const ExecutionId own_id = *ExecutionId::parse("019bddae-0000-7000-8000-000000000001");

Result<Plan> plan_for(Submission submission, const Template* template_, const QueueSettings& queue = {}) {
  return plan(std::move(submission), {principal, template_, queue, fresh_id, noon});
}

TEST(Plan, MakesTheTaskOfATemplate) {
  const Template template_ = payment();
  Submission submission = submission_of(&template_, R"({ "b": 1.0, "a": 2 })");
  submission.priority = 7;
  submission.head_start = 5s;
  submission.labels = {{"team", "billing"}};
  submission.traceparent = "00-…";

  const Result<Plan> planned = plan_for(submission, &template_);

  ASSERT_TRUE(planned);
  const ExecutionSpec& spec = planned->spec;
  EXPECT_EQ(spec.tenant, "acme");
  EXPECT_EQ(spec.id, fresh_id);
  EXPECT_FALSE(spec.client_made_id);
  EXPECT_EQ(spec.kind, Kind::task);
  EXPECT_EQ(spec.named_task, (NamedTask{named_task_uuid("acme", "payments", "process_payment"), "payments",
                                        "process_payment", "1.0.0", 3}));
  EXPECT_EQ(spec.handler, "charge_card");
  EXPECT_EQ(spec.queue, "billing");
  EXPECT_EQ(spec.priority, 7);
  EXPECT_EQ(spec.head_start, 5s);
  EXPECT_EQ(spec.context, R"({ "b": 1.0, "a": 2 })") << "the caller's text is stored";
  EXPECT_EQ(spec.key, std::nullopt);
  EXPECT_EQ(spec.fingerprint, sha256(R"({"a":2,"b":1})"));
  EXPECT_EQ(spec.created_by, "key-1");
  EXPECT_EQ(spec.labels, (Labels{{"team", "billing"}}));
  EXPECT_EQ(spec.traceparent, "00-…");
  EXPECT_EQ(planned->material, R"({"a":2,"b":1})");
}

TEST(Plan, MakesARunOfATemplateWithSteps) {
  Template template_ = payment();
  template_.handler = template_.name;
  template_.steps = {StepBuilder("charge"), StepBuilder("tell", {"charge"})};
  template_.steps[0].queue = "cards";
  template_.steps[0].retry.max_attempts = 9;
  Submission submission = submission_of(&template_, R"({"a":1})");

  const Result<Plan> usual = plan_for(submission, &template_);
  submission.queue = "slow";
  submission.retry.max_attempts = 2;
  submission.timeout = 5s;
  const Result<Plan> said = plan_for(submission, &template_);

  ASSERT_TRUE(usual && said);
  EXPECT_EQ(usual->spec.kind, Kind::workflow);
  EXPECT_EQ(usual->claimant().kind, Kind::workflow);
  EXPECT_EQ(usual->spec.handler, "process_payment");
  EXPECT_EQ(usual->step_count, 2u);
  EXPECT_EQ(usual->spec.window, (Window{Window::Kind::after_closing, default_run_retention}))
      << "runs are kept longer than tasks";
  const std::vector<Step> steps = decode_steps(usual->run.value().document).value();
  EXPECT_EQ(steps[0].queue, "cards");
  EXPECT_EQ(steps[0].retry.max_attempts, 9);
  EXPECT_EQ(steps[1].retry.max_attempts, RetryPolicy{}.max_attempts) << "nothing is left open";
  EXPECT_EQ(steps[1].retry.base, RetryPolicy{}.base);
  EXPECT_EQ(steps[1].timeout, std::nullopt);
  const std::vector<Step> slow_steps = decode_steps(said->run.value().document).value();
  for (const Step& step : slow_steps) {
    EXPECT_EQ(step.queue, "slow");
    EXPECT_EQ(step.retry.max_attempts, 2);
    EXPECT_EQ(step.timeout, 5s);
  }
  EXPECT_NE(usual->run->hash, said->run->hash);
}

TEST(Plan, MakesAnAdHocTask) {
  Submission submission = submission_of(nullptr);
  submission.key = "order-1";

  const Result<Plan> planned = plan_for(submission, nullptr);

  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->spec.named_task, std::nullopt);
  EXPECT_EQ(planned->spec.handler, "send_mail");
  EXPECT_EQ(planned->spec.queue, "default");
  EXPECT_EQ(planned->spec.key, "order-1");
  EXPECT_EQ(planned->spec.identity.mode, Mode::key);
  EXPECT_EQ(planned->spec.identity.scope, Scope::tenant);
}

TEST(Plan, TakesTheClientsOwnId) {
  Submission submission = submission_of(nullptr);
  submission.task_uuid = own_id;

  const Result<Plan> planned = plan_for(submission, nullptr);

  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->spec.id, own_id);
  EXPECT_TRUE(planned->spec.client_made_id);
}

TEST(Plan, ChoosesTheQueueOfTheRequestThenOfTheTemplateThenDefault) {
  const Template template_ = payment();
  Submission named = submission_of(&template_);
  Submission ad_hoc = submission_of(nullptr);

  EXPECT_EQ(choose_queue(named, &template_), "billing");
  EXPECT_EQ(choose_queue(ad_hoc, nullptr), "default");

  named.queue = ad_hoc.queue = "slow";

  EXPECT_EQ(choose_queue(named, &template_), "slow");
  EXPECT_EQ(choose_queue(ad_hoc, nullptr), "slow");
}

TEST(Plan, ScopesToTheQueueThatTheTaskGoesTo) {
  Template template_ = payment();
  template_.identity.scope = Scope::queue;
  Submission submission = submission_of(&template_);
  submission.queue = "slow";

  EXPECT_EQ(plan_for(submission_of(&template_), &template_)->scope_value, "billing");
  EXPECT_EQ(plan_for(submission, &template_)->scope_value, "slow");
}

TEST(Plan, LetsTheRequestDecideThenTheTemplateThenTheQueue) {
  Template template_ = payment();
  Submission submission = submission_of(&template_);
  QueueSettings queue;

  EXPECT_EQ(plan_for(submission, &template_, queue)->reuse, Reuse::allow_duplicate_failed_only);
  EXPECT_EQ(plan_for(submission, &template_, queue)->on_duplicate, OnDuplicate::reject);
  EXPECT_EQ(plan_for(submission, &template_, queue)->on_payload_mismatch, OnMismatch::reject);

  queue.reuse = Reuse::reject_duplicate;
  EXPECT_EQ(plan_for(submission, &template_, queue)->reuse, Reuse::reject_duplicate);

  template_.identity.reuse = Reuse::allow_duplicate;
  template_.identity.on_duplicate = OnDuplicate::describe;
  template_.identity.on_payload_mismatch = OnMismatch::ignore;
  EXPECT_EQ(plan_for(submission, &template_, queue)->reuse, Reuse::allow_duplicate);
  EXPECT_EQ(plan_for(submission, &template_, queue)->on_duplicate, OnDuplicate::describe);
  EXPECT_EQ(plan_for(submission, &template_, queue)->on_payload_mismatch, OnMismatch::ignore);

  submission.reuse = Reuse::allow_duplicate_failed_only;
  submission.on_duplicate = OnDuplicate::return_existing;
  submission.on_payload_mismatch = OnMismatch::reject;
  EXPECT_EQ(plan_for(submission, &template_, queue)->reuse, Reuse::allow_duplicate_failed_only);
  EXPECT_EQ(plan_for(submission, &template_, queue)->on_duplicate, OnDuplicate::return_existing);
  EXPECT_EQ(plan_for(submission, &template_, queue)->on_payload_mismatch, OnMismatch::reject);
}

TEST(Plan, FixesTheWindowByTtlThenTemplateThenQueue) {
  Template template_ = payment();
  Submission submission = submission_of(&template_);
  QueueSettings queue;

  EXPECT_EQ(plan_for(submission, &template_, queue)->spec.window, (Window{Window::Kind::after_closing, 7 * 24h}));

  queue.dedup_window = DedupWindow{DedupWindow::Kind::fixed, 3h};
  EXPECT_EQ(plan_for(submission, &template_, queue)->spec.window, (Window{Window::Kind::after_closing, 3h}));

  template_.identity.dedup_window = DedupWindow{DedupWindow::Kind::forever, {}};
  EXPECT_EQ(plan_for(submission, &template_, queue)->spec.window.kind, Window::Kind::forever);

  submission.ttl = 90s;  // also with strict, where there is no key
  EXPECT_EQ(plan_for(submission, &template_, queue)->spec.window, (Window{Window::Kind::after_creation, 90s}));
}

TEST(Plan, RefusesATtlWithNothingToIdentify) {
  const Template unique = payment(Strategy::always_unique);
  const std::string refusal = "idempotency_key_ttl_seconds needs something to identify: send an idempotency_key";
  Submission named = submission_of(&unique);
  Submission ad_hoc = submission_of(nullptr);
  named.ttl = ad_hoc.ttl = 60s;

  EXPECT_EQ(refusal_of(plan_for(named, &unique)), refusal);
  EXPECT_EQ(refusal_of(plan_for(ad_hoc, nullptr)), refusal);

  named.key = ad_hoc.key = "order-1";

  EXPECT_EQ(refusal_of(plan_for(named, &unique)), "");
  EXPECT_EQ(refusal_of(plan_for(ad_hoc, nullptr)), "");
}

TEST(Plan, LeavesTheFingerprintOutWhereNothingCanMeetIt) {
  Submission submission = submission_of(nullptr);

  EXPECT_EQ(plan_for(submission, nullptr)->spec.fingerprint, std::nullopt);

  submission.task_uuid = own_id;

  EXPECT_EQ(plan_for(submission, nullptr)->spec.fingerprint, sha256("{}"));
}

TEST(Plan, TakesTheFingerprintOfWhatFieldsAndIgnoreLeave) {
  Template fields = payment();
  fields.identity.fields = test::pointers({"/id"});
  Template ignore = payment();
  ignore.identity.ignore = test::pointers({"/at"});
  const std::string context = R"({"at":1,"id":7})";
  Submission keyed = submission_of(&fields, context);
  keyed.key = "order-1";

  EXPECT_EQ(plan_for(submission_of(&fields, context), &fields)->spec.fingerprint, sha256(R"({"/id":7})"));
  EXPECT_EQ(plan_for(submission_of(&ignore, context), &ignore)->spec.fingerprint, sha256(R"({"id":7})"));
  EXPECT_EQ(plan_for(keyed, &fields)->spec.fingerprint, sha256(R"({"/id":7})")) << "also with a key";
}

TEST(Plan, PassesOnThatAnIgnoredPointerLeadsIntoAnArrayAlsoWithAKey) {
  Template template_ = payment();
  template_.identity.ignore = test::pointers({"/lines/0"});
  Submission submission = submission_of(&template_, R"({"lines":[1]})");
  submission.key = "order-1";

  EXPECT_NE(refusal_of(plan_for(submission, &template_)), "");
}

TEST(Plan, GivesTheClaimantOfItsTask) {
  const Template template_ = payment();
  Submission submission = submission_of(&template_);
  submission.on_duplicate = OnDuplicate::describe;
  submission.on_payload_mismatch = OnMismatch::ignore;
  const Plan planned = plan_for(submission, &template_).value();

  const Claimant claimant = planned.claimant();

  EXPECT_EQ(claimant.kind, Kind::task);
  EXPECT_EQ(claimant.named_task, named_task_uuid("acme", "payments", "process_payment"));
  EXPECT_EQ(claimant.handler, "charge_card");
  EXPECT_EQ(claimant.fingerprint, sha256("{}"));
  EXPECT_EQ(claimant.on_duplicate, OnDuplicate::describe);
  EXPECT_EQ(claimant.on_payload_mismatch, OnMismatch::ignore);
}

struct Override {
  std::string field;
  std::function<void(Submission&)> set;
};

const std::vector<Override> overrides{
    {"reuse", [](Submission& submission) { submission.reuse = Reuse::allow_duplicate_failed_only; }},
    {"on_payload_mismatch", [](Submission& submission) { submission.on_payload_mismatch = OnMismatch::reject; }},
    {"idempotency_key_ttl_seconds", [](Submission& submission) { submission.ttl = 60s; }},
    {"idempotency_key", [](Submission& submission) { submission.key = "order-1"; }},
};

TEST(LockedTemplate, RefusesEveryOverrideOfItsIdentity) {
  for (const Strategy strategy : {Strategy::strict, Strategy::always_unique}) {
    Template template_ = payment(strategy);
    template_.identity.locked = true;
    for (const Override& each : overrides) {
      Submission submission = submission_of(&template_);
      each.set(submission);

      EXPECT_EQ(refusal_of(plan_for(submission, &template_)),
                each.field + " is not allowed: the identity of template payments/process_payment is locked")
          << name_of(strategy);
    }
  }
}

TEST(LockedTemplate, TakesTheKeyThatCallerProvidedNeedsButNoOtherOverride) {
  Template template_ = payment(Strategy::caller_provided);
  template_.identity.locked = true;
  for (const Override& each : overrides) {
    Submission submission = submission_of(&template_);
    submission.key = "order-1";
    each.set(submission);

    const std::string refusal = refusal_of(plan_for(submission, &template_));

    EXPECT_EQ(refusal.empty(), each.field == "idempotency_key") << each.field << ": " << refusal;
  }
}

TEST(LockedTemplate, LeavesOnDuplicateFree) {
  Template template_ = payment();
  template_.identity.locked = true;
  Submission submission = submission_of(&template_);
  submission.on_duplicate = OnDuplicate::return_existing;

  EXPECT_EQ(plan_for(submission, &template_)->on_duplicate, OnDuplicate::return_existing);
}

TEST(UnlockedTemplate, TakesEveryOverride) {
  const Template template_ = payment();
  for (const Override& each : overrides) {
    Submission submission = submission_of(&template_);
    each.set(submission);

    EXPECT_EQ(refusal_of(plan_for(submission, &template_)), "") << each.field;
  }
}

TEST(InputSchema, RefusesContextsThatDoNotFitAndSaysWhere) {
  Template template_ = payment();
  template_.input_schema =
      json::Schema::compile(R"({"properties":{"cents":{"type":"integer"}},"required":["cents"]})").value();

  const auto refused = plan_for(submission_of(&template_, R"({"cents": "7"})"), &template_);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (Error{ErrorCode::invalid_context,
                                    "the context does not fit the input_schema of template payments/process_payment "
                                    "1.0.0: /cents must be an integer",
                                    {{"/cents", "must be an integer"}}}));
  EXPECT_EQ(plan_for(submission_of(&template_), &template_).error().violations,
            (std::vector<Violation>{{"", "must have 'cents'"}}));
  EXPECT_TRUE(plan_for(submission_of(&template_, R"({"cents": 7.0})"), &template_));
}

TEST(MayRead, IsForThePermissionAndForTheKeyThatCreated) {
  const auto reader = static_cast<std::uint8_t>(Permission::tasks_read);
  const auto creator = static_cast<std::uint8_t>(Permission::tasks_create);

  EXPECT_TRUE(may_read({"acme", "key-2", reader}, "key-1"));
  EXPECT_TRUE(may_read({"acme", "key-1", creator}, "key-1"));
  EXPECT_FALSE(may_read({"acme", "key-2", creator}, "key-1"));
  EXPECT_FALSE(may_read({"acme", "key-2", static_cast<std::uint8_t>(all_permissions & ~reader)}, "key-1"));
}

}  // namespace
}  // namespace semel::domain
