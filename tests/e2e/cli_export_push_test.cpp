#include <gmock/gmock.h>

#include "tests/e2e/export.hpp"
#include "tests/e2e/pushing.hpp"

namespace semel::test {
namespace {

/// What is exported of tasks that were pushed, from a file and from a database.
class CliExportOfPushes : public testing::TestWithParam<const char*> {
 protected:
  void export_now() {
    const Finished done = run_semel({"export", "--store", store_.url(), "--out", out().string(), "--force"});
    if (done.code != 0) throw std::runtime_error(done.errors);
  }
  std::filesystem::path out() const { return store_ / "export"; }
  Json query(const std::string& select) const { return query_export(out(), select); }

  /// Under the names of REST.
  Json timers_of(const std::string& id) const {
    return query(
        "select timer_id, cloud_task_id as external_id, lower(timer_type) as type, attempt, fire_at, state"
        " from timers where execution_id = '" +
        id + "' order by attempt, type");
  }

  ExportedStore store_{GetParam()};
  PushingServer server_{store_.url()};
};

INSTANTIATE_TEST_SUITE_P(Stores, CliExportOfPushes, testing::Values("sqlite", "postgres"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(CliExportOfPushes, HasTheTimersThatTheServerTells) {
  const Json error{{"type", "t"}, {"message", "no"}};
  const Json retry{{"base", "1h"}};
  std::map<std::string, std::size_t> timers_of_task;
  const std::string accepted = server_.push("take");
  server_.await_push(accepted, 1, "sent");
  timers_of_task[accepted] = 1;
  const std::string waits = server_.push("take", {{"retry", retry}});
  server_.await_push(waits, 1, "sent");
  server_.call_back(waits, "failed", {{"error", error}, {"retry_after_ms", 7'200'000}});
  timers_of_task[waits] = 2;
  const std::string again = server_.push("take", {{"retry", retry}});
  server_.await_push(again, 1, "sent");
  server_.call_back(again, "failed", {{"error", error}, {"retry_after_ms", 1}});
  server_.await_push(again, 2, "sent");
  timers_of_task[again] = 3;
  const std::string by_hand = server_.push("refuse", {{"max_attempts", 1}});
  server_.await_status(by_hand, "failed");
  ASSERT_EQ(server_.client().post("/v1/tasks/" + by_hand + "/retry", Json::object()).status, 200);
  server_.await([&] { return server_.task(by_hand)["attempts"].size() == 2; });
  server_.await_status(by_hand, "failed");
  timers_of_task[by_hand] = 0;
  const std::string done = server_.push("do");
  server_.await_status(done, "completed");
  timers_of_task[done] = 0;
  const std::string unsent = server_.push("be_down", {{"queue", "other"}});
  server_.await_push(unsent, 1, "unsent");
  timers_of_task[unsent] = 0;

  export_now();

  for (const auto& [id, count] : timers_of_task) {
    const Json told = server_.task(id).value("timers", Json::array());
    EXPECT_EQ(told.size(), count) << told;
    EXPECT_EQ(timers_of(id), told) << id;
  }
}

TEST_P(CliExportOfPushes, IsReadTheSameByTwoReaders) {
  const std::string accepted = server_.push("take", {{"idempotency_key", "a"}});
  server_.await_push(accepted, 1, "sent");
  const std::string unsent = server_.push("be_down", {{"queue", "other"}, {"idempotency_key", "b"}});
  server_.await_push(unsent, 1, "unsent");

  export_now();

  for (const char* table : {"executions", "attempts", "dispatch_outbox", "timers", "identities"}) {
    const Json by_duckdb = query(std::string("select * from ") + table);
    EXPECT_FALSE(by_duckdb.empty()) << table;
    EXPECT_EQ(by_duckdb, read_by_hyparquet(out() / (std::string(table) + ".parquet"))) << table;
  }
  const Json dispatches = query("select * from dispatch_outbox order by created_at, dispatch_id");
  ASSERT_EQ(dispatches.size(), 2u);
  EXPECT_EQ(dispatches[0]["accepted_at"], server_.task(accepted)["attempts"][0]["push"]["accepted_at"]);
  EXPECT_EQ(dispatches[0]["status"], "CREATED");
  EXPECT_EQ(dispatches[0]["sends"], 1);
  EXPECT_EQ(dispatches[1]["accepted_at"], Json());
  EXPECT_EQ(dispatches[1]["status"], "PENDING");
}

}  // namespace
}  // namespace semel::test
