#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/codec/submission.hpp"
#include "tests/unit/codec/decoding.hpp"

/// The context, labels and trace of a submission, and bodies that are not JSON.
namespace semel::codec {
namespace {

using test::ad_hoc;
using test::decoded;
using test::refusal_of;

Error error_of(const std::string& body) {
  const auto result = decode_submission(body, std::nullopt);
  return result ? Error{} : result.error();
}

std::string refused_body(const std::string& body) { return refusal_of(decode_submission(body, std::nullopt)); }

TEST(DecodeBody, RefusesWhatIsNotAnObject) {
  for (const std::string body : {"1", "null", "\"a\"", "true"}) {
    EXPECT_TRUE(refused_body(body).starts_with("expected an object at byte 0, found ")) << refused_body(body);
  }
  for (const std::string body : {"[]", " [{}]"})
    EXPECT_EQ(refused_body(body), "a submission is an object; POST /v1/tasks:batch takes many of them");
}

TEST(DecodeBody, RefusesBadGrammarAndTellsWhere) {
  EXPECT_EQ(refused_body(R"({"handler":"a",})"), "expected a key at byte 15, found '}'");
  EXPECT_EQ(refused_body(R"({"handler":"a")"), "expected ',' or '}' at byte 14, but the text ends there");
  EXPECT_EQ(refused_body(R"({"handler":"a"} x)"), "unexpected data after the value, at byte 16");
  EXPECT_EQ(refused_body("{'handler':1}"), "expected a key at byte 1, found '''");
  EXPECT_EQ(refused_body(" "), "expected an object at byte 1, but the text ends there");
}

TEST(DecodeBody, RefusesInvalidUtf8EverywhereInIt) {
  EXPECT_EQ(refused_body("{\"handler\":\"a\xFF\"}"), "handler: invalid UTF-8 at byte 13");
  EXPECT_EQ(refused_body("{\"handler\":\"a\",\"context\":\"\xC3\"}"), "context: invalid UTF-8 at byte 26");
  EXPECT_EQ(refused_body("{\"handler\":\"a\",\"x\xC3\":1}"), "invalid UTF-8 at byte 17");
  EXPECT_EQ(refused_body("{\"handler\":\"a\",\"idempotency_key\":\"\xED\xA0\x80\"}"),
            "idempotency_key: invalid UTF-8 at byte 34");
}

TEST(DecodeContext, RefusesWhatHasNoCanonicalForm) {
  EXPECT_EQ(refused_body(ad_hoc(R"("context":{"a":1,"a":2})")), "context: duplicate key \"a\" at byte 40");
  EXPECT_EQ(refused_body(ad_hoc(R"("context":{"a":1,"\u0061":2})")), "context: duplicate key \"a\" at byte 40");
  EXPECT_EQ(refused_body(ad_hoc(R"("context":"\ud800")")), "context: lone surrogate \\ud800 at byte 34");
  EXPECT_EQ(refused_body(ad_hoc(R"("context":1e1000000000)")),
            "context: number with an exponent beyond ±999999999 at byte 33");
  EXPECT_EQ(refused_body(ad_hoc("\"context\":" + std::string(1001, '1'))),
            "context: number of 1001 characters (at most 1000 are allowed) at byte 33");
}

TEST(DecodeContext, CountsItsDepthFromItself) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };

  EXPECT_EQ(decoded(ad_hoc("\"context\":" + nested(128))).canonical_context, nested(128));
  EXPECT_EQ(refused_body(ad_hoc("\"context\":" + nested(129))),
            "context: more than 128 nested arrays and objects at byte 161");
}

TEST(DecodeContext, TakesOneMebibyteAsWrittenAndNoByteMore) {
  const std::size_t max = 1 << 20;
  const auto text_of = [](std::size_t bytes) { return "\"" + std::string(bytes - 2, 'x') + "\""; };

  EXPECT_EQ(decoded(ad_hoc("\"context\":" + text_of(max))).context.size(), max);

  const Error error = error_of(ad_hoc("\"context\":" + text_of(max + 1)));
  EXPECT_EQ(error.code, ErrorCode::payload_too_large);
  EXPECT_EQ(error.message, "context is 1048577 bytes long; at most 1048576 are allowed");
}

TEST(DecodeLabels, TakesUpTo16NamesAndValuesOf255Bytes) {
  std::string labels;
  for (int i = 0; i < 16; ++i) labels += (i > 0 ? ",\"l" : "\"l") + std::to_string(i) + "\":\"v\"";
  const std::string longest = "\"" + std::string(255, 'n') + "\":\"" + std::string(255, 'v') + "\"";

  EXPECT_EQ(decoded(ad_hoc("\"labels\":{" + labels + "}")).labels.size(), 16u);
  EXPECT_EQ(decoded(ad_hoc("\"labels\":{" + longest + "}")).labels.size(), 1u);
  EXPECT_EQ(refused_body(ad_hoc("\"labels\":{" + labels + ",\"more\":\"v\"}")), "labels: at most 16 are allowed");
}

TEST(DecodeLabels, RefusesBadNamesAndValues) {
  EXPECT_EQ(refused_body(ad_hoc(R"("labels":{"":"v"})")),
            "a label's name must not be empty; leave it out to send none");
  EXPECT_EQ(refused_body(ad_hoc("\"labels\":{\"" + std::string(256, 'n') + "\":\"v\"}")),
            "a label's name is 256 bytes long; at most 255 are allowed");
  EXPECT_EQ(refused_body(ad_hoc(R"("labels":{"a\nb":"v"})")), "a label's name must not contain control characters");
  EXPECT_EQ(refused_body(ad_hoc(R"("labels":{"a":"1","a":"2"})")), "labels: 'a' is given twice");
  EXPECT_EQ(refused_body(ad_hoc("\"labels\":{\"a\":\"" + std::string(256, 'v') + "\"}")),
            "labels: the value of 'a' is over 255 bytes");
}

TEST(DecodeTraceparent, TakesTheFormOfW3cOnly) {
  const std::string good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  std::vector<std::string> bad{"", good + "0", good.substr(1), "00" + good.substr(2, 52) + "0G"};
  for (const std::size_t at : {0u, 2u, 5u, 35u, 40u, 52u, 54u}) {
    bad.push_back(good);
    bad.back()[at] = at == 2 || at == 35 || at == 52 ? 'a' : 'A';
  }

  EXPECT_EQ(decoded(ad_hoc("\"traceparent\":\"" + good + "\"")).traceparent, good);
  for (const std::string& text : bad) {
    EXPECT_EQ(refused_body(ad_hoc("\"traceparent\":\"" + text + "\"")),
              "traceparent must be a W3C trace context: 00-<32 hex>-<16 hex>-<2 hex>, in lower case")
        << text;
  }
}

}  // namespace
}  // namespace semel::codec
