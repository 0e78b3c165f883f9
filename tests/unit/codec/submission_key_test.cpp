#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/codec/submission.hpp"
#include "tests/unit/codec/decoding.hpp"

/// The key of a submission: in the body by two names, or in the Idempotency-Key header.
namespace semel::codec {
namespace {

using test::ad_hoc;
using test::decoded;
using test::refusal_of;

const std::string plain = R"({"handler":"send_mail"})";
const std::string both_differ = "the Idempotency-Key header and the key in the body differ; send one of them";

std::string key_of_header(const std::string& header) {
  const Result<std::string> key = decode_key_header(header);
  return key ? *key : "refused: " + key.error().message;
}

TEST(SubmissionKey, ComesFromEitherNameInTheBody) {
  EXPECT_EQ(decoded(ad_hoc(R"("idempotency_key":"order-1")")).key, "order-1");
  EXPECT_EQ(decoded(ad_hoc(R"("task_id":"order-1")")).key, "order-1");
  EXPECT_EQ(decoded(ad_hoc(R"("task_id":"order-1","idempotency_key":"order-1")")).key, "order-1");
  EXPECT_EQ(decoded(ad_hoc(R"("task_id":"order-\u0031","idempotency_key":"order-1")")).key, "order-1");
}

TEST(SubmissionKey, RefusesTwoNamesWithDifferentKeys) {
  EXPECT_EQ(refusal_of(decode_submission(ad_hoc(R"("task_id":"a","idempotency_key":"b")"), std::nullopt)),
            "task_id is another name for idempotency_key; both are given and differ");
}

TEST(SubmissionKey, ComesFromTheHeader) {
  EXPECT_EQ(decoded(plain, "order-1").key, "order-1");
  EXPECT_EQ(decoded(plain, "\"order-1\"").key, "order-1");
}

TEST(SubmissionKey, MayBeInHeaderAndBodyWhenBothAreEqual) {
  EXPECT_EQ(decoded(ad_hoc(R"("idempotency_key":"order-1")"), "\"order-1\"").key, "order-1");
  EXPECT_EQ(decoded(ad_hoc(R"("task_id":"order-1")"), "order-1").key, "order-1");
}

TEST(SubmissionKey, RefusesAHeaderThatDiffersFromTheBody) {
  EXPECT_EQ(refusal_of(decode_submission(ad_hoc(R"("idempotency_key":"a")"), "b")), both_differ);
  EXPECT_EQ(refusal_of(decode_submission(ad_hoc(R"("task_id":"a")"), "\"A\"")), both_differ);
}

TEST(SubmissionKey, RefusesABadHeaderAlsoWhenTheBodyHasAKey) {
  EXPECT_NE(refusal_of(decode_submission(ad_hoc(R"("idempotency_key":"a")"), "\"a")), "");
}

TEST(KeyHeader, IsAnRfc8941StringWhenItBeginsWithAQuote) {
  EXPECT_EQ(key_of_header(R"("order-1")"), "order-1");
  EXPECT_EQ(key_of_header(R"(  "order-1"	)"), "order-1");
  EXPECT_EQ(key_of_header(R"("a \"quoted\" \\ word")"), R"(a "quoted" \ word)");
  EXPECT_EQ(key_of_header(R"(" spaces inside stay ")"), " spaces inside stay ");
}

TEST(KeyHeader, IsItsTrimmedRawValueOtherwise) {
  EXPECT_EQ(key_of_header("order-1"), "order-1");
  EXPECT_EQ(key_of_header(" \t order-1 \t"), "order-1");
  EXPECT_EQ(key_of_header("a \"b\" \\c"), "a \"b\" \\c");
  EXPECT_EQ(key_of_header("straße"), "straße");
  EXPECT_EQ(key_of_header("order-1\""), "order-1\"");
}

TEST(KeyHeader, RefusesMalformedQuotes) {
  const std::string bad = "refused: the Idempotency-Key header is not a valid RFC 8941 string: ";

  EXPECT_EQ(key_of_header(R"("order-1)"), bad + "it must end with its closing quote");
  EXPECT_EQ(key_of_header("\""), bad + "it must end with its closing quote");
  EXPECT_EQ(key_of_header(R"("a"b)"), bad + "it must end with its closing quote");
  EXPECT_EQ(key_of_header(R"("a" "b")"), bad + "it must end with its closing quote");
  EXPECT_EQ(key_of_header(R"("a\n")"), bad + "after \\ only \" or \\ may stand");
  EXPECT_EQ(key_of_header(R"("a\)"), bad + "after \\ only \" or \\ may stand");
  EXPECT_EQ(key_of_header("\"straße\""), bad + "only ASCII may stand in quotes");
  EXPECT_EQ(key_of_header("\"a\x7F\""), bad + "only ASCII may stand in quotes");
}

TEST(KeyHeader, RefusesWhatIsNoKey) {
  EXPECT_EQ(key_of_header(""), "refused: the Idempotency-Key header must not be empty; leave it out to send none");
  EXPECT_EQ(key_of_header("  "), key_of_header(""));
  EXPECT_EQ(key_of_header("\"\""), key_of_header(""));
  EXPECT_EQ(key_of_header("a\x01"), "refused: the Idempotency-Key header must not contain control characters");
  EXPECT_EQ(key_of_header("\"a\tb\""), "refused: the Idempotency-Key header must not contain control characters");
  EXPECT_EQ(key_of_header("a\xFF"), "refused: the Idempotency-Key header is not valid UTF-8");
  EXPECT_EQ(key_of_header(std::string(256, 'k')),
            "refused: the Idempotency-Key header is 256 bytes long; at most 255 are allowed");
}

TEST(KeyHeader, CountsTheBytesOfTheKeyWithoutItsQuotesAndEscapes) {
  std::string escaped;
  for (int i = 0; i < 255; ++i) escaped += "\\\\";

  EXPECT_EQ(key_of_header("\"" + std::string(255, 'k') + "\""), std::string(255, 'k'));
  EXPECT_EQ(key_of_header("\"" + escaped + "\""), std::string(255, '\\'));
}

}  // namespace
}  // namespace semel::codec
