#include <gtest/gtest.h>

#include <string>

#include "api/codec/answers.hpp"
#include "tests/support/json.hpp"

namespace semel::codec {
namespace {

using Json = nlohmann::json;
using domain::Execution;
using domain::State;

const std::string viewed_id_text = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
const domain::ExecutionId id = *domain::ExecutionId::parse(viewed_id_text);
const Time noon = from_ms(1768910400000);
const std::string noon_text = "2026-01-20T12:00:00.000Z";

Execution execution_in(State state) {
  Execution execution;
  execution.spec.id = id;
  execution.spec.tenant = "acme";
  execution.spec.handler = "charge_card";
  execution.spec.queue = "billing";
  execution.spec.context = R"({"n":9007199254740993})";
  execution.spec.created_by = "key-1";
  execution.state = state;
  execution.created_at = noon;
  execution.run_at = noon;
  execution.attempt = 1;
  return execution;
}

Json parsed(const Encoded& encoded) { return Json::parse(encoded.body); }

TEST(TaskView, ShowsAnAdHocTaskWithoutIdentity) {
  const Encoded encoded = encode_task({execution_in(State::pending), {}, {}, {"acme", id, 0, {}}, false, std::nullopt});

  EXPECT_EQ(encoded.status, 200);
  EXPECT_EQ(encoded.body,
            R"({"task_uuid":")" + viewed_id_text + R"(","task_id":")" + viewed_id_text +
                R"(","kind":"task","status":"pending","handler":"charge_card","queue":"billing","priority":0,)"
                R"("created_at":")" +
                noon_text + R"(","run_at":")" + noon_text +
                R"(","created_by":"key-1","context":{"n":9007199254740993},"max_attempts":3,)"
                R"("retry":{"backoff":"exponential","base":"1s","cap":"1h","jitter":0.2},)"
                R"("identity":{"mode":"none","strategy":"always_unique"},"attempts":[],)"
                R"("duplicates":{"at_least":0,"last":[]}})");
}

TEST(TaskView, ShowsIdentityAttemptsAndDuplicates) {
  engine::TaskView view{
      execution_in(State::failed), {}, {}, {"acme", id, 7, {{noon, "key-2", "409 CONFLICT"}}}, true, noon + 1h};
  view.execution.spec.named_task =
      domain::NamedTask{domain::named_task_uuid("acme", "pay", "charge"), "pay", "charge", "1.0.0", 2};
  view.execution.spec.identity = {domain::Mode::context, domain::Strategy::strict, domain::Scope::template_, 3600, {}};
  view.execution.spec.window = {domain::Window::Kind::after_creation, 90s};
  view.execution.spec.labels = {{"team", "x"}};
  view.execution.closed_at = noon;
  domain::Attempt attempt;
  attempt.id = *domain::AttemptId::parse(viewed_id_text);
  attempt.worker = "w";
  attempt.started_at = attempt.lease_until = noon;
  attempt.outcome = domain::AttemptOutcome::failed;
  attempt.error = R"({"message":"m","type":"t"})";
  attempt.stale_results = 2;
  attempt.last_heartbeat_at = noon + 5s;
  view.attempts = {attempt};

  const Json task = parsed(encode_task(view));

  EXPECT_EQ(task["namespace"], "pay");
  EXPECT_EQ(task["version"], "1.0.0");
  EXPECT_EQ(task["revision"], 2);
  EXPECT_EQ(task["labels"], Json::parse(R"({"team":"x"})"));
  EXPECT_EQ(task["identity"]["mode"], "context");
  EXPECT_EQ(task["identity"]["scope"], "template");
  EXPECT_EQ(task["identity"]["bucket"], 3600);
  EXPECT_EQ(task["identity"]["window"], "90s after creation");
  EXPECT_EQ(task["identity"]["held"], true);
  EXPECT_EQ(task["identity"]["window_end"], "2026-01-20T13:00:00.000Z");
  EXPECT_EQ(task["attempts"][0]["outcome"], "failed");
  EXPECT_EQ(task["attempts"][0]["stale_results"], 2);
  EXPECT_EQ(task["attempts"][0]["last_heartbeat_at"], "2026-01-20T12:00:05.000Z");
  EXPECT_EQ(task["attempts"][0]["dispatch_id"], "dispatch:" + viewed_id_text + ":charge_card:1");
  EXPECT_EQ(task["duplicates"]["at_least"], 7);
  EXPECT_EQ(task["duplicates"]["last"][0]["answer"], "409 CONFLICT");
}

