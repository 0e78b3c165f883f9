#include <gmock/gmock.h>

#include <sstream>

#include "tests/e2e/cli.hpp"
#include "tests/e2e/pushing.hpp"

namespace semel::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Both identifiers of what is pushed, where people look for them.
class CliDispatch : public testing::Test {
 protected:
  CliDispatch() : server_("sqlite:" + (folder_ / "semel.db").string()) {}

  Finished semel(std::vector<std::string> arguments) {
    return run_client(server_.process().address(), std::move(arguments));
  }

  TempDir folder_;
  PushingServer server_;
};

TEST_F(CliDispatch, GetShowsBothNamesOfAttemptsAndTimers) {
  const std::string id = server_.push("take");
  server_.await_push(id, 1, "sent");
  const Json told = server_.task(id);

  const Finished got = semel({"get", id});

  ASSERT_EQ(got.code, 0) << got.errors;
  EXPECT_THAT(got.output, HasSubstr("dispatch:" + id + ":take:1"));
  EXPECT_THAT(got.output, HasSubstr(told["attempts"][0]["external_id"].get<std::string>()));
  ASSERT_EQ(told["timers"].size(), 1u);
  EXPECT_THAT(got.output, HasSubstr(told["timers"][0]["timer_id"].get<std::string>()));
  EXPECT_THAT(got.output, HasSubstr(told["timers"][0]["external_id"].get<std::string>()));
}

TEST_F(CliDispatch, FindKnowsEveryNameThatIsShown) {
  const std::string pushed = server_.push("take");
  server_.await_push(pushed, 1, "sent");
  const Json told = server_.task(pushed);
  const std::string polled =
      server_.client().post("/v1/tasks", {{"handler", "charge"}, {"queue", "default"}}).body.at("task_uuid");
  const Json lease = server_.client()
                         .post("/v1/worker/poll", {{"worker_id", "w"}, {"queues", {"default"}}, {"max", 1}})
                         .body["leases"]
                         .at(0);

  for (const Json& name : {told["attempts"][0]["dispatch_id"], told["attempts"][0]["external_id"],
                           told["timers"][0]["timer_id"], told["timers"][0]["external_id"]})
    EXPECT_THAT(semel({"find", name}).output, HasSubstr(pushed)) << name;
  for (const Json& name : {lease["dispatch_id"], lease["external_id"]})
    EXPECT_THAT(semel({"find", name}).output, HasSubstr(polled)) << name;
  EXPECT_EQ(semel({"find", "t_aaaaaaaaaaaaaaaaaaaaaaaaaa"}).code, 4);
}

TEST_F(CliDispatch, RedispatchSaysUnderWhichNamesItIsSentOnceMore) {
  const std::string id = server_.push("take");
  server_.await_push(id, 1, "sent");

  const Finished again = semel({"redispatch", id});

  ASSERT_EQ(again.code, 0) << again.errors;
  server_.await([&] { return server_.task(id)["attempts"][0]["push"]["sends"] == 2; });
  const Json attempt = server_.task(id)["attempts"][0];
  EXPECT_EQ(attempt["dispatch_id"], "dispatch:" + id + ":take:1:r1");
  EXPECT_EQ(again.output,
            attempt["dispatch_id"].get<std::string>() + "\n" + attempt["external_id"].get<std::string>() + "\n");
  EXPECT_EQ(semel({"redispatch", server_.push("do")}).code, 1);
}

/// The lines about dispatches in a log of JSON.
std::vector<Json> dispatch_lines(const std::string& log) {
  std::vector<Json> lines;
  std::istringstream text(log);
  for (std::string line; std::getline(text, line);) {
    const Json read = Json::parse(line, nullptr, false);
    if (read.is_object() && read.contains("dispatch_id")) lines.push_back(read);
  }
  return lines;
}

testing::Matcher<Json> says(const std::string& name, const std::string& value) {
  return testing::ResultOf([name](const Json& line) { return line.value(name, ""); }, value);
}

TEST(DispatchLog, HasBothNamesOfEveryPush) {
  TempDir folder;
  PushingServer server("sqlite:" + (folder / "semel.db").string(), {"--log-level", "debug", "--log-format", "json"});
  const std::string id = server.push("take");
  server.await_push(id, 1, "sent");
  const std::string external = server.task(id)["attempts"][0]["external_id"];
  ASSERT_EQ(server.process().stop(), 0);

  const std::vector<Json> lines = dispatch_lines(server.process().process().errors());

  EXPECT_THAT(lines, Contains(testing::AllOf(says("dispatch_id", "dispatch:" + id + ":take:1"),
                                             says("external_id", external), says("answer", "accepted"))));
}

TEST(DispatchLog, WarnsOfWhatDidNotArriveUnderBothNames) {
  TempDir folder;
  PushingServer server("sqlite:" + (folder / "semel.db").string(), {"--log-format", "json"});
  const std::string id = server.push("be_down");
  server.await_push(id, 1, "unsent");
  const std::string external = server.task(id)["attempts"][0]["external_id"];
  ASSERT_EQ(server.process().stop(), 0);

  const std::vector<Json> lines = dispatch_lines(server.process().process().errors());

  EXPECT_THAT(lines,
              Contains(testing::AllOf(says("level", "warning"), says("dispatch_id", "dispatch:" + id + ":be_down:1"),
                                      says("external_id", external), says("answer", "later"))));
}

TEST(UnsignedPushes, AreWarnedOfAtStartWhereQueuesHaveTargets) {
  TempDir folder;
  const std::filesystem::path file = folder / "semel.db";
  const std::filesystem::path secrets = folder / "secrets";
  write_file(secrets, "default whsec_" + std::string(32, 'A') + "\n");
  const auto said_at_start = [&](const std::vector<std::string>& more) {
    ServerProcess server(file, more);
    EXPECT_EQ(server.stop(), 0);
    return server.process().errors();
  };
  EXPECT_THAT(said_at_start({}), testing::Not(HasSubstr("no signing secret")));
  {
    ServerProcess server(file);
    const Json queue{{"target", "https://mailer.invalid/tasks"}};
    ASSERT_EQ(server.connect().raw().ask({"PUT", "/v1/queues/push", "", queue.dump()}).status, 200);
    ASSERT_EQ(server.stop(), 0);
  }

  EXPECT_THAT(said_at_start({}), HasSubstr("there is no signing secret"));
  EXPECT_THAT(said_at_start({"--dispatch-signing-secrets-file", secrets.string()}),
              testing::Not(HasSubstr("no signing secret")));
}

}  // namespace
}  // namespace semel::test
