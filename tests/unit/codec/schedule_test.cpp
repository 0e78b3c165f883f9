#include "api/codec/schedule.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/codec/answers.hpp"
#include "tests/unit/codec/case.hpp"
#include "tests/unit/codec/decoding.hpp"

namespace semel::codec {
namespace {

using test::Case;
using test::refusal_of;

std::string daily_with(const std::string& member) {
  return R"({"cron":"@daily","task":{"handler":"report"},)" + member + "}";
}
std::string daily_task(const std::string& member) {
  return R"({"cron":"@daily","task":{"handler":"report",)" + member + "}}";
}

TEST(DecodeSchedule, ReadsEveryField) {
  const auto read =
      decode_schedule("nightly", R"({"cron":" 30 2 * * * ","time_zone":"Europe/Berlin","missed":"catch_up",
      "catch_up_max":1000,"overlap":"cancel_previous","start":"2026-01-01T00:00:00Z","end":"2027-01-01T00:00:00+01:00",
      "paused":true,"task":{"handler":"report","context":{"big":9007199254740993,"one": 1.0}}})");

  ASSERT_TRUE(read) << read.error().message;
  const domain::Schedule& schedule = read->schedule;
  EXPECT_EQ(schedule.name, "nightly");
  const auto& recurring = std::get<domain::Recurring>(schedule.timing);
  EXPECT_EQ(recurring.cron.text(), "30 2 * * *");
  EXPECT_EQ(recurring.zone.name(), "Europe/Berlin");
  EXPECT_EQ(schedule.missed, domain::Missed::catch_up);
  EXPECT_EQ(schedule.catch_up_max, 1000);
  EXPECT_EQ(schedule.overlap, domain::Overlap::cancel_previous);
  EXPECT_EQ(schedule.start, parse_rfc3339("2026-01-01T00:00:00Z"));
  EXPECT_EQ(schedule.end, parse_rfc3339("2026-12-31T23:00:00Z"));
  EXPECT_EQ(read->paused, true);
  EXPECT_EQ(read->task.handler, "report");
  EXPECT_EQ(read->task.context, R"({"big":9007199254740993,"one": 1.0})");
  EXPECT_EQ(read->task_document, R"({"handler":"report","context":{"big":9007199254740993,"one": 1.0}})");
}

TEST(DecodeSchedule, TakesTheUsualWhereNothingIsSaid) {
  const auto read = decode_schedule("nightly", R"({"cron":"@daily","task":{"handler":"report"}})");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<domain::Recurring>(read->schedule.timing).zone, domain::TimeZone::utc());
  EXPECT_EQ(read->schedule.missed, domain::Missed::once);
  EXPECT_EQ(read->schedule.overlap, domain::Overlap::skip);
  EXPECT_EQ(read->paused, std::nullopt);
}

/// So that what is kept can be read again, and what is said again is seen to be the same.
TEST(DecodeSchedule, KeepsADocumentThatMeansTheSame) {
  const std::vector<std::string> bodies{
      R"({"task":{"handler":"report"},"cron":"@daily"})",
      daily_with(R"("time_zone":"Asia/Tokyo","missed":"catch_up","overlap":"allow","end":"2099-01-01T00:00:00Z")"),
      R"({"at":"2026-02-01T10:00:00+01:00","missed":"skip","task":{"name":"invoice","namespace":"shop"}})"};
  for (const std::string& body : bodies) {
    const auto read = decode_schedule("nightly", body);
    ASSERT_TRUE(read) << read.error().message;

    const auto again = decode_schedule("nightly", read->document);

    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->schedule, read->schedule);
    EXPECT_EQ(again->document, read->document);
    EXPECT_EQ(again->task.name, read->task.name);
  }
  EXPECT_EQ(decode_schedule("a", bodies[0])->document,
            R"({"cron":"@daily","time_zone":"UTC","missed":"once","overlap":"skip","task":{"handler":"report"}})");
  EXPECT_EQ(decode_schedule("a", bodies[0])->document, decode_schedule("a", daily_with(R"("paused":true)"))->document);
}

