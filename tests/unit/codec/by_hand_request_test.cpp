#include "api/codec/by_hand_request.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codec/decoding.hpp"

namespace semel::codec {
namespace {

using test::refusal_of;

TEST(DecodeCancel, ReadsForceAndWhy) {
  EXPECT_FALSE(decode_cancel("{}")->force);
  EXPECT_TRUE(decode_cancel(R"({"force":true})")->force);
  EXPECT_EQ(decode_cancel(R"({"why":"enough"})")->why, "enough");
}

TEST(DecodeCancel, TakesAnEmptyBody) {
  EXPECT_TRUE(decode_cancel(""));
  EXPECT_TRUE(decode_cancel("{}"));
  EXPECT_EQ(refusal_of(decode_cancel(R"({"colour":1})")), "unknown field 'colour'; known are force, why");
}

TEST(DecodeRetry, ReadsTheNamesOfSteps) {
  EXPECT_TRUE(decode_retry("")->steps.empty());
  EXPECT_EQ(decode_retry(R"({"steps":["a","b"],"why":"mended"})")->steps, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(refusal_of(decode_retry(R"({"steps":[]})")),
            "steps must name at least one step; leave it out to retry all that did not succeed");
  EXPECT_FALSE(decode_retry(R"({"steps":["a b"]})"));
  EXPECT_FALSE(decode_retry(R"({"steps":"a"})"));
}

TEST(DecodeResolve, TakesAnyResultAsWritten) {
  EXPECT_EQ(decode_resolve(R"({"result": { "n" : 1.00 }})")->result, R"({ "n" : 1.00 })");
  EXPECT_EQ(decode_resolve(R"({"result":null})")->result, "null");
  EXPECT_EQ(refusal_of(decode_resolve("{}")), "result is required: what the step would have returned, or null");
  EXPECT_FALSE(decode_resolve(R"({"result":{"a":1,"a":2}})"));
}

TEST(DecodeResolve, LimitsWhatIsSaid) {
  EXPECT_EQ(refusal_of(decode_resolve(R"({"result":1,"why":")" + std::string(1'001, 'x') + "\"}")),
            "why is 1001 bytes long; at most 1000 are allowed");
  const auto large = decode_resolve(R"({"result":")" + std::string(1 << 20, 'x') + "\"}");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::payload_too_large);
}

}  // namespace
}  // namespace semel::codec
