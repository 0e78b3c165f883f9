#include <gmock/gmock.h>

#include "tests/e2e/work.hpp"
#include "tests/support/places.hpp"

/// `semel work`: what a handler gets, and what becomes of what it leaves.
namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(WorkTest, GivesTheContextByteForByteAndKeepsTheResultAsWritten) {
  const std::string text = R"({ "amount": 1.00, "big": 9007199254740993, "huge": 1e400 })";
  const std::string id = submit({"--handler", "h", "--context", text});

  const Finished done = work_off({"cat"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(done.output, id + "  h  attempt 1  completed\n");
  EXPECT_THAT(server_.connect().raw().ask({.target = "/v1/tasks/" + id + "/result"}).body,
              HasSubstr("\"result\":" + text));
}

TEST_F(WorkTest, GivesContextsThatAreLongerThanAPipe) {
  const std::string text = "\"" + std::string(1'000'000, 'x') + "\"";
  write_file(folder_ / "context.json", text);
  const std::string id = submit({"--handler", "h", "--context-file", (folder_ / "context.json").string()});

  EXPECT_EQ(work_off({"cat"}).code, 0);

  EXPECT_EQ(closed(id)["result"], Json::parse(text));
}

TEST_F(WorkTest, CompletesWithoutAResultWhenNothingIsPrinted) {
  const std::string id = submit({"--handler", "h"});

  work_off({"true"});

  EXPECT_EQ(closed(id)["status"], "completed");
  EXPECT_FALSE(task(id).contains("result"));
}

TEST_F(WorkTest, FailsWithTheLastLinesOfStandardErrorAndPassesThemOn) {
  const std::string id = submit({"--handler", "h", "--max-attempts", "1"});

  const Finished done = work_off(shell("echo looking >&2; echo 'no such order' >&2; exit 7"));

  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.output, id + "  h  attempt 1  exit_code, failed\n");
  EXPECT_THAT(done.errors, HasSubstr("looking\nno such order\n"));
  EXPECT_EQ(closed(id)["error"],
            (Json{{"type", "exit_code"}, {"message", "looking\nno such order"}, {"details", {{"exit_code", 7}}}}));
}

TEST_F(WorkTest, TriesAgainAfterMostExitCodesAndNotAfter65) {
  const std::string good_for_nothing = submit({"--handler", "h", "--context", "65"});
  const std::string later = submit({"--handler", "h", "--context", "75"});
  const std::string other = submit({"--handler", "h", "--context", "1"});

  const Finished done = work_off(shell("exit $(cat)"), {"--max-tasks", "3"});

  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.output, HasSubstr(later + "  h  attempt 1  exit_code, will be tried again\n"));
  EXPECT_EQ(task(good_for_nothing)["status"], "failed");
  EXPECT_EQ(task(later)["attempts"][0]["error"]["details"]["exit_code"], 75);
  EXPECT_EQ(task(other)["attempts"][0]["error"]["details"]["exit_code"], 1);
  for (const std::string& id : {later, other}) EXPECT_EQ(task(id)["status"], "pending");
}

TEST_F(WorkTest, KnowsExitCodesAlsoWhereSigchldIsIgnored) {
  const std::string id = submit({"--handler", "h", "--max-attempts", "1"});
  std::vector<std::string> command = work_command(server_.address(), {"--exit-when-empty"}, {"false"});
  command.insert(command.begin(), {"bash", "-c", "trap '' CHLD; exec \"$@\"", "bash"});

  EXPECT_EQ(run_to_end(command).code, 0);

  EXPECT_EQ(closed(id)["error"]["details"]["exit_code"], 1);
}

TEST_F(WorkTest, NamesTheSignalThatKilledAHandler) {
  const std::string id = submit({"--handler", "h", "--max-attempts", "1"});

  work_off(shell("echo so far >&2; kill -KILL $$"));

  EXPECT_EQ(closed(id)["error"], (Json{{"type", "killed"},
                                       {"message", "the handler was killed by SIGKILL\nso far"},
                                       {"details", {{"signal", 9}}}}));
}

