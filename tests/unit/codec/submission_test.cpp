#include "api/codec/submission.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/codec/case.hpp"
#include "tests/unit/codec/decoding.hpp"

namespace semel::codec {
namespace {

using domain::Submission;
using test::ad_hoc;
using test::Case;
using test::decoded;
using test::refusal_of;

/// The refusal of an ad-hoc submission with one more member.
std::string refused(const std::string& member) { return refusal_of(decode_submission(ad_hoc(member), std::nullopt)); }

TEST(DecodeSubmission, FillsWhatIsLeftOutWithDefaults) {
  const Submission submission = decoded(R"({"handler":"send_mail"})");

  EXPECT_EQ(submission.handler, "send_mail");
  EXPECT_EQ(submission.name, std::nullopt);
  EXPECT_EQ(submission.namespace_, "default");
  EXPECT_EQ(submission.context, "{}");
  EXPECT_EQ(submission.canonical_context, "{}");
  EXPECT_EQ(submission.key, std::nullopt);
  EXPECT_EQ(submission.ttl, std::nullopt);
  EXPECT_EQ(submission.task_uuid, std::nullopt);
  EXPECT_EQ(submission.queue, std::nullopt);
  EXPECT_EQ(submission.priority, 0);
  EXPECT_EQ(submission.head_start, Duration{0});
  EXPECT_EQ(submission.run_at, std::nullopt);
  EXPECT_EQ(submission.delay, std::nullopt);
  EXPECT_EQ(submission.reuse, std::nullopt);
  EXPECT_EQ(submission.on_duplicate, std::nullopt);
  EXPECT_EQ(submission.on_payload_mismatch, std::nullopt);
  EXPECT_EQ(submission.requested_at, std::nullopt);
  EXPECT_EQ(submission.wait, std::nullopt);
  EXPECT_TRUE(submission.labels.empty());
  EXPECT_EQ(submission.traceparent, "");
}

TEST(DecodeSubmission, ReadsEveryField) {
  const Submission submission = decoded(R"({
    "namespace": "payments", "name": "charge", "version": "1.2.0", "context": { "b": 1.0, "a": [ ] },
    "idempotency_key": "order-1", "idempotency_key_ttl_seconds": 60,
    "task_uuid": "019BDDAE-b818-7d82-b7c5-bd42e5db27fc", "queue": "slow", "priority": -100,
    "priority_seconds": 5, "run_at": "2026-01-20T12:00:00+01:00", "reuse": "allow_duplicate",
    "on_duplicate": "return_existing", "on_payload_mismatch": "ignore", "requested_at": "2026-01-20T12:00:00Z",
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "labels": {"team": "billing", "x": ""},
    "wait": "60s", "max_attempts": 1, "max_retries": 0})");

