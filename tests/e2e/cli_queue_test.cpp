#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"

namespace semel::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CliQueue : public CliTest {
 protected:
  std::string fine(const std::vector<std::string>& arguments) {
    const Finished finished = semel(arguments);
    EXPECT_EQ(finished.code, 0) << finished.errors;
    return finished.output;
  }
};

TEST_F(CliQueue, SettingsAreChangedOneByOne) {
  EXPECT_EQ(fine({"queue", "ls"}), "no queues\n");

  fine({"queue", "set", "mail", "--rate-limit", "100/sec", "--retention", "30d"});
  fine({"queue", "set", "mail", "--max-running", "5"});
  const std::string shown = fine({"queue", "set", "mail", "--retention", "default"});

  EXPECT_THAT(shown, ContainsRegex("rate_limit +100/sec"));
  EXPECT_THAT(shown, ContainsRegex("max_running +5"));
  EXPECT_THAT(shown, ContainsRegex("retention +7d"));
  EXPECT_THAT(fine({"queue", "ls"}), ContainsRegex("mail +open +0 +0 +0 +0 +7d +rate_limit=100/sec max_running=5"));
}

TEST_F(CliQueue, APausedQueueSaysSo) {
  submit({"--handler", "a", "--queue", "mail"});

  EXPECT_THAT(fine({"queue", "pause", "mail"}), ContainsRegex("state +paused"));
  EXPECT_THAT(fine({"queue", "get", "mail"}), ContainsRegex("ready +1"));
  EXPECT_THAT(fine({"queue", "resume", "mail"}), ContainsRegex("state +open"));
}

TEST_F(CliQueue, WrongSettingsAreRefusedBeforeAnythingIsSent) {
  const Finished wrong = semel({"queue", "set", "mail", "--rate-limit", "fast"});
  const Finished none = semel({"queue", "set", "mail"});

  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("rate_limit must be a count from 1 to 1000000 and a time"));
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.errors, HasSubstr("nothing to set"));
}

TEST_F(CliQueue, PurgeCountsFirstAndActsOnlyWhenAskedTo) {
  const std::string id = submit({"--handler", "a", "--queue", "mail"});
  submit({"--handler", "a", "--queue", "mail"});
  const std::string other = submit({"--handler", "a"});

  EXPECT_EQ(fine({"queue", "purge", "mail"}), "2 would be cancelled; add --yes to do it\n");
  EXPECT_THAT(fine({"get", id}), HasSubstr("pending"));
  EXPECT_EQ(fine({"queue", "purge", "mail", "--yes"}), "2 cancelled\n");

  EXPECT_THAT(fine({"get", id}), HasSubstr("cancelled"));
  EXPECT_THAT(fine({"get", other}), HasSubstr("pending"));
  EXPECT_EQ(fine({"queue", "purge", "mail", "--yes"}), "no task fits\n");
}

TEST_F(CliQueue, DeadTasksAreListedAndTriedAgain) {
  const std::string id = submit({"--handler", "a", "--max-attempts", "1"});
  submit({"--handler", "b"});
  RestClient worker = server_.connect();
  const Json leases =
      worker.post("/v1/worker/poll", {{"worker_id", "w"}, {"queues", {"default"}}, {"handlers", {"a"}}}).body["leases"];
  worker.post("/v1/attempts/" + leases.at(0)["attempt_id"].get<std::string>() + "/fail",
              {{"error", {{"type", "BOOM"}, {"message", "x"}}}});

  EXPECT_THAT(fine({"dead", "ls"}), HasSubstr(id));
  EXPECT_EQ(fine({"dead", "retry", "--queue", "default", "--yes"}), "1 tried again\n");

  EXPECT_EQ(fine({"dead", "ls"}), "no tasks\n");
  EXPECT_THAT(fine({"get", id}), HasSubstr("pending"));
}

TEST_F(CliQueue, BulkNeedsAFilterOrAll) {
  submit({"--handler", "a"});

  const Finished none = semel({"bulk", "cancel"});

  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.errors, HasSubstr("say which tasks"));
  EXPECT_EQ(fine({"bulk", "cancel", "--all", "--yes", "--json"}), "{\"matched\":1,\"done\":1}\n");
}

}  // namespace
}  // namespace semel::test
