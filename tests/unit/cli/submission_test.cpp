#include "cli/client/submission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/json.hpp"
#include "tests/support/manual_clock.hpp"

namespace semel::cli {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const Uuid id = *Uuid::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
const Stamp stamp{id, test::ManualClock::start};

std::string refusal_of(const SubmissionText& text) {
  const Result<std::string> body = write_submission(text, stamp);
  return body ? "" : body.error().message;
}

TEST(Submission, SaysEverythingThatWasGiven) {
  SubmissionText text{.name = "invoice",
                      .namespace_ = "shop",
                      .version = "1.2.0",
                      .context = "{}",
                      .key = "order \"1\"",
                      .ttl = "1h",
                      .queue = "q",
                      .priority = -3,
                      .delay = "5m",
                      .reuse = "allow_duplicate",
                      .on_duplicate = "describe",
                      .on_payload_mismatch = "ignore",
                      .labels = {"team=a", "empty=", "eq=a=b"},
                      .wait = 30s};

  const Result<std::string> body = write_submission(text, stamp);

  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(Json::parse(*body), (Json{{"name", "invoice"},
                                      {"namespace", "shop"},
                                      {"version", "1.2.0"},
                                      {"context", Json::object()},
                                      {"idempotency_key", "order \"1\""},
                                      {"idempotency_key_ttl_seconds", 3600},
                                      {"queue", "q"},
                                      {"priority", -3},
                                      {"delay", "5m"},
                                      {"reuse", "allow_duplicate"},
                                      {"on_duplicate", "describe"},
                                      {"on_payload_mismatch", "ignore"},
                                      {"labels", {{"team", "a"}, {"empty", ""}, {"eq", "a=b"}}},
                                      {"wait", "30s"},
                                      {"task_uuid", id.text()},
                                      {"requested_at", "2026-01-20T12:00:00.000Z"}}));
}

TEST(Submission, KeepsTheTextOfTheContext) {
  const std::string context = "{ \"amount\" : 1.00, \"big\": 9007199254740993, \"huge\": 1e400 }\n";

  const Result<std::string> body = write_submission({.handler = "h", .context = context}, stamp);

  ASSERT_TRUE(body);
  EXPECT_THAT(*body, HasSubstr("\"context\":" + context));
}

TEST(Submission, LeavesOutWhatWasNotGiven) {
  const Result<std::string> body = write_submission({.handler = "h"}, {{}, test::ManualClock::start});

  ASSERT_TRUE(body);
  EXPECT_EQ(*body, R"({"handler":"h","requested_at":"2026-01-20T12:00:00.000Z"})");
}

TEST(Submission, ThatIsWrongIsRefusedWithTheOption) {
  EXPECT_THAT(refusal_of({.context = "{\"a\":1"}), HasSubstr("the context is not JSON"));
  EXPECT_THAT(refusal_of({.context = ""}), HasSubstr("the context is not JSON"));
  EXPECT_THAT(refusal_of({.context = "{}, \"priority\": 9"}), HasSubstr("the context is not JSON"));
  EXPECT_THAT(refusal_of({.context = "{\"a\":1,\"a\":2}"}), HasSubstr("the context is not JSON"));
  EXPECT_THAT(refusal_of({.ttl = "soon"}), HasSubstr("--ttl: 'soon' is not a duration"));
  EXPECT_THAT(refusal_of({.ttl = "1500ms"}), HasSubstr("--ttl: 1500ms is not whole seconds"));
  EXPECT_THAT(refusal_of({.ttl = "0"}), HasSubstr("--ttl: 0 is not whole seconds"));
  EXPECT_THAT(refusal_of({.delay = "1 hour"}), HasSubstr("--delay: '1 hour' is not a duration"));
  EXPECT_THAT(refusal_of({.run_at = "noon"}), HasSubstr("--run-at: 'noon' is not a time such as"));
  EXPECT_THAT(refusal_of({.labels = {"team"}}), HasSubstr("--label: 'team' is not name=value"));
  EXPECT_THAT(refusal_of({.labels = {"=a"}}), HasSubstr("--label: '=a' is not name=value"));
  EXPECT_THAT(refusal_of({.labels = {"a=1", "a=2"}}), HasSubstr("--label: 'a' is given twice"));
  EXPECT_THAT(refusal_of({.key = "\xff"}), HasSubstr("idempotency_key is not UTF-8"));
}

TEST(StampedLine, GetsWhatItHasNotAndStaysAsWritten) {
  const std::string line = " { \"handler\": \"h\", \"context\": {\"n\": 1.00} } ";

  EXPECT_EQ(stamp_line(line, stamp).value(),
            " {\"task_uuid\":\"" + id.text() +
                "\",\"requested_at\":\"2026-01-20T12:00:00.000Z\", \"handler\": \"h\", \"context\": {\"n\": 1.00} } ");
  EXPECT_EQ(stamp_line("{}", {{}, test::ManualClock::start}).value(), R"({"requested_at":"2026-01-20T12:00:00.000Z"})");
}

TEST(StampedLine, KeepsAnIdAndATimeOfItsOwn) {
  const std::string own = R"({"task\u005fuuid":"x","requested_at":"y"})";

  EXPECT_EQ(stamp_line(own, stamp).value(), own);
  EXPECT_EQ(stamp_line(R"({"context":{"task_uuid":1},"requested_at":"y"})", stamp).value(),
            R"({"task_uuid":")" + id.text() + R"(","context":{"task_uuid":1},"requested_at":"y"})");
}

TEST(StampedLine, MustBeAnObject) {
  for (const char* line : {"", "[]", "1", "{", "{}{}", "{\"a\"}"}) EXPECT_FALSE(stamp_line(line, stamp)) << line;
}

}  // namespace
}  // namespace semel::cli
