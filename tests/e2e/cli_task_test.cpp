#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/places.hpp"

namespace semel::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr const char* uuid = "[0-9a-f-]{36}";

class CliTask : public CliTest {};

TEST_F(CliTask, IsCreatedOnceAndADuplicateHasItsOwnExitCode) {
  const std::vector<std::string> order{"submit", "--handler", "ship", "--idempotency-key", "order-1", "--context"};
  std::vector<std::string> first = order, other = order, describe = order;
  first.push_back(R"({"to": "Rome"})");
  other.push_back(R"({"to": "Oslo"})");
  describe.insert(describe.end(), {R"({"to": "Rome"})", "--on-duplicate", "return_existing"});

  const Finished created = semel(first);
  const Finished duplicate = semel(first);
  const Finished mismatch = semel(other);
  const Finished returned = semel(describe);

  EXPECT_EQ(created.code, 0) << created.errors;
  EXPECT_THAT(created.output, MatchesRegex(std::string(uuid) + "  created  pending\n"));
  EXPECT_EQ(duplicate.code, 3);
  EXPECT_EQ(duplicate.output, "");
  EXPECT_THAT(duplicate.errors, HasSubstr("already exists"));
  EXPECT_THAT(duplicate.errors, HasSubstr("semel explain"));
  EXPECT_EQ(mismatch.code, 3);
  EXPECT_THAT(mismatch.errors, HasSubstr("It differs at /to."));
  EXPECT_EQ(returned.code, 0);
  EXPECT_EQ(returned.output, created.output.substr(0, 36) + "  exists already  pending\n");
}

TEST_F(CliTask, HasItsContextAsItWasWritten) {
  const std::string text = R"({ "amount": 1.00, "big": 9007199254740993, "huge": 1e400 })";
  write_file(folder_ / "context.json", text);
  const std::string pipe = std::string("printf %s '") + text + "' | " + places::semel +
                           " submit --handler h --context - --url http://" + server_.address();
  std::vector<std::string> ids{submit({"--handler", "h", "--context", text}),
                               submit({"--handler", "h", "--context-file", (folder_ / "context.json").string()}),
                               run_to_end({"bash", "-c", pipe}).output.substr(0, 36)};

  for (const std::string& id : ids) {
    EXPECT_THAT(server_.connect().raw().ask({.target = "/v1/tasks/" + id}).body, HasSubstr("\"context\":" + text));
    EXPECT_THAT(semel({"get", id}).output, HasSubstr(text));
  }
  for (const std::string& value : {std::string("[1,2]"), std::string("-5"), std::string("\"x\"")}) {
    const std::string id = submit({"--handler", "h", "--context=" + value});
    EXPECT_THAT(server_.connect().raw().ask({.target = "/v1/tasks/" + id}).body, HasSubstr("\"context\":" + value));
  }
}

TEST_F(CliTask, TakesAllItsOptionsToTheServer) {
  const std::string id = submit({"--handler", "ship", "--queue", "fast", "--priority", "7", "--ttl", "1h",
                                 "--idempotency-key", "k", "--run-at", "2100-01-01T00:00:00Z", "--label", "team=a",
                                 "--label", "env=x", "--reuse", "allow_duplicate"});

  const Json task = server_.connect().get("/v1/tasks/" + id).body;

  EXPECT_EQ(task["handler"], "ship");
  EXPECT_EQ(task["queue"], "fast");
  EXPECT_EQ(task["priority"], 7);
  EXPECT_EQ(task["identity"]["window"], "1h after creation");
  EXPECT_EQ(task["run_at"], "2100-01-01T00:00:00.000Z");
  EXPECT_EQ(task["labels"], (Json{{"team", "a"}, {"env", "x"}}));
}

TEST_F(CliTask, IsWaitedForAndItsEndIsTheExitCode) {
  const Finished waiting = semel({"submit", "--handler", "h", "--wait", "10ms"});
  const std::string id = waiting.output.substr(0, 36);
  const Finished open = semel({"result", id});
  work("complete", {{"result", {{"parcel", 17}}}});
  const Finished completed = semel({"result", id, "--wait", "30s"});
  const std::string failed_id = submit({"--handler", "h", "--max-attempts", "1"});
  work("fail", {{"error", {{"type", "NO"}, {"message", "sold out"}}}});
  const Finished failed = semel({"result", failed_id});

  EXPECT_EQ(waiting.code, 6);
  EXPECT_EQ(open.code, 6);
  EXPECT_EQ(open.output, "pending\n");
  EXPECT_EQ(completed.code, 0);
  EXPECT_EQ(completed.output, "{\"parcel\":17}\n");
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.output, StartsWith("failed\nerror: {"));
  EXPECT_THAT(failed.output, HasSubstr("sold out"));
}

