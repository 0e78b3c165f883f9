#include "api/codec/worker_request.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/codec/case.hpp"
#include "tests/unit/codec/decoding.hpp"

namespace semel::codec {
namespace {

using test::Case;
using test::refusal_of;

std::string poll_with(const std::string& member) { return R"({"worker_id":"w","queues":["q"],)" + member + "}"; }

TEST(DecodePoll, ReadsWeights) {
  const auto poll = decode_poll(R"({"worker_id":"w","weights":{"b":5},"queues":["a","b"]})");

  ASSERT_TRUE(poll) << poll.error().message;
  EXPECT_EQ(poll->poll.weights, (std::vector{1, 5}));
  EXPECT_EQ(refusal_of(decode_poll(R"({"worker_id":"w","weights":{"c":5},"queues":["a"]})")),
            "weights names 'c', which is none of the queues");
  EXPECT_EQ(refusal_of(decode_poll(R"({"worker_id":"w","weights":{"a":0},"queues":["a"]})")),
            "weights is 0; it must be from 1 to 1000");
}

TEST(DecodePoll, ReadsEveryField) {
  const auto poll = decode_poll(R"({"worker_id":"host 1","queues":["a","b"],"handlers":["x","y"],"max":1000,
                                    "wait_ms":60000,"lease_ms":3600000})");