TEST_F(WorkTest, WantsJsonUnlessItIsToldThatTheOutputIsText) {
  const std::string refused = submit({"--handler", "h"});
  work_off({"echo", "all", "done"});
  const std::string taken = submit({"--handler", "h"});
  work_off({"echo", "all", "done"}, {"--exit-when-empty", "--text"});

  EXPECT_EQ(closed(refused)["status"], "failed");
  EXPECT_EQ(task(refused)["error"]["type"], "bad_output");
  EXPECT_THAT(std::string(task(refused)["error"]["message"]), StartsWith("the handler's output is not JSON: "));
  EXPECT_EQ(closed(taken)["result"], "all done");
}

TEST_F(WorkTest, RefusesAnOutputThatIsTooLong) {
  const std::string id = submit({"--handler", "h"});

  EXPECT_EQ(work_off({"head", "-c", "5000000", "/dev/zero"}).code, 0);

  EXPECT_EQ(closed(id)["error"]["type"], "bad_output");
  EXPECT_THAT(std::string(task(id)["error"]["message"]), HasSubstr("longer than a result may be"));
}

TEST_F(WorkTest, TellsTheHandlerWhichTaskItIs) {
  const std::string id = submit({"--handler", "ship", "--idempotency-key", "order 1", "--label", "team=a"});
  const std::string print =
      R"(printf '{"uuid":"%s","id":"%s","handler":"%s","queue":"%s","attempt":%s,"attempt_id":"%s","effect_key":"%s",)"
      R"("dispatch_id":"%s","external_id":"%s","labels":%s}' "$SEMEL_TASK_UUID" "$SEMEL_TASK_ID" "$SEMEL_TASK_HANDLER" )"
      R"("$SEMEL_TASK_QUEUE" "$SEMEL_TASK_ATTEMPT" "$SEMEL_TASK_ATTEMPT_ID" "$SEMEL_TASK_EFFECT_KEY" )"
      R"("$SEMEL_TASK_DISPATCH_ID" "$SEMEL_TASK_EXTERNAL_ID" "$SEMEL_TASK_LABELS")";

  EXPECT_EQ(work_off(shell(print), {"--exit-when-empty", "--worker-id", "till 1"}).code, 0);

  const Json done = closed(id);
  const Json& attempt = done["attempts"][0];
  EXPECT_EQ(done["result"], (Json{{"uuid", id},
                                  {"id", "order 1"},
                                  {"handler", "ship"},
                                  {"queue", "default"},
                                  {"attempt", 1},
                                  {"attempt_id", attempt["attempt_id"]},
                                  {"effect_key", id},
                                  {"dispatch_id", attempt["dispatch_id"]},
                                  {"external_id", attempt["external_id"]},
                                  {"labels", {{"team", "a"}}}}));
  EXPECT_EQ(attempt["worker_id"], "till 1");
}

TEST_F(WorkTest, LetsAHandlerUseTheProgramWithTheSameServer) {
  const std::string id = submit({"--handler", "first"});
  const std::string semel = places::semel;

  const Finished done =
      work_off(shell("if [ $SEMEL_TASK_HANDLER = first ]; then " + semel + " config print >/dev/null && " + semel +
                     " submit --handler second --idempotency-key \"$SEMEL_TASK_EFFECT_KEY\" --json; fi"));

  EXPECT_EQ(done.code, 0);
  ASSERT_EQ(closed(id)["status"], "completed") << done.errors;
  const std::string second = task(id)["result"]["task_uuid"];
  EXPECT_EQ(done.output, id + "  first  attempt 1  completed\n" + second + "  second  attempt 1  completed\n");
}

TEST_F(WorkTest, GivesTheCommandItsArgumentsAsTheyAre) {
  const std::string id = submit({"--handler", "h"});

  work_off({"printf", R"(["%s","%s","%s","%s","%s"])", "a b", "[1,2]", "--", "--queue", ""});

  EXPECT_EQ(closed(id)["result"], (Json{"a b", "[1,2]", "--", "--queue", ""}));
}

