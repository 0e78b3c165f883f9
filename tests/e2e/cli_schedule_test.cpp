#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"

namespace semel::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CliSchedule : public CliTest {
 protected:
  std::string schedule(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "schedule");
    const Finished finished = semel(arguments);
    EXPECT_EQ(finished.code, 0) << finished.errors;
    return finished.output;
  }
  Json json(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    return Json::parse(schedule(std::move(arguments)));
  }
};

TEST_F(CliSchedule, SettingsAreChangedOneByOneAndTheTaskAsAWhole) {
  EXPECT_EQ(schedule({"ls"}), "no schedules\n");

  schedule({"set", "nightly", "--cron", "30 2 * * *", "--zone", "Europe/Berlin", "--handler", "report", "--context",
            R"({"one": 1.0})", "--label", "team=a"});
  const Json changed = json({"set", "nightly", "--missed", "catch_up", "--catch-up-max", "3"});

  EXPECT_EQ(changed["cron"], "30 2 * * *");
  EXPECT_EQ(changed["time_zone"], "Europe/Berlin");
  EXPECT_EQ(changed["catch_up_max"], 3);
  EXPECT_EQ(changed["task"], (Json{{"handler", "report"}, {"context", {{"one", 1.0}}}, {"labels", {{"team", "a"}}}}));
  const Json other = json({"set", "nightly", "--handler", "other", "--missed", "once"});
  EXPECT_EQ(other["task"], (Json{{"handler", "other"}}));
  EXPECT_FALSE(other.contains("catch_up_max"));
  const Json once = json({"set", "nightly", "--at", "2099-01-01T00:00:00Z"});
  EXPECT_EQ(once["at"], "2099-01-01T00:00:00.000Z");
  EXPECT_FALSE(once.contains("cron"));
  EXPECT_EQ(json({"set", "nightly", "--cron", "@daily"})["time_zone"], "UTC");
  EXPECT_THAT(schedule({"ls"}), ContainsRegex("nightly +@daily UTC +once +skip +in [0-9]+h? *[0-9]*m? .*0 +0 +0"));
}

TEST_F(CliSchedule, ATaskMayComeFromAFile) {
  write_file(folder_ / "task.json", R"({"handler": "report", "retry": {"backoff": "fixed"}})");

  const Json made = json({"set", "nightly", "--cron", "@daily", "--task", (folder_ / "task.json").string()});

  EXPECT_EQ(made["task"]["retry"]["backoff"], "fixed");
}

TEST_F(CliSchedule, RunsMakeTasksAndAreShown) {
  schedule({"set", "nightly", "--cron", "@yearly", "--handler", "report"});

  const std::string made = schedule({"run", "nightly"});
  const std::string skipped = schedule({"run", "nightly"});

  EXPECT_THAT(made, ContainsRegex("^[0-9a-f-]{36}  submitted\n"));
  EXPECT_EQ(skipped, "skipped\n");
  const std::string shown = schedule({"get", "nightly"});
  EXPECT_THAT(shown, ContainsRegex("outcome +skipped"));
  EXPECT_THAT(shown, ContainsRegex("last task +" + made.substr(0, 36) + " pending"));
  EXPECT_THAT(shown, ContainsRegex("tasks made +1"));
  EXPECT_THAT(schedule({"get", "nightly", "--json"}), StartsWith(R"({"name":"nightly")"));
}

TEST_F(CliSchedule, ArePausedResumedAndRemoved) {
  schedule({"set", "nightly", "--cron", "@daily", "--handler", "report"});

  EXPECT_THAT(schedule({"pause", "nightly"}), ContainsRegex("next +paused"));
  EXPECT_THAT(schedule({"resume", "nightly"}), ContainsRegex("next +in "));
  EXPECT_EQ(schedule({"rm", "nightly"}), "removed\n");

  EXPECT_EQ(semel({"schedule", "get", "nightly"}).code, 4);
  EXPECT_EQ(semel({"schedule", "rm", "nightly"}).code, 4);
}

TEST_F(CliSchedule, TellWhenTheyFireNext) {
  schedule({"set", "nightly", "--cron", "30 2 * * *", "--zone", "Asia/Tokyo", "--handler", "report"});

  EXPECT_THAT(schedule({"next", "nightly"}), ContainsRegex("IN Asia/Tokyo.*\n.* 02:30 .*T17:30:00"));
  EXPECT_EQ(json({"next", "nightly"})["upcoming"].size(), 5u);
  EXPECT_EQ(semel({"schedule", "next", "nightly", "--count", "9"}).code, 2);
  EXPECT_EQ(semel({"schedule", "next", "nobody"}).code, 4);
}

TEST_F(CliSchedule, WrongUsageIsRefused) {
  const Finished no_task = semel({"schedule", "set", "nightly", "--cron", "@daily"});
  const Finished both = semel({"schedule", "set", "nightly", "--cron", "@daily", "--at", "2099-01-01T00:00:00Z"});
  const Finished bad = semel({"schedule", "set", "nightly", "--cron", "99 * * * *", "--handler", "a"});

  EXPECT_EQ(no_task.code, 2);
  EXPECT_THAT(no_task.errors, HasSubstr("say what is submitted"));
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.errors, HasSubstr("cron '"));
}

TEST(CliScheduleNext, NeedsNoServerForAnExpression) {
  const Finished shown = run_semel({"schedule", "next", "*/15 9-17 * * MON-FRI", "--zone", "America/New_York"});
  const Finished listed = run_semel({"schedule", "next", "@hourly", "--count", "30", "--json"});
  const Finished wrong = run_semel({"schedule", "next", "0 0 30 2 *"});

  EXPECT_EQ(shown.code, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("IN America/New_York"));
  EXPECT_EQ(Json::parse(listed.output)["upcoming"].size(), 30u);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(run_semel({"schedule", "next", "@daily", "--zone", "Mars/Base"}).code, 2);
}

}  // namespace
}  // namespace semel::test