  ASSERT_TRUE(poll);
  EXPECT_EQ(poll->poll.worker, "host 1");
  EXPECT_EQ(poll->poll.queues, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(poll->poll.handlers, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(poll->poll.max, 1000u);
  EXPECT_EQ(poll->poll.wait, 60s);
  EXPECT_EQ(poll->poll.lease, 1h);
}

TEST(DecodePoll, AsksByDefaultForOneTaskOfAnyHandlerAtOnce) {
  const auto poll = decode_poll(R"({"worker_id":"w","queues":["q"]})");

  ASSERT_TRUE(poll);
  EXPECT_EQ(poll->poll.handlers, std::nullopt);
  EXPECT_EQ(poll->poll.max, 1u);
  EXPECT_EQ(poll->poll.wait, Duration{0});
  EXPECT_EQ(poll->poll.lease, 30s);
}

TEST(DecodePoll, BringsOutcomesEachOfWhichIsRefusedAlone) {
  const auto poll = decode_poll(poll_with(
      R"("outcomes":[{"attempt_id":"019bddae-b818-7d82-b7c5-bd42e5db27fc","complete":{"result":1}},{"attempt_id":7},8])"));

  ASSERT_TRUE(poll) << poll.error().message;
  ASSERT_EQ(poll->outcomes.size(), 3u);
  EXPECT_EQ(std::get<CompleteRequest>(poll->outcomes[0]->outcome).result, "1");
  EXPECT_FALSE(poll->outcomes[1]);
  EXPECT_FALSE(poll->outcomes[2]);
  EXPECT_EQ(refusal_of(decode_poll(poll_with(R"("outcomes":7)"))),
            "outcomes: expected an array at byte 43, found a number");
}

TEST(DecodePoll, RefusesWhatItCannotUse) {
  const std::string name_rule = " must be 1 to 100 characters of A-Z a-z 0-9 _ . -";
  const std::vector<Case> cases{
      {"", "worker_id is required"},
      {"{}", "worker_id is required"},
      {R"({"queues":["q"]})", "worker_id is required"},
      {R"({"worker_id":"w"})", "queues is required"},
      {R"({"worker_id":"","queues":["q"]})", "worker_id must not be empty; leave it out to send none"},
      {R"({"worker_id":7,"queues":["q"]})", "worker_id: expected a string at byte 13, found a number"},
      {R"({"worker_id":"w","queues":[]})", "queues must not be empty"},
      {R"({"worker_id":"w","queues":"q"})", "queues: expected an array at byte 26, found a string"},
      {R"({"worker_id":"w","queues":["a b"]})", "queues" + name_rule},
      {R"({"worker_id":"w","queues":["q"],"queues":["q"]})", "queues is given twice"},
      {poll_with(R"("handlers":[])"), "handlers must not be empty"},
      {poll_with(R"("handlers":[""])"), "handlers" + name_rule},
      {poll_with(R"("max":0)"), "max is 0; it must be from 1 to 1000"},
      {poll_with(R"("max":1001)"), "max is 1001; it must be from 1 to 1000"},
      {poll_with(R"("wait_ms":-1)"), "wait_ms is -1; it must be from 0 to 60000"},
      {poll_with(R"("wait_ms":60001)"), "wait_ms is 60001; it must be from 0 to 60000"},
      {poll_with(R"("lease_ms":0)"), "lease_ms is 0; it must be from 1 to 3600000"},
      {poll_with(R"("lease_ms":3600001)"), "lease_ms is 3600001; it must be from 1 to 3600000"},
      {poll_with(R"("queue":"q")"), "unknown field 'queue'; did you mean 'queues'?"},
      {"[]", "expected an object at byte 0, found an array"},
  };
  for (const Case& each : cases) EXPECT_EQ(refusal_of(decode_poll(each.sent)), each.refusal) << each.sent;
}

TEST(DecodePoll, TakesUpToAHundredNames) {
  std::string names = "\"q\"";
  for (int i = 1; i < 100; ++i) names += ",\"q" + std::to_string(i) + "\"";

  EXPECT_EQ(decode_poll(R"({"worker_id":"w","queues":[)" + names + "]}")->poll.queues.size(), 100u);
  EXPECT_EQ(refusal_of(decode_poll(R"({"worker_id":"w","queues":[)" + names + ",\"more\"]}")),
            "queues: at most 100 are allowed");
}

TEST(DecodeComplete, TellsNothingFromNull) {
  EXPECT_EQ(decode_complete("")->result, std::nullopt);
  EXPECT_EQ(decode_complete("{}")->result, std::nullopt);
  EXPECT_EQ(decode_complete(R"({"result":null})")->result, "null");
}

TEST(DecodeComplete, KeepsTheResultAsWritten) {
  EXPECT_EQ(decode_complete(R"({"result": { "b": 1.0, "a": 2 } })")->result, R"({ "b": 1.0, "a": 2 })");
}

TEST(DecodeComplete, ChecksTheResultLikeAContext) {
  const auto huge = decode_complete(R"({"result":")" + std::string(1 << 20, 'x') + "\"}");

  EXPECT_EQ(refusal_of(decode_complete(R"({"result":{"a":1,"a":1}})")), "result: duplicate key \"a\" at byte 17");
  EXPECT_EQ(refusal_of(decode_complete(R"({"results":1})")), "unknown field 'results'; did you mean 'result'?");
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::payload_too_large);
  EXPECT_EQ(huge.error().message, "result is 1048578 bytes long; at most 1048576 are allowed");
}

TEST(DecodeFail, KeepsTheErrorAsCanonicalJson) {
  EXPECT_EQ(decode_fail(R"({"error": {"type": "Declined", "message": "no funds", "details": [ 1.0 ]}})")->error,
            R"({"details":[1],"message":"no funds","type":"Declined"})");
}

TEST(DecodeFail, NeedsTypeAndMessage) {
  const std::string shape = "error must be an object with a type and a message";
  const std::vector<Case> cases{
      {"", "error is required: an object with a type and a message"},
      {"{}", "error is required: an object with a type and a message"},
      {R"({"error":{}})", shape},
      {R"({"error":{"type":"a"}})", shape},
      {R"({"error":{"message":"a"}})", shape},
      {R"({"error":"broken"})", shape},
      {R"({"error":null})", shape},
      {R"({"error":{"type":1,"message":"a"}})", "error: type: expected a string at byte 22, found a number"},
      {R"({"error":{"type":"a","message":"b","stack":1}})",
       "error: unknown field 'stack'; known are type, message, details"},
      {R"({"error":{"type":"a","type":"b","message":"c"}})", "error: duplicate key \"type\" at byte 21"},
  };
  for (const Case& each : cases) EXPECT_EQ(refusal_of(decode_fail(each.sent)), each.refusal) << each.sent;
}

TEST(DecodeFail, ReadsWhatTheWorkerSaysOfAnotherAttempt) {
  const std::string error = R"("error":{"type":"a","message":"b"})";
  EXPECT_TRUE(decode_fail("{" + error + "}")->retryable);
  EXPECT_FALSE(decode_fail("{" + error + R"(,"retryable":false})")->retryable);
  EXPECT_EQ(decode_fail("{" + error + "}")->retry_after, std::nullopt);
  EXPECT_EQ(decode_fail("{" + error + R"(,"retry_after_ms":5})")->retry_after, 5ms);
  EXPECT_EQ(refusal_of(decode_fail("{" + error + R"(,"retry_after_ms":-1})")),
            "retry_after_ms is -1; it must be from 0 to 31622400000");
}

TEST(DecodeHeartbeat, ReadsProgress) {
  EXPECT_EQ(decode_heartbeat("{}")->progress, std::nullopt);
  EXPECT_EQ(decode_heartbeat(R"({"progress":0.5})")->progress, (domain::Progress{500'000, ""}));
  EXPECT_EQ(decode_heartbeat(R"({"progress":1,"message":"done"})")->progress, (domain::Progress{1'000'000, "done"}));
  EXPECT_EQ(decode_heartbeat(R"({"message":"half"})")->progress, (domain::Progress{0, "half"}));
  EXPECT_EQ(refusal_of(decode_heartbeat(R"({"progress":1.01})")), "progress must be a number from 0 to 1");
  EXPECT_EQ(refusal_of(decode_heartbeat(R"({"message":")" + std::string(1'001, 'x') + "\"}")),
            "message is 1001 bytes long; at most 1000 are allowed");
}

TEST(DecodeHeartbeat, ExtendsByThirtySecondsUnlessTold) {
  EXPECT_EQ(decode_heartbeat("")->lease, 30s);
  EXPECT_EQ(decode_heartbeat(R"({"lease_ms":1})")->lease, 1ms);
  EXPECT_EQ(refusal_of(decode_heartbeat(R"({"lease_ms":0})")), "lease_ms is 0; it must be from 1 to 3600000");
}

const std::string attempt = "019bddae-b818-7d82-b7c5-bd42e5db27fc";

TEST(DecodeOutcomes, ReadsCompletionsAndFailures) {
  const auto outcomes = decode_outcomes(R"({"outcomes":[{"attempt_id":")" + attempt +
                                        R"(","complete":{"result":1}},
      {"attempt_id":")" + attempt + R"(","fail":{"error":{"type":"a","message":"b"}}},
      {"complete":{},"attempt_id":")" + attempt +
                                        R"("}]})");

  ASSERT_TRUE(outcomes);
  ASSERT_EQ(outcomes->size(), 3u);
  EXPECT_EQ((*outcomes)[0]->attempt_id.text(), attempt);
  EXPECT_EQ(std::get<CompleteRequest>((*outcomes)[0]->outcome).result, "1");
  EXPECT_EQ(std::get<FailRequest>((*outcomes)[1]->outcome).error, R"({"message":"b","type":"a"})");
  EXPECT_EQ(std::get<CompleteRequest>((*outcomes)[2]->outcome).result, std::nullopt);
}