TEST_F(WorkTest, RunsSeveralAtOnce) {
  const Meeting meeting(folder_ / "meeting");
  const std::string writer = submit({"--handler", "writer"});
  const std::string reader = submit({"--handler", "reader"});

  const Finished done = work_off(shell("if [ $SEMEL_TASK_HANDLER = writer ]; then echo 17 >" + meeting.path() +
                                       "; else cat " + meeting.path() + "; fi"),
                                 {"--concurrency", "2", "--exit-when-empty"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(closed(writer)["status"], "completed");
  EXPECT_EQ(closed(reader)["result"], 17);
}

TEST_F(WorkTest, TakesNoMoreThanItWasTold) {
  const std::string first = submit({"--handler", "h", "--priority", "2"});
  const std::string second = submit({"--handler", "h", "--priority", "1"});
  const std::string third = submit({"--handler", "h"});
  const std::string fourth = submit({"--handler", "other", "--priority", "9"});

  const Finished two =
      work_off({"true"}, {"--max-tasks", "2", "--concurrency", "5", "--handler", "h", "--handler", "g"});

  EXPECT_EQ(two.code, 0);
  EXPECT_EQ(std::count(two.output.begin(), two.output.end(), '\n'), 2);
  EXPECT_EQ(task(first)["status"], "completed");
  EXPECT_EQ(task(second)["status"], "completed");
  EXPECT_EQ(task(third)["status"], "pending");

  EXPECT_EQ(work_off({"true"}, {"--once"}).output, fourth + "  other  attempt 1  completed\n");
  EXPECT_EQ(task(third)["status"], "pending");
}

TEST_F(WorkTest, KillsWhatAHandlerHasLeftRunning) {
  const Meeting meeting(folder_ / "meeting");
  submit({"--handler", "h"});

  Process worker_process(worker(shell("exec 3>" + meeting.path() + "; tail -f /dev/null & exit 0"), {"--once"}));

  EXPECT_EQ(meeting.read(), "");  // ends when nobody has the pipe open
  EXPECT_EQ(worker_process.wait(), 0);
}

TEST_F(WorkTest, EndsWhenTheHandlerCannotBeStartedAnyMore) {
  const std::filesystem::path file = folder_ / "handler.sh";
  write_file(file, "exit 0\n");  // has no first line that says who reads it
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  const std::string first = submit({"--handler", "h"});
  const std::string second = submit({"--handler", "h"});

  const Finished done = work_off({file.string()}, {"--concurrency", "2"});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.errors, HasSubstr("does it begin with a line such as #!/bin/sh?; stopping"));
  for (const std::string& id : {first, second}) EXPECT_EQ(task(id)["status"], "pending");
  EXPECT_EQ(task(first)["attempts"][0]["error"]["type"], "cannot_start");
}

struct WrongWork {
  std::vector<std::string> arguments;
  std::string why;
};

TEST(WorkUsage, ThatIsWrongIsExplained) {
  const std::vector<WrongWork> uses{
      {{"--", "true"}, "--queue is required"},
      {{"--queue", "q"}, "give the command to run, after --"},
      {{"--queue", "q", "--"}, "give the command to run, after --"},
      {{"--queue", "q", "true"}, "write -- before the command"},
      {{"--queue", "a b", "--", "true"}, "--queue must be 1 to 100 characters"},
      {{"--queue", "q", "--handler", "", "--", "true"}, "--handler must be"},
      {{"--queue", "q", "--", "./no/such"}, "cannot run ./no/such: No such file"},
      {{"--queue", "q", "--", "no-such-program"}, "there is no such program in PATH"},
      {{"--queue", "q", "--lease", "10ms", "--", "true"}, "--lease: 10ms is not from 1s to 1h"},
      {{"--queue", "q", "--grace", "soon", "--", "true"}, "--grace: 'soon' is not a duration"},
      {{"--queue", "q", "--concurrency", "0", "--", "true"}, "--concurrency"},
      {{"--queue", "q", "--once", "--max-tasks", "2", "--", "true"}, "--once excludes --max-tasks"},
      {{"--queue", "q", "--url", "here", "--", "true"}, "'here' is not a url"},
      {{"--queue", "q", "--worker-id", "a\nb", "--", "true"}, "--worker-id must not contain control characters"}};
  for (const WrongWork& use : uses) {
    std::vector<std::string> arguments{"work"};
    arguments.insert(arguments.end(), use.arguments.begin(), use.arguments.end());

    const Finished done = run_semel(arguments);

    EXPECT_EQ(done.code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(done.errors, HasSubstr(use.why)) << testing::PrintToString(arguments);
    EXPECT_EQ(done.output, "");
  }
}

TEST(WorkUsage, IsShownWithExamples) {
  const Finished help = run_semel({"work", "--help"});

  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output, HasSubstr("semel work --queue paperwork -- ./handler.sh"));
}

}  // namespace
}  // namespace semel::test
