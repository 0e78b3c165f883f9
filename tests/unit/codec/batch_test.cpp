#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/codec/submission.hpp"
#include "tests/unit/codec/decoding.hpp"

namespace semel::codec {
namespace {

using test::refusal_of;

const std::string good = R"({"handler":"send_mail"})";

std::string batch_of(const std::vector<std::string>& elements) {
  std::string body = "{\"tasks\":[";
  for (const std::string& element : elements) body += (body.back() == '[' ? "" : ",") + element;
  return body + "]}";
}

/// The refusal of each element, in order.
std::vector<std::string> refusals_of(const std::string& body) {
  const auto batch = decode_batch(body);
  if (!batch) return {"whole: " + batch.error().message};
  std::vector<std::string> refusals;
  for (const Result<domain::Submission>& each : *batch) refusals.push_back(refusal_of(each));
  return refusals;
}

using Texts = std::vector<std::string>;

TEST(DecodeBatch, KeepsTheOrderOfItsElements) {
  const auto batch = decode_batch(R"( { "tasks" : [ {"handler":"a"} , {"handler":"b","context":[2]} ] } )");

  ASSERT_TRUE(batch);
  ASSERT_EQ(batch->size(), 2u);
  EXPECT_EQ((*batch)[0]->handler, "a");
  EXPECT_EQ((*batch)[1]->handler, "b");
  EXPECT_EQ((*batch)[1]->context, "[2]");
}

TEST(DecodeBatch, FailsAsAWholeOnBadGrammarOrUtf8Anywhere) {
  for (const std::string& bad :
       {std::string(R"({"handler":})"), std::string(R"({"handler":"a"}})"), std::string("{\"handler\":\"\xFF\"}"),
        std::string(R"({"context":01})"), std::string(R"({"context":"\x"})"), std::string("")}) {
    const auto batch = decode_batch(batch_of({good, bad}));

    ASSERT_FALSE(batch) << bad;
    EXPECT_EQ(batch.error().code, ErrorCode::bad_request);
    EXPECT_NE(batch.error().message.find("byte"), std::string::npos) << batch.error().message;
  }
}

TEST(DecodeBatch, RefusesOnlyTheElementThatBreaksARule) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {R"({"handler":"a","context":{"k":1,"k":2}})", "context: duplicate key \"k\" at byte 32"},
      {R"({"handler":"a","handler":"a"})", "handler is given twice"},
      {R"({"handler":"a","context":"\ud800"})", "context: lone surrogate \\ud800 at byte 26"},
      {R"({"handler":"\udc00"})", "handler: lone surrogate \\udc00 at byte 12"},
      {R"({"handler":"a","context":1e1000000000})", "context: number with an exponent beyond ±999999999 at byte 25"},
      {R"({"handler":"a","context":)" + std::string(129, '[') + std::string(129, ']') + "}",
       "context: more than 128 nested arrays and objects at byte 153"},
      {R"({"handler":"a","wait":"5s"})", "wait is not allowed in a batch; ask for each result instead"},
      {R"({"handler":"a","wait":"0"})", "wait is not allowed in a batch; ask for each result instead"},
      {R"({"handler":"a","what":1})", "unknown field 'what'; did you mean 'wait'?"},
      {R"({"handler":"a","name":"b"})",
       "name and handler are both given; name submits a template's task, handler an ad-hoc task"},
      {"{}", "name (of a registered template) or handler (for an ad-hoc task) is required"},
      {"7", "expected an object at byte 0, found a number"},
      {"null", "expected an object at byte 0, found null"},
  };
  for (const auto& [element, refusal] : bad) {
    EXPECT_EQ(refusals_of(batch_of({good, element, good})), (Texts{"", refusal, ""})) << element;
  }
}

TEST(DecodeBatch, RefusesOnlyTheElementWhoseContextIsTooLarge) {
  const std::string element = R"({"handler":"a","context":")" + std::string(1 << 20, 'x') + "\"}";

  const auto batch = decode_batch(batch_of({element, good}));

  ASSERT_TRUE(batch);
  EXPECT_EQ((*batch)[0].error().code, ErrorCode::payload_too_large);
  EXPECT_TRUE((*batch)[1]);
}

TEST(DecodeBatch, SurvivesNestingBeyondAnyStack) {
  const std::size_t depth = 1'000'000;
  const std::string element = R"({"handler":"a","context":)" + std::string(depth, '[') + std::string(depth, ']') + "}";

  EXPECT_EQ(refusals_of(batch_of({element, good})).size(), 2u);
}

TEST(DecodeBatch, TakesUpTo1000Submissions) {
  EXPECT_EQ(decode_batch(batch_of(Texts(1000, good)))->size(), 1000u);
  EXPECT_EQ(refusals_of(batch_of(Texts(1001, good))),
            Texts{"whole: tasks: at most 1000 submissions are allowed in a batch"});
}

TEST(DecodeBatch, NeedsTheFieldTasksAndNoOther) {
  const std::string rule = "whole: tasks must be an array of 1 to 1000 submissions";

  EXPECT_EQ(refusals_of("{}"), Texts{rule});
  EXPECT_EQ(refusals_of(R"({"tasks":[]})"), Texts{rule});
  EXPECT_EQ(refusals_of(R"({"tasks":{}})"), Texts{"whole: tasks: expected an array at byte 9, found an object"});
  EXPECT_EQ(refusals_of(R"({"task":[]})"), Texts{"whole: unknown field 'task'; did you mean 'tasks'?"});
  EXPECT_EQ(refusals_of(R"({"tasks":[{"handler":"a"}],"tasks":[]})"), Texts{"whole: tasks is given twice"});
  EXPECT_EQ(refusals_of("[]"), Texts{R"(whole: a batch is an object with the submissions in it: {"tasks": […]})"});
}

}  // namespace
}  // namespace semel::codec
