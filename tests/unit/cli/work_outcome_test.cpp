#include "cli/work/outcome.hpp"
#include "tests/support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

/// What a handler that has ended comes to.
namespace semel::cli::work {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

Outcome printed(std::string output, OutputForm form = OutputForm::json) {
  return outcome_of({.output = std::move(output)}, form);
}

Failure failure_of(const Remains& remains) {
  const Outcome outcome = outcome_of(remains, OutputForm::json);
  EXPECT_TRUE(outcome.failure);
  EXPECT_FALSE(outcome.result);
  return outcome.failure.value_or(Failure{});
}

TEST(HandlerOutput, ThatIsJsonIsTheResultAsWritten) {
  for (const char* text : {R"({ "a" : 1.00, "b": 1e400 })", "null", "\"x\"", "[1,2]", "-0"}) {
    const Outcome outcome = printed(std::string(" \n") + text + "\n\n");

    EXPECT_FALSE(outcome.failure) << text;
    EXPECT_EQ(outcome.result, text);
  }
}

TEST(HandlerOutput, ThatIsEmptyIsNoResult) {
  for (const OutputForm form : {OutputForm::json, OutputForm::text}) {
    for (const char* text : {"", "\n", "\n\n"}) {
      const Outcome outcome = printed(text, form);

      EXPECT_FALSE(outcome.failure);
      EXPECT_FALSE(outcome.result);
    }
  }
  EXPECT_FALSE(printed(" \t\r\n").failure);
}

TEST(HandlerOutput, ThatIsNotJsonFailsForGoodAndSaysWhatToDo) {
  for (const char* text : {"done", "{\"a\":1} {\"a\":2}", R"({"a":1,"a":2})", "\"\xFF\"", "1,"}) {
    const Outcome outcome = printed(text);

    ASSERT_TRUE(outcome.failure) << text;
    EXPECT_EQ(outcome.failure->type, "bad_output");
    EXPECT_THAT(outcome.failure->message, StartsWith("the handler's output is not JSON: "));
    EXPECT_THAT(outcome.failure->message, HasSubstr("--text"));
    EXPECT_FALSE(outcome.failure->retryable);
  }
}

TEST(HandlerOutput, MayBeTextWhichBecomesAString) {
  EXPECT_EQ(printed("all \"done\"\nreally\n\n", OutputForm::text).result, R"("all \"done\"\nreally")");
  EXPECT_EQ(printed("{}", OutputForm::text).result, R"("{}")");
  EXPECT_EQ(printed("\xFF", OutputForm::text).failure->type, "bad_output");
}

TEST(HandlerOutput, HasTheLimitOfAResult) {
  constexpr std::size_t limit = 1 << 20;
  const std::string fits = "\"" + std::string(limit - 2, 'x') + "\"";

  EXPECT_EQ(printed(fits).result, fits);
  for (const Outcome& outcome :
       {printed(" " + fits), outcome_of({.output = "1", .output_is_cut = true}, OutputForm::json),
        printed(std::string(limit, 'x'), OutputForm::text), printed(std::string(limit / 2, '"'), OutputForm::text)}) {
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->type, "bad_output");
    EXPECT_THAT(outcome.failure->message, HasSubstr("longer than a result may be, 1048576 bytes"));
  }
}

TEST(HandlerExit, OfAnyCodeIsAFailureWithTheLastLinesOfStandardError) {
  const Failure failure = failure_of({.exit_code = 7, .output = "{}", .errors = "no such order"});

  EXPECT_EQ(failure.type, "exit_code");
  EXPECT_EQ(failure.message, "no such order");
  EXPECT_EQ(failure.details, R"({"exit_code":7})");
  EXPECT_TRUE(failure.retryable);
  EXPECT_EQ(failure_of({.exit_code = 7}).message,
            "the handler ended with exit code 7 and wrote nothing to standard error");
}

TEST(HandlerExit, Of65IsNotTriedAgainAndOf75Is) {
  EXPECT_FALSE(failure_of({.exit_code = 65}).retryable);
  EXPECT_TRUE(failure_of({.exit_code = 75}).retryable);
}

TEST(HandlerExit, BySignalNamesIt) {
  const Failure failure = failure_of({.signal = SIGSEGV, .errors = "last words"});

  EXPECT_EQ(failure.type, "killed");
  EXPECT_EQ(failure.message, "the handler was killed by SIGSEGV\nlast words");
  EXPECT_EQ(failure.details, R"({"signal":11})");
  EXPECT_TRUE(failure.retryable);
  EXPECT_EQ(failure_of({.signal = 50}).message, "the handler was killed by signal 50");
}

TEST(OutcomeCall, OfAResultCarriesItAsWritten) {
  const HttpCall call = outcome_call("a-1", {.result = R"({ "a" : 1.00 })"});

  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.target, "/v1/attempts/a-1/complete");
  EXPECT_EQ(call.body, R"({"result":{ "a" : 1.00 }})");
  EXPECT_EQ(outcome_call("a-1", {}).body, "{}");
}

TEST(OutcomeCall, OfAFailureSaysWhetherAndWhenItIsTriedAgain) {
  const HttpCall call = outcome_call("a-1", {.failure = failure_of({.exit_code = 65, .errors = "bad \"data\""})});
  const HttpCall stopped = outcome_call("a/1", {.failure = worker_stopped()});

  EXPECT_EQ(call.target, "/v1/attempts/a-1/fail");
  EXPECT_EQ(Json::parse(call.body),
            (Json{{"error", {{"type", "exit_code"}, {"message", "bad \"data\""}, {"details", {{"exit_code", 65}}}}},
                  {"retryable", false}}));
  EXPECT_EQ(stopped.target, "/v1/attempts/a%2F1/fail");
  EXPECT_EQ(Json::parse(stopped.body)["retry_after_ms"], 0);
  EXPECT_FALSE(Json::parse(stopped.body).contains("retryable"));
}

TEST(OutcomeCall, IsTheSameAsAnElementOfAPoll) {
  EXPECT_EQ(outcome_element("a-1", {.result = "17"}), R"({"attempt_id":"a-1","complete":{"result":17}})");
  EXPECT_EQ(outcome_element("a-1", {}), R"({"attempt_id":"a-1","complete":{}})");
  EXPECT_EQ(outcome_element("a-1", {.failure = worker_stopped()}),
            R"({"attempt_id":"a-1","fail":)" + outcome_call("a-1", {.failure = worker_stopped()}).body + "}");
}

}  // namespace
}  // namespace semel::cli::work