  EXPECT_EQ(submission.namespace_, "payments");
  EXPECT_EQ(submission.name, "charge");
  EXPECT_EQ(submission.version, "1.2.0");
  EXPECT_EQ(submission.context, R"({ "b": 1.0, "a": [ ] })");
  EXPECT_EQ(submission.canonical_context, R"({"a":[],"b":1})");
  EXPECT_EQ(submission.key, "order-1");
  EXPECT_EQ(submission.ttl, 60s);
  EXPECT_EQ(submission.task_uuid->text(), "019bddae-b818-7d82-b7c5-bd42e5db27fc");
  EXPECT_EQ(submission.queue, "slow");
  EXPECT_EQ(submission.priority, -100);
  EXPECT_EQ(submission.head_start, 5s);
  EXPECT_EQ(submission.run_at, parse_rfc3339("2026-01-20T11:00:00Z"));
  EXPECT_EQ(submission.reuse, domain::Reuse::allow_duplicate);
  EXPECT_EQ(submission.on_duplicate, domain::OnDuplicate::return_existing);
  EXPECT_EQ(submission.on_payload_mismatch, domain::OnMismatch::ignore);
  EXPECT_EQ(submission.requested_at, parse_rfc3339("2026-01-20T12:00:00Z"));
  EXPECT_EQ(submission.traceparent, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  EXPECT_EQ(submission.labels, (domain::Labels{{"team", "billing"}, {"x", ""}}));
  EXPECT_EQ(submission.wait, 60s);
}

TEST(DecodeSubmission, ReadsADelay) { EXPECT_EQ(decoded(ad_hoc(R"("delay":"90s")")).delay, 90s); }

TEST(DecodeSubmission, TakesAnyJsonValueAsContext) {
  for (const std::string context : {"null", "true", "7", "\"text\"", "[]", "{}", "[1,{\"a\":null}]"}) {
    EXPECT_EQ(decoded(ad_hoc("\"context\":" + context)).canonical_context, context);
  }
}

TEST(DecodeSubmission, NamesTheFieldOfAWrongType) {
  const std::vector<std::string> texts{"namespace",
                                       "version",
                                       "idempotency_key",
                                       "task_id",
                                       "task_uuid",
                                       "queue",
                                       "run_at",
                                       "delay",
                                       "reuse",
                                       "on_duplicate",
                                       "wait",
                                       "requested_at",
                                       "on_payload_mismatch",
                                       "traceparent"};
  for (const std::string& field : texts) {
    for (const std::string value : {"1", "true", "null", "[]", "{}"}) {
      const std::string message = refused("\"" + field + "\":" + value);

      EXPECT_TRUE(message.starts_with(field + ": expected a string at byte ")) << message;
    }
  }
  for (const std::string field :
       {"idempotency_key_ttl_seconds", "priority", "priority_seconds", "max_attempts", "max_retries"}) {
    for (const std::string value : {"\"1\"", "true", "null", "[]", "{}"}) {
      const std::string message = refused("\"" + field + "\":" + value);

      EXPECT_TRUE(message.starts_with(field + ": expected a number at byte ")) << message;
    }
  }
  EXPECT_TRUE(refused(R"("labels":[])").starts_with("labels: expected an object at byte "));
  EXPECT_TRUE(refused(R"("labels":{"a":1})").starts_with("labels: expected a string at byte "));
  EXPECT_TRUE(
      refusal_of(decode_submission(R"({"handler":7})", std::nullopt)).starts_with("handler: expected a string"));
  EXPECT_TRUE(refusal_of(decode_submission(R"({"name":null})", std::nullopt)).starts_with("name: expected a string"));
}

TEST(DecodeSubmission, RefusesValuesOutOfRangeAndSaysTheRange) {
  const std::string name_rule = " must be 1 to 100 characters of A-Z a-z 0-9 _ . -";
  const std::string duration_rule = " must be a duration such as \"500ms\", \"30s\", \"5m\", \"2h\", \"7d\" or \"0\"";
  const std::string time_rule = " must be an RFC 3339 time such as \"2026-01-20T12:30:00Z\"";
  const std::vector<Case> cases{
      {R"("queue":"a b")", "queue" + name_rule},
      {R"("queue":"")", "queue" + name_rule},
      {R"("namespace":"a/b")", "namespace" + name_rule},
      {R"("version":"1.0")", "version '1.0' is not a semantic version such as \"1.2.0\""},
      {R"("idempotency_key":"")", "idempotency_key must not be empty; leave it out to send none"},
      {R"("task_id":"a\u0000b")", "task_id must not contain control characters"},
      {R"("idempotency_key_ttl_seconds":0)", "idempotency_key_ttl_seconds is 0; it must be from 1 to 315360000"},
      {R"("idempotency_key_ttl_seconds":315360001)",
       "idempotency_key_ttl_seconds is 315360001; it must be from 1 to 315360000"},
      {R"("idempotency_key_ttl_seconds":-5)", "idempotency_key_ttl_seconds is -5; it must be from 1 to 315360000"},
      {R"("priority":101)", "priority is 101; it must be from -100 to 100"},
      {R"("priority":-101)", "priority is -101; it must be from -100 to 100"},
      {R"("priority_seconds":31622401)", "priority_seconds is 31622401; it must be from -31622400 to 31622400"},
      {R"("delay":"-1s")", "delay" + duration_rule},
      {R"("delay":"")", "delay" + duration_rule},
      {R"("wait":"5")", "wait" + duration_rule},
      {R"("wait":"60001ms")", "wait is 60001ms; at most 1m are allowed"},
      {R"("run_at":"tomorrow")", "run_at" + time_rule},
      {R"("run_at":"2026-02-30T00:00:00Z")", "run_at" + time_rule},
      {R"("requested_at":"2026-01-20")", "requested_at" + time_rule},
      {R"("reuse":"always")",
       "reuse has an unknown value 'always'; it must be one of allow_duplicate_failed_only, reject_duplicate, "
       "allow_duplicate"},
      {R"("on_duplicate":"Reject")",
       "on_duplicate has an unknown value 'Reject'; it must be one of reject, describe, return_existing"},
      {R"("on_payload_mismatch":"")", "on_payload_mismatch has an unknown value ''; it must be one of reject, ignore"},
  };
  for (const Case& each : cases) EXPECT_EQ(refused(each.sent), each.refusal);
}

TEST(DecodeSubmission, TakesValuesAtTheEndsOfTheirRanges) {
  EXPECT_EQ(decoded(ad_hoc(R"("idempotency_key_ttl_seconds":1)")).ttl, 1s);
  EXPECT_EQ(decoded(ad_hoc(R"("idempotency_key_ttl_seconds":315360000)")).ttl, 3650 * 24h);
  EXPECT_EQ(decoded(ad_hoc(R"("idempotency_key_ttl_seconds":6e1)")).ttl, 60s) << "an integer by value";
  EXPECT_EQ(decoded(ad_hoc(R"("priority":100)")).priority, 100);
  EXPECT_EQ(decoded(ad_hoc(R"("priority_seconds":-31622400)")).head_start, -366 * 24h);
  EXPECT_EQ(decoded(ad_hoc(R"("wait":"0")")).wait, 0s);
  EXPECT_EQ(decoded(ad_hoc(R"("wait":"1m")")).wait, 60s);
}

TEST(DecodeSubmission, RefusesFractionsAndHugeNumbersWhereIntegersAreMeant) {
  for (const std::string number : {"1.5", "1e30", "9223372036854775808", "1e-1"}) {
    EXPECT_TRUE(refused("\"priority\":" + number).starts_with("priority: expected an integer of at most 64 bits"))
        << number;
  }
}

TEST(DecodeSubmission, TakesOnlyVersion7AsTheClientsId) {
  const std::string rule = "task_uuid must be a UUIDv7 such as \"019bddae-b818-7d82-b7c5-bd42e5db27fc\"";

  EXPECT_EQ(refused(R"("task_uuid":"019bddae-b818-4d82-b7c5-bd42e5db27fc")"), rule);
  EXPECT_EQ(refused(R"("task_uuid":"019bddae-b818-7d82-c7c5-bd42e5db27fc")"), rule) << "another variant";
  EXPECT_EQ(refused(R"("task_uuid":"019bddaeb8187d82b7c5bd42e5db27fc")"), rule);
  EXPECT_EQ(refused(R"("task_uuid":"")"), rule);
}

TEST(DecodeSubmission, SuggestsTheFieldThatWasMeant) {
  EXPECT_EQ(refused(R"("proirity":1)"), "unknown field 'proirity'; did you mean 'priority'?");
  EXPECT_EQ(refused(R"("Queue":"a")"), "unknown field 'Queue'; did you mean 'queue'?");
  EXPECT_EQ(refused(R"("lables":{})"), "unknown field 'lables'; did you mean 'labels'?");
  EXPECT_TRUE(refused(R"("ttl":1)").starts_with("unknown field 'ttl'; known are namespace, name, version, "));
}

TEST(DecodeSubmission, SaysHowADurationAndATimeAreWritten) {
  EXPECT_TRUE(refused(R"("delay":5)").ends_with("found a number; a duration is a text such as \"30s\""));
  EXPECT_TRUE(refused(R"("run_at":5)").ends_with("found a number; a time is a text such as \"2026-01-20T12:30:00Z\""));
}

TEST(DecodeSubmission, ShowsALongUnknownFieldCutBetweenCharacters) {
  std::string field = "x";
  for (int i = 0; i < 50; ++i) field += "é";

  EXPECT_TRUE(refused("\"" + field + "\":1").starts_with("unknown field '" + field.substr(0, 63) + "'; known are "));
  EXPECT_EQ(refused("\"reuse\":\"" + field + "\""),
            "reuse has an unknown value '" + field.substr(0, 39) +
                "'; it must be one of allow_duplicate_failed_only, reject_duplicate, allow_duplicate");
}

TEST(DecodeSubmission, RefusesAFieldGivenTwiceAlsoWhenEscaped) {
  EXPECT_EQ(refused(R"("queue":"a","queue":"a")"), "queue is given twice");
  EXPECT_EQ(refused(R"("queue":"a","\u0071ueue":"b")"), "queue is given twice");
  EXPECT_EQ(refused(R"("context":1,"context":1)"), "context is given twice");
}

TEST(DecodeSubmission, ReadsAConcurrencyKey) {
  EXPECT_EQ(decode_submission(ad_hoc(R"("concurrency_key":"customer-7")"), std::nullopt)->concurrency_key,
            "customer-7");
  EXPECT_EQ(refused(R"("concurrency_key":"")"), "concurrency_key must not be empty; leave it out to send none");
}

TEST(DecodeSubmission, ReadsHowOftenAndHowLong) {
  const auto decoded = decode_submission(
      ad_hoc(R"("max_attempts":5,"retry":{"backoff":"fibonacci","base":"2s","cap":"1m","jitter":0.5},)"
             R"("timeout_ms":1500,"deadline":"2026-01-20T12:00:00Z")"),
      std::nullopt);

  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->retry.max_attempts, 5);
  EXPECT_EQ(decoded->retry.backoff, domain::Backoff::fibonacci);
  EXPECT_EQ(decoded->retry.base, 2s);
  EXPECT_EQ(decoded->retry.cap, 1min);
  EXPECT_EQ(decoded->retry.jitter_percent, 50);
  EXPECT_EQ(decoded->timeout, 1500ms);
  EXPECT_EQ(decoded->deadline, parse_rfc3339("2026-01-20T12:00:00Z"));
  EXPECT_EQ(decode_submission(ad_hoc(R"("max_retries":0)"), std::nullopt)->retry.max_attempts, 1);
  EXPECT_EQ(decode_submission(ad_hoc(R"("deadline":"2h")"), std::nullopt)->deadline_after, 2h);
  EXPECT_EQ(decode_submission(ad_hoc(R"("max_retries":2,"max_attempts":3)"), std::nullopt)->retry.max_attempts, 3);
}

TEST(DecodeSubmission, RefusesRetriesThatCannotBeMeant) {
  const std::vector<Case> cases{
      {R"("max_attempts":0)", "max_attempts is 0; it must be from 1 to 1000"},
      {R"("max_attempts":1001)", "max_attempts is 1001; it must be from 1 to 1000"},
      {R"("max_retries":1000)", "max_retries is 1000; it must be from 0 to 999"},
      {R"("max_attempts":3,"max_retries":3)", "max_attempts and max_retries are both given and differ"},
      {R"("retry":{"backoff":"quick"})", "retry: backoff must be one of fixed, linear, exponential, fibonacci"},
      {R"("retry":{"base":"2h","cap":"1h"})", "retry: base is 2h, above the cap of 1h"},
      {R"("retry":{"jitter":1.5})", "retry: jitter must be a number from 0 to 1"},
      {R"("retry":{"jitter":"a"})", "retry: jitter must be a number from 0 to 1"},
      {R"("retry":{"pause":"1s"})", "retry: unknown field 'pause'; did you mean 'base'?"},
      {R"("retry":{"base":"400d"})", "retry: base is 400d; at most 366d are allowed"},
      {R"("timeout_ms":0)", "timeout_ms is 0; it must be from 1 to 31622400000"},
      {R"("deadline":"soon")",
       "deadline must be a time such as \"2026-01-20T12:30:00Z\", or a duration such as \"2h\""},
      {R"("deadline":"0")", "deadline must be a time such as \"2026-01-20T12:30:00Z\", or a duration such as \"2h\""},
  };
  for (const Case& each : cases) EXPECT_EQ(refused(each.sent), each.refusal) << each.sent;
}

TEST(DecodeSubmission, NeedsEitherANameOrAHandler) {
  const auto refusal = [](std::string_view body) { return refusal_of(decode_submission(body, std::nullopt)); };
  const std::string neither = "name (of a registered template) or handler (for an ad-hoc task) is required";

  EXPECT_EQ(refusal(R"({"name":"a","handler":"b"})"),
            "name and handler are both given; name submits a template's task, handler an ad-hoc task");
  EXPECT_EQ(refusal("{}"), neither);
  EXPECT_EQ(refusal(""), neither) << "an empty body is {}";
  EXPECT_EQ(refusal(R"({"handler":"a","namespace":"b"})"), "namespace needs a name");
  EXPECT_EQ(refusal(R"({"handler":"a","version":"1.0.0"})"), "version needs a name");
  EXPECT_EQ(refusal(R"({"handler":"a","run_at":"2026-01-20T12:00:00Z","delay":"1s"})"),
            "run_at and delay are both given; send one of them");
}

}  // namespace
}  // namespace semel::codec