TEST(ResultView, Is202WhileOpenAnd200OnceClosed) {
  const Encoded open = encode_result({State::running, std::nullopt, std::nullopt, std::nullopt});
  const Encoded done = encode_result({State::completed, noon, "null", std::nullopt});
  const Encoded failed = encode_result({State::failed, noon, std::nullopt, R"({"message":"m","type":"t"})"});

  EXPECT_EQ(open.status, 202);
  EXPECT_EQ(open.body, R"({"status":"running"})");
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.body, R"({"status":"completed","closed_at":")" + noon_text + R"(","result":null})");
  EXPECT_EQ(failed.body,
            R"({"status":"failed","closed_at":")" + noon_text + R"(","error":{"message":"m","type":"t"}})");
}

TEST(CancelAnswer, Is200WhenCancelledAnd202WhenAsked) {
  const Encoded cancelled = encode_cancel(id, {CancelAnswer::Kind::cancelled, State::cancelled, ""});
  const Encoded asked = encode_cancel(id, {CancelAnswer::Kind::requested, State::running, ""});

  EXPECT_EQ(cancelled.status, 200);
  EXPECT_EQ(cancelled.body, R"({"task_uuid":")" + viewed_id_text + R"(","status":"cancelled"})");
  EXPECT_EQ(asked.status, 202);
  EXPECT_EQ(asked.body, R"({"task_uuid":")" + viewed_id_text + R"(","status":"running","cancel_requested":true})");
}

TEST(LeaseAnswer, CarriesWhatAWorkerNeeds) {
  const Encoded encoded =
      encode_leases({{execution_in(State::running), *domain::AttemptId::parse(viewed_id_text), noon}});

  EXPECT_EQ(encoded.body,
            R"({"leases":[{"attempt_id":")" + viewed_id_text + R"(","task_uuid":")" + viewed_id_text +
                R"(","task_id":")" + viewed_id_text +
                R"(","handler":"charge_card","queue":"billing","attempt":1,"context":{"n":9007199254740993},)"
                R"("lease_expires_at":")" +
                noon_text + R"(","effect_key":")" + viewed_id_text + R"(","dispatch_id":"dispatch:)" + viewed_id_text +
                R"(:charge_card:1","external_id":")" +
                Json::parse(encoded.body)["leases"][0]["external_id"].get<std::string>() + R"("}]})");
  EXPECT_EQ(encode_leases({}).body, R"({"leases":[]})");
}

TEST(AttemptView, SaysWhatBecameOfTheTask) {
  semel::AttemptAnswer answer;
  answer.kind = semel::AttemptAnswer::Kind::recorded;
  answer.execution_id = id;
  answer.state = State::completed;
  answer.lease_until = noon;
  answer.should_cancel = true;

  EXPECT_EQ(encode_attempt(answer).body, R"({"task_uuid":")" + viewed_id_text + R"(","status":"completed"})");
  EXPECT_EQ(encode_heartbeat(answer).body, R"({"lease_expires_at":")" + noon_text + R"(","should_cancel":true})");

  answer.kind = semel::AttemptAnswer::Kind::already_recorded;
  EXPECT_EQ(encode_attempt(answer).body,
            R"({"task_uuid":")" + viewed_id_text + R"(","status":"completed","already_recorded":true})");
}

TEST(OutcomesView, AnswersEachOutcomeAlone) {
  semel::AttemptAnswer answer;
  answer.execution_id = id;
  answer.state = State::failed;

  EXPECT_EQ(encode_outcomes({answer, tl::unexpected<Error>(Error{ErrorCode::stale_attempt, "late"})}).body,
            R"({"results":[{"status":200,"body":{"task_uuid":")" + viewed_id_text +
                R"(","status":"failed"}},{"status":409,"body":{"error":{"code":"STALE_ATTEMPT","message":"late"}}}]})");
}