TEST(DecodeSchedule, RefusesWhatItCannotUse) {
  const std::string not_allowed = " is not allowed in a schedule: ";
  const std::string identity = not_allowed + "each firing has an identity of its own";
  const std::vector<Case> cases{
      {"", "cron (again and again) or at (once) is required"},
      {R"({"cron":"@daily"})", "task is required: what is submitted, as in POST /v1/tasks"},
      {R"({"cron":"@daily","at":"2026-02-01T00:00:00Z"})",
       "cron and at are both given; cron fires again and again, at once"},
      {R"({"at":"2026-02-01T00:00:00Z","time_zone":"UTC"})", "time_zone needs a cron; at says its own"},
      {daily_with(R"("missed":"no")"), "missed must be skip, once or catch_up"},
      {daily_with(R"("overlap":"no")"), "overlap must be skip, allow or cancel_previous"},
      {daily_with(R"("catch_up_max":3)"), "catch_up_max needs missed: catch_up"},
      {daily_with(R"("catch_up_max":1001)"), "catch_up_max is 1001; it must be from 1 to 1000"},
      {daily_with(R"("start":"soon")"), "start must be an RFC 3339 time such as \"2026-01-20T12:30:00Z\""},
      {daily_task(R"("task_uuid":"019bddae-b818-7d82-b7c5-bd42e5db27fc")"), "task: task_uuid" + identity},
      {daily_task(R"("idempotency_key":"k")"), "task: idempotency_key" + identity},
      {daily_task(R"("reuse":"allow_duplicate")"), "task: reuse" + identity},
      {daily_task(R"("run_at":"2026-02-01T00:00:00Z")"), "task: run_at" + not_allowed + "the schedule says when"},
      {daily_task(R"("wait":"1s")"), "task: wait" + not_allowed + "nobody waits for the answer"},
      {daily_task(R"("labels":{"semel.nominal_time":"x"})"), "task: the schedule sets the label semel.nominal_time"},
      {daily_task(R"("colour":1)"),
       "task: unknown field 'colour'; known are namespace, name, version, handler, context, idempotency_key, task_id, "
       "idempotency_key_ttl_seconds, task_uuid, queue, priority, priority_seconds, run_at, delay, reuse, on_duplicate, "
       "on_payload_mismatch, requested_at, traceparent, labels, wait, max_attempts, max_retries, retry, timeout_ms, "
       "deadline, concurrency_key"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(refusal_of(decode_schedule("nightly", each.sent)), each.refusal) << each.sent;
  EXPECT_EQ(decode_schedule("nightly", std::string(70'000, ' ')).error().code, ErrorCode::payload_too_large);
}

TEST(DecodeRun, ReadsTheNominalTime) {
  EXPECT_EQ(decode_run("").value(), std::nullopt);
  EXPECT_EQ(decode_run("{}").value(), std::nullopt);
  EXPECT_EQ(decode_run(R"({"nominal_time":"2026-01-20T12:30:00Z"})").value(), parse_rfc3339("2026-01-20T12:30:00Z"));
  EXPECT_EQ(refusal_of(decode_run(R"({"time":"x"})")), "unknown field 'time'; did you mean 'nominal_time'?");
}

TEST(EncodeFiring, AnswersByWhetherThereIsATask) {
  domain::FiringRecord firing{from_ms(0), from_ms(7), domain::FiringOutcome::refused, std::nullopt, "no template"};

  const Encoded refused = encode_firing(firing);
  firing.task = domain::ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
  firing.outcome = domain::FiringOutcome::cancelled_previous;
  firing.error.clear();
  const Encoded made = encode_firing(firing);

  EXPECT_EQ(refused.status, 200);
  EXPECT_EQ(refused.body,
            R"({"nominal_time":"1970-01-01T00:00:00.000Z","fired_at":"1970-01-01T00:00:00.007Z","outcome":"refused",)"
            R"("error":"no template"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body, R"({"nominal_time":"1970-01-01T00:00:00.000Z","fired_at":"1970-01-01T00:00:00.007Z",)"
                       R"("outcome":"cancelled_previous","task_uuid":"019bddae-b818-7d82-b7c5-bd42e5db27fc"})");
}

}  // namespace
}  // namespace semel::codec