TEST_F(CliTask, IsShownWithAllThatIsKnown) {
  const std::string id = submit({"--handler", "ship", "--idempotency-key", "order-1", "--label", "team=a"});
  semel({"submit", "--handler", "ship", "--idempotency-key", "order-1"});
  work("complete", {{"result", 1}});

  const Finished shown = semel({"get", id});
  const Finished by_key = semel({"get", "--idempotency-key", "order-1"});

  EXPECT_EQ(shown.code, 0) << shown.errors;
  for (const char* line :
       {"status      completed\n", "handler     ship\n", "key         order-1\n", "labels      team=a\n",
        "context     {}\n", "result      1\n", "duplicates  at least 1 prevented\n"})
    EXPECT_THAT(shown.output, HasSubstr(line));
  EXPECT_THAT(shown.output, MatchesRegex("(.|\n)*created_at  20[0-9-]+ [0-9:]+ UTC \\((now|[0-9]+s ago)\\)\n(.|\n)*"));
  EXPECT_THAT(shown.output, MatchesRegex("(.|\n)*ATTEMPT +WORKER +OUTCOME(.|\n)*1 +w1 +completed(.|\n)*"));
  EXPECT_THAT(shown.output, Not(HasSubstr("\x1b[")));
  EXPECT_EQ(by_key.code, 0);
  EXPECT_THAT(by_key.output, HasSubstr("held        true\n"));
  EXPECT_THAT(by_key.output, HasSubstr(id));
}

TEST_F(CliTask, IsFoundByATextInItsContext) {
  const std::string ada = submit({"--handler", "ship", "--context", R"({"to":{"name":"Ada"}})"});
  const std::string bob = submit({"--handler", "ship", "--context", R"({"to":{"name":"Bob"},"from":"Ada"})"});

  const Finished anywhere = semel({"ls", "--context-text", "Ada"});
  const Finished there = semel({"ls", "--context-text", "Ada", "--context-path", "/to/name"});

  EXPECT_THAT(anywhere.output, HasSubstr(bob));
  EXPECT_THAT(there.output, HasSubstr(ada));
  EXPECT_THAT(there.output, Not(HasSubstr(bob)));
  EXPECT_EQ(semel({"ls", "--context-path", "/to"}).code, 2);
}

TEST_F(CliTask, IsCancelled) {
  const std::string id = submit({"--handler", "h"});

  const Finished first = semel({"cancel", id});
  const Finished second = semel({"cancel", id});

  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.output, "cancelled\n");
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.errors, HasSubstr("NOT_CANCELLABLE"));
}

TEST_F(CliTask, IsTriedAgain) {
  const std::string id = submit({"--handler", "h"});
  EXPECT_THAT(semel({"retry", id}).errors, HasSubstr("NOT_RETRYABLE"));
  semel({"cancel", id});

  const Finished again = semel({"retry", id});

  EXPECT_EQ(again.code, 0) << again.errors;
  EXPECT_EQ(again.output, "pending\n");
}

TEST_F(CliTask, IsExplained) {
  submit({"--handler", "h", "--idempotency-key", "k"});

  const Finished held = semel({"explain", "--handler", "h", "--idempotency-key", "k"});
  const Finished free = semel({"explain", "--handler", "h", "--idempotency-key", "other"});

  EXPECT_EQ(held.code, 0) << held.errors;
  EXPECT_THAT(held.output,
              MatchesRegex("would +duplicate\nwhy +The holder is pending(.|\n)*material +k\n(.|\n)*holder\n(.|\n)*"));
  EXPECT_THAT(free.output, MatchesRegex("would +create\n(.|\n)*"));
}

TEST_F(CliTask, IsPrintedAsTheServersJsonWhenAsked) {
  const Finished created = semel({"submit", "--handler", "h", "--idempotency-key", "k", "--json"});
  const Finished refused = semel({"submit", "--handler", "h", "--idempotency-key", "k", "--json"});
  const Json task = Json::parse(created.output);
  const Finished shown = semel({"get", task["task_uuid"], "--json"});

  EXPECT_EQ(task["idempotency_key_new"], true);
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(Json::parse(refused.output)["error"]["code"], "CONFLICT");
  EXPECT_EQ(Json::parse(shown.output), server_.connect().get("/v1/tasks/" + task["task_uuid"].get<std::string>()).body);
  EXPECT_THAT(shown.output, EndsWith("}\n"));
}

TEST_F(CliTask, ThatIsNotThereHasItsOwnExitCode) {
  const std::string unknown = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"get", unknown},
                                             {"result", unknown},
                                             {"cancel", unknown},
                                             {"get", "--idempotency-key", "k"},
                                             {"submit", "none"}}) {
    const Finished done = semel(arguments);

    EXPECT_EQ(done.code, 4) << testing::PrintToString(arguments);
    EXPECT_THAT(done.errors, MatchesRegex("semel: .*\\(404 NOT_FOUND\\)\n")) << testing::PrintToString(arguments);
  }
}

TEST_F(CliTask, IsNotNamedByItsKeyAndTheCommandThatIsMeantIsTold) {
  const Finished done = semel({"get", "order-1"});

  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.errors,
            "semel: 'order-1' is not a UUID; semel get --idempotency-key KEY finds a task by its key (400 "
            "BAD_REQUEST)\n");
}

TEST_F(CliTask, IsColouredOnATerminalUnlessNoColorIsSet) {
  const std::string id = submit({"--handler", "h"});
  semel({"cancel", id});
  const std::string command = std::string(places::semel) + " get " + id + " --url http://" + server_.address();
  const auto on_terminal = [&](const std::string& environment) {
    return run_to_end({"env", "TERM=xterm", environment, "script", "-qec", command, "/dev/null"}).output;
  };

  EXPECT_THAT(on_terminal("NO_COLOR="), HasSubstr("\x1b[33mcancelled\x1b[0m"));
  EXPECT_THAT(on_terminal("NO_COLOR=1"), Not(HasSubstr("\x1b[")));
}

}  // namespace
}  // namespace semel::test