domain::Plan plan_of(const domain::Template* template_, std::optional<std::string> key) {
  static const domain::Principal principal{"acme", "key-1", domain::all_permissions};
  domain::Submission submission;
  if (template_ == nullptr) submission.handler = "send_mail";
  submission.key = std::move(key);
  return domain::plan(std::move(submission), {principal, template_, {}, id, noon}).value();
}

TEST(ExplainView, ShowsTheMaterialAndWhatWouldHappen) {
  domain::Template template_;
  template_.namespace_ = "pay";
  template_.name = "charge";
  template_.version = "1.0.0";
  engine::ExplainView view;
  view.plan = plan_of(&template_, std::nullopt);
  view.explanation = domain::explain(view.plan, std::nullopt, false, false, noon);

  const Json shown = parsed(encode_explain(view));

  EXPECT_EQ(shown["would"], "create");
  EXPECT_EQ(shown["status"], 201);
  EXPECT_EQ(shown["identity"]["material"], "{}");
  EXPECT_EQ(shown["identity"]["hash"], to_hex(view.plan.spec.identity.hash));
  EXPECT_EQ(shown["identity"]["scope_value"].get<std::string>().size(), 32u) << "16 bytes in hexadecimal";
  EXPECT_EQ(shown["reuse"], "allow_duplicate_failed_only");
  EXPECT_FALSE(shown.contains("holder"));
}

TEST(ExplainView, ShowsTheHolderOnlyWhenItIsGiven) {
  engine::ExplainView view;
  view.plan = plan_of(nullptr, "order-1");
  Execution execution = execution_in(State::completed);
  execution.spec.handler = "send_mail";
  execution.spec.fingerprint = Hash32{9};
  execution.closed_at = noon;
  const domain::Holder holder = domain::holder_of(execution);

  view.explanation = domain::explain(view.plan, holder, false, false, noon - 1ms);
  const Json hidden = parsed(encode_explain(view));

  EXPECT_EQ(hidden["would"], "duplicate");
  EXPECT_EQ(hidden["status"], 409);
  EXPECT_EQ(hidden["answer"], "409 CONFLICT");
  EXPECT_FALSE(hidden.contains("holder"));
  EXPECT_EQ(encode_explain(view).body.find(viewed_id_text), std::string::npos);

  view.explanation = domain::explain(view.plan, holder, false, true, noon - 1ms);
  view.held = Held{holder, execution, false};
  view.pointers = {"/n"};
  const Json shown = parsed(encode_explain(view));

  EXPECT_EQ(shown["status"], 422);
  EXPECT_EQ(shown["holder"]["execution_id"], viewed_id_text);
  EXPECT_EQ(shown["holder"]["window_end"], noon_text);
  EXPECT_EQ(shown["pointers"], Json::parse(R"(["/n"])"));
}

TEST(KeyView, SaysWhetherTheKeyIsHeld) {
  Execution execution = execution_in(State::completed);
  execution.spec.key = "order-1";
  execution.closed_at = execution.released_at = noon;
  Held held{domain::holder_of(execution), execution, false};

  const Json shown = parsed(encode_key({held, false, noon}));
  held.execution.reset();
  held.holder.tombstone = true;
  const Json tombstone = parsed(encode_key({held, true, noon}));

  EXPECT_EQ(shown["held"], false);
  EXPECT_EQ(shown["idempotency_key"], "order-1");
  EXPECT_EQ(shown["holder"]["released_at"], noon_text);
  EXPECT_EQ(tombstone["held"], true);
  EXPECT_FALSE(tombstone.contains("task_uuid"));
  EXPECT_EQ(tombstone["holder"]["result_expired"], true);
}

TEST(TemplateView, Is201OnlyForAFirstRevisionThatIsNew) {
  domain::Template template_;
  template_.namespace_ = "pay";
  template_.name = "charge";
  template_.version = "1.0.0";
  template_.document = "{}";
  const auto status = [&](int revision, bool changed) {
    template_.revision = revision;
    return encode_stored_template({template_, changed}, "acme").status;
  };

  EXPECT_EQ(status(1, true), 201);
  EXPECT_EQ(status(1, false), 200);
  EXPECT_EQ(status(2, true), 200);
  EXPECT_EQ(parsed(encode_template(template_, "acme"))["named_task_uuid"],
            domain::named_task_uuid("acme", "pay", "charge").text());
}

}  // namespace
}  // namespace semel::codec