TEST(DecodeOutcomes, RefusesOnlyTheOutcomeThatBreaksARule) {
  const std::string good = R"({"attempt_id":")" + attempt + R"(","complete":{}})";
  const std::vector<Case> cases{
      {"{}", "attempt_id is required"},
      {R"({"attempt_id":"7","complete":{}})", "attempt_id must be a UUID"},
      {R"({"attempt_id":")" + attempt + R"("})", "exactly one of complete and fail is required"},
      {R"({"attempt_id":")" + attempt + R"(","complete":{},"fail":{"error":{"type":"a","message":"b"}}})",
       "exactly one of complete and fail is required"},
      {R"({"attempt_id":")" + attempt + R"(","complete":{"result":"\ud800"}})",
       "complete: result: lone surrogate \\ud800 at byte 11"},
      {R"({"attempt_id":")" + attempt + R"(","fail":{}})",
       "fail: error is required: an object with a type and a message"},
      {R"({"attempt_id":")" + attempt + R"(","heartbeat":{}})",
       "unknown field 'heartbeat'; known are attempt_id, complete, fail"},
      {"[]", "expected an object at byte 0, found an array"},
  };
  for (const Case& each : cases) {
    const auto outcomes = decode_outcomes("{\"outcomes\":[" + good + "," + each.sent + "," + good + "]}");

    ASSERT_TRUE(outcomes) << each.sent;
    EXPECT_EQ(refusal_of((*outcomes)[0]), "");
    EXPECT_EQ(refusal_of((*outcomes)[1]), each.refusal) << each.sent;
    EXPECT_EQ(refusal_of((*outcomes)[2]), "");
  }
}

TEST(DecodeOutcomes, FailsAsAWholeOnBadGrammarAndBeyond1000) {
  std::string many = "{}";
  for (int i = 1; i < 1000; ++i) many += ",{}";

  EXPECT_NE(refusal_of(decode_outcomes(R"({"outcomes":[{},{]})")), "");
  EXPECT_EQ(refusal_of(decode_outcomes("{}")), "outcomes must be an array of 1 to 1000 outcomes");
  EXPECT_EQ(decode_outcomes("{\"outcomes\":[" + many + "]}")->size(), 1000u);
  EXPECT_EQ(refusal_of(decode_outcomes("{\"outcomes\":[" + many + ",{}]}")), "outcomes: at most 1000 are allowed");
}

}  // namespace
}  // namespace semel::codec
