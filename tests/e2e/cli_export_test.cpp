#include "tests/e2e/export.hpp"

#include <gmock/gmock.h>

#include "tests/support/places.hpp"
#include "tests/support/push_endpoint.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

const std::vector<std::string> all_tables{"executions", "attempts",   "dispatch_outbox",
                                          "timers",     "identities", "events"};

/// Everything below holds for a file and for a database.
class CliExport : public testing::TestWithParam<const char*> {
 protected:
  Finished run_export(std::vector<std::string> more = {}) {
    std::vector<std::string> command{"export", "--store", store_.url(), "--out", out().string()};
    command.insert(command.end(), more.begin(), more.end());
    return run_semel(command);
  }
  std::filesystem::path out() const { return store_ / "export"; }
  Json query(const std::string& select) const { return query_export(out(), select); }
  /// A table, or whatever stands after FROM.
  std::int64_t count(const std::string& rows) const {
    return query("select count(*) as n from " + rows)[0]["n"].get<std::int64_t>();
  }
  /// Of all tables, by one question.
  std::map<std::string, std::int64_t> counts() const {
    std::string select;
    for (const std::string& table : all_tables)
      select += fmt::format("{}select '{}' as name, count(*) as n from {}", select.empty() ? "" : " union all ", table,
                            table);
    std::map<std::string, std::int64_t> all;
    for (const Json& row : query(select)) all[row["name"]] = row["n"];
    return all;
  }

  /// The first value of the first row, over an export of now.
  std::string query_after_export(const std::string& select) {
    const Finished done = run_export({"--force"});
    if (done.code != 0) throw std::runtime_error(done.errors);
    return query(select)[0].front().get<std::string>();
  }

  ExportedStore store_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Stores, CliExport, testing::Values("sqlite", "postgres"),
                         [](const auto& info) { return std::string(info.param); });

/// What REST tells of a task, under the names of the export; texts of JSON are compared as JSON.
void expect_same_task(const Json& told, const Json& row) {
  const std::map<std::string, std::string> same{{"execution_id", "task_uuid"},
                                                {"kind", "kind"},
                                                {"status", "status"},
                                                {"handler", "handler"},
                                                {"queue", "queue"},
                                                {"priority", "priority"},
                                                {"created_at", "created_at"},
                                                {"run_at", "run_at"},
                                                {"started_at", "started_at"},
                                                {"closed_at", "closed_at"},
                                                {"created_by", "created_by"},
                                                {"idempotency_key", "idempotency_key"},
                                                {"namespace", "namespace"},
                                                {"name", "name"},
                                                {"version", "version"},
                                                {"revision", "revision"}};
  const auto told_of = [&](const std::string& name) { return told.contains(name) ? told[name] : Json(); };
  for (const auto& [column, name] : same) EXPECT_EQ(row[column], told_of(name)) << column << " of " << told;
  const bool is_step = !row["task_key"].is_null();
  EXPECT_TRUE(!is_step || row["context"].is_null());  // it is its run's
  for (const char* column : {"context", "labels", "result", "error"}) {
    if (is_step && std::string(column) == "context") continue;
    const Json exported = row[column].is_null() ? Json() : Json::parse(row[column].get<std::string>());
    EXPECT_EQ(exported, told_of(column)) << column;
  }
  EXPECT_EQ(row["attempt"], told["attempts"].size());
  const bool has_hash = told["identity"].contains("hash");
  EXPECT_EQ(row["identity_hash"], has_hash ? told["identity"]["hash"] : Json());
}

void expect_same_attempt(const Json& told, const Json& attempt, const Json& dispatch) {
  const std::map<std::string, std::string> same{
      {"attempt_id", "attempt_id"}, {"attempt", "attempt"},         {"worker", "worker_id"},
      {"outcome", "outcome"},       {"started_at", "started_at"},   {"lease_until", "lease_expires_at"},
      {"ended_at", "ended_at"},     {"dispatch_id", "dispatch_id"}, {"cloud_task_id", "external_id"}};
  const auto told_of = [&](const std::string& name) { return told.contains(name) ? told[name] : Json(); };
  for (const auto& [column, name] : same) EXPECT_EQ(attempt[column], told_of(name)) << column;
  EXPECT_EQ(attempt["error"].is_null() ? Json() : Json::parse(attempt["error"].get<std::string>()), told_of("error"));
  for (const char* column : {"attempt_id", "dispatch_id", "cloud_task_id", "run_id", "task_key", "attempt", "queue",
                             "execution_id", "outcome", "ended_at"})
    EXPECT_EQ(dispatch[column], attempt[column]) << column;
  EXPECT_EQ(dispatch["created_at"], attempt["started_at"]);
  EXPECT_EQ(dispatch["status"], "CREATED");
}

Json rows_of(const Json& rows, const Json& execution_id) {
  Json its = Json::array();
  for (const Json& row : rows) {
    if (row["execution_id"] == execution_id) its.push_back(row);
  }
  return its;
}

TEST_P(CliExport, HasTheValuesThatTheServerTells) {
  FilledServer server(store_.url());

  const Finished done = run_export({"--json"});

  ASSERT_EQ(done.code, 0) << done.errors;
  const Json executions = query("select * from executions order by execution_id");
  const Json all_attempts = query("select * from attempts order by attempt");
  const Json all_dispatches = query("select * from dispatch_outbox order by attempt");
  std::size_t attempts_told = 0;
  for (const Json& row : executions) {
    const Json told = server.client().get("/v1/tasks/" + row["execution_id"].get<std::string>()).body;
    expect_same_task(told, row);
    const Json attempts = rows_of(all_attempts, row["execution_id"]);
    const Json dispatches = rows_of(all_dispatches, row["execution_id"]);
    ASSERT_EQ(attempts.size(), told["attempts"].size());
    ASSERT_EQ(dispatches.size(), attempts.size());
    for (std::size_t i = 0; i < attempts.size(); ++i)
      expect_same_attempt(told["attempts"][i], attempts[i], dispatches[i]);
    attempts_told += attempts.size();
  }
  EXPECT_EQ(executions.size(), server.ids().size() + 2);  // and the steps of the run
  EXPECT_EQ(all_attempts.size(), attempts_told);
  const std::map<std::string, std::int64_t> there_are = counts();
  const Json told = Json::parse(done.output);
  for (const Json& written : told["tables"])
    EXPECT_EQ(written["rows"], there_are.at(written["table"].get<std::string>())) << written;
}

/// The answer of the target is the result: nobody says before that it has the task.
TEST_P(CliExport, HasWhatWasPushed) {
  const PushEndpoint target([](const EndpointRequest&) { return EndpointReply{.body = R"({"done":true})"}; });
  ServerProcess server(StoreUrl{store_.url()}, {"--dispatch-allowed-networks", "127.0.0.0/8"});
  RestClient client = server.connect();
  const Json queue{{"target", target.url("/run")}};
  ASSERT_EQ(client.raw().ask({"PUT", "/v1/queues/push", "", queue.dump()}).status, 200);
  const std::string id = client.post("/v1/tasks", {{"handler", "charge"}, {"queue", "push"}}).body.at("task_uuid");
  ASSERT_EQ(client.get("/v1/tasks/" + id + "/result?wait=30s").status, 200);

  ASSERT_EQ(run_export().code, 0);

  const Json told = client.get("/v1/tasks/" + id).body;
  const Json attempts = query("select * from attempts");
  const Json dispatches = query("select * from dispatch_outbox");
  ASSERT_EQ(attempts.size(), 1u);
  ASSERT_EQ(dispatches.size(), 1u);
  EXPECT_EQ(attempts[0]["outcome"], "completed");
  EXPECT_EQ(dispatches[0]["sends"], 1);
  expect_same_attempt(told["attempts"][0], attempts[0], dispatches[0]);
}

TEST_P(CliExport, HasTheHistoryOfRuns) {
  FilledServer server(store_.url());
  const std::string run = server.ids().back();

  ASSERT_EQ(run_export().code, 0);

  const Json told = server.client().get("/v1/tasks/" + run + "/history").body["events"];
  const Json events = query("select * from events order by sequence");
  ASSERT_GE(events.size(), 4u);
  ASSERT_EQ(events.size(), told.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(events[i]["run_id"], run);
    EXPECT_EQ(events[i]["sequence"], told[i]["sequence"]);
    EXPECT_EQ(events[i]["occurred_at"], told[i]["at"]);
    EXPECT_EQ(events[i]["event"], told[i]["kind"]);
    EXPECT_EQ(events[i]["task_key"], told[i].contains("task_key") ? told[i]["task_key"] : Json());
  }
  const Json step = query("select * from dispatch_outbox where task_key = 'charge'")[0];
  EXPECT_EQ(step["run_id"], run);
  EXPECT_EQ(step["dispatch_id"], "dispatch:" + run + ":charge:1");
}

TEST_P(CliExport, HasTheTimersOfAttempts) {
  FilledServer server(store_.url());

  ASSERT_EQ(run_export().code, 0);

  const auto timers = [&](const std::string& key) {
    return query(
        "select t.timer_type, t.state, t.timer_id, t.fire_at, e.run_at from timers t join executions e using "
        "(execution_id) where e.idempotency_key = '" +
        key + "' order by t.attempt, t.timer_type");
  };
  const Json completed = timers("completed");  // failed once, tried again at once
  ASSERT_EQ(completed.size(), 3u);
  EXPECT_EQ(completed[1]["timer_type"], "RETRY");
  EXPECT_EQ(completed[1]["state"], "FIRED");
  const Json waiting = timers("waiting");
  ASSERT_EQ(waiting.size(), 2u);
  EXPECT_EQ(waiting[0]["state"], "CANCELLED");
  EXPECT_EQ(waiting[1]["state"], "SCHEDULED");
  EXPECT_EQ(waiting[1]["fire_at"], waiting[1]["run_at"]);
  EXPECT_THAT(waiting[1]["timer_id"].get<std::string>(), HasSubstr(":h.1:1:"));
  ASSERT_EQ(timers("failed").size(), 1u);
  EXPECT_EQ(timers("running")[0]["state"], "SCHEDULED");
}

/// Whoever has a name from an export finds its task by it.
TEST_P(CliExport, HasNoNameThatTheServerDoesNotFind) {
  FilledServer server(store_.url());
  ASSERT_EQ(run_export().code, 0);

  const Json named = query(
      "select dispatch_id as internal, cloud_task_id as external, execution_id, attempt from dispatch_outbox union all"
      " select timer_id, cloud_task_id, execution_id, attempt from timers");

  const std::map<std::string, std::int64_t> there_are = counts();
  EXPECT_EQ(named.size(), static_cast<std::size_t>(there_are.at("dispatch_outbox") + there_are.at("timers")));
  for (const Json& each : named) {
    const auto [internal, external] =
        std::pair(each["internal"].get<std::string>(), each["external"].get<std::string>());
    for (const std::string& name : {"dispatch_id=" + internal, "external_id=" + external}) {
      const Reply found = server.client().get("/v1/dispatches?" + name);
      ASSERT_EQ(found.status, 200) << name << found.body;
      EXPECT_EQ(found.body["task_uuid"], each["execution_id"]) << name;
      // Two attempts whose leases end in one second share the name of their heartbeat timers.
      const bool says_attempt = !internal.starts_with("timer:heartbeat:");
      EXPECT_TRUE(!says_attempt || found.body["attempt"] == each["attempt"]) << name;
    }
  }
}

TEST_P(CliExport, HasTheIdentitiesThatAreHeld) {
  FilledServer server(store_.url());

  ASSERT_EQ(run_export().code, 0);

  const Json held = query("select * from identities where idempotency_key = 'completed'");
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0]["execution_id"], server.ids()[0]);
  EXPECT_EQ(held[0]["status"], "completed");
  EXPECT_EQ(held[0]["is_tombstone"], false);
  EXPECT_EQ(held[0]["window_kind"], "after_closing");
  const Json told = server.client().get("/v1/tasks/by-key?key=completed").body;
  EXPECT_EQ(told.at("holder").at("execution_id"), held[0]["execution_id"]);
  EXPECT_EQ(told.at("holder").at("status"), held[0]["status"]);
  const Json task = server.client().get("/v1/tasks/" + server.ids()[0]).body;
  EXPECT_EQ(task.at("identity").at("hash"), held[0]["identity_hash"]);
  const Json hashes = query("select count(*) as n from executions where identity_hash is not null");
  EXPECT_EQ(hashes[0]["n"], count("identities"));
}

TEST_P(CliExport, IsReadTheSameByTwoReaders) {
  FilledServer server(store_.url());

  ASSERT_EQ(run_export().code, 0);

  for (const std::string& table : all_tables) {
    const Json by_duckdb = query("select * from " + table);
    const Json by_hyparquet = read_by_hyparquet(out() / (table + ".parquet"));
    EXPECT_FALSE(by_duckdb.empty()) << table;
    EXPECT_EQ(by_duckdb, by_hyparquet) << table;
  }
}

TEST_P(CliExport, HasRealTimestampsAndZstd) {
  FilledServer server(store_.url());

  ASSERT_EQ(run_export().code, 0);

  const Json types = query("select distinct typeof(created_at) as t, typeof(attempt) as n from executions");
  const Json schema = query("select logical_type from parquet_schema('" + (out() / "executions.parquet").string() +
                            "') where name = 'created_at'");
  const Json packed =
      query("select distinct compression from parquet_metadata('" + (out() / "executions.parquet").string() + "')");
  EXPECT_EQ(types[0]["t"], "TIMESTAMP WITH TIME ZONE");
  EXPECT_EQ(types[0]["n"], "BIGINT");
  EXPECT_THAT(schema[0]["logical_type"].get<std::string>(), HasSubstr("isAdjustedToUTC=1"));
  EXPECT_THAT(schema[0]["logical_type"].get<std::string>(), HasSubstr("MICROS=MicroSeconds()"));
  EXPECT_EQ(packed, Json::parse(R"([{"compression":"ZSTD"}])"));
}

TEST_P(CliExport, HasOnlyWhatHappenedSince) {
  FilledServer server(store_.url());
  const std::string newest = query_after_export("select max(created_at) as t from executions");
  const std::string later =
      query_after_export("select max(greatest(created_at, started_at, closed_at)) as t from executions");

  ASSERT_EQ(run_export({"--force", "--since", newest}).code, 0);
  const std::int64_t since_newest = count("executions");
  ASSERT_EQ(run_export({"--force", "--since", "1d"}).code, 0);
  const std::int64_t since_yesterday = count("executions");
  ASSERT_EQ(run_export({"--force", "--since", "2100-01-01T00:00:00Z"}).code, 0);

  EXPECT_GE(since_newest, 1);
  EXPECT_LE(newest, later);
  EXPECT_EQ(since_yesterday, static_cast<std::int64_t>(server.ids().size() + 2));
  for (const auto& [table, rows] : counts()) EXPECT_EQ(rows, 0) << table;
}

TEST_P(CliExport, OfAnEmptyStoreHasNoRows) {
  ASSERT_EQ(ServerProcess(StoreUrl{store_.url()}).stop(), 0);

  const Finished done = run_export();

  ASSERT_EQ(done.code, 0) << done.errors;
  for (const auto& [table, rows] : counts()) {
    EXPECT_EQ(rows, 0) << table;
    EXPECT_EQ(read_by_hyparquet(out() / (table + ".parquet")), Json::array());
  }
}

TEST_P(CliExport, LeavesNothingBesideItsFiles) {
  FilledServer server(store_.url());

  ASSERT_EQ(run_export().code, 0);

  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(out())) names.push_back(entry.path().filename());
  std::vector<std::string> expected{"export.json"};
  for (const std::string& table : all_tables) expected.push_back(table + ".parquet");
  EXPECT_THAT(names, UnorderedElementsAreArray(expected));
  EXPECT_FALSE(std::filesystem::exists(store_ / ".export.draft"));
}

TEST(CliExportStore, IsThatOfTheServerUnlessSomebodySays) {
  const TempDir folder;
  ASSERT_EQ(ServerProcess(folder / "semel.db").stop(), 0);

  const Finished done = run_to_end(
      {"env", "-u", "SEMEL_STORE", "--chdir", folder.path().string(), places::semel, "export", "--out", "there"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_TRUE(std::filesystem::exists(folder / "there" / "export.json"));
}

/// On a terminal, which Python gives it.
TEST(CliExportProgress, IsShownOnATerminal) {
  const ExportedStore store("sqlite");
  FilledServer server(store.url());

  const Finished done =
      run_to_end({"python3", "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)", places::semel, "export",
                  "--store", store.url(), "--out", (store / "export").string()});

  ASSERT_EQ(done.code, 0) << done.output << done.errors;
  EXPECT_THAT(done.output, HasSubstr("copying ["));
  EXPECT_THAT(done.output, HasSubstr("] 100 %"));
}

TEST_P(CliExport, GoesOnWhileTheServerWrites) {
  FilledServer server(store_.url());

  Process exporting({places::semel, "export", "--store", store_.url(), "--out", out().string()});
  for (int i = 0; i < 50; ++i) {
    server.create({{"handler", "more"}});
    const Json asked{{"worker_id", "w 2"}, {"queues", {"default"}}, {"handlers", {"more"}}};
    const Json lease = server.client().post("/v1/worker/poll", asked).body["leases"].at(0);
    const std::string attempt = lease["attempt_id"];
    if (i % 2 != 0) continue;
    ASSERT_EQ(server.client().post("/v1/attempts/" + attempt + "/complete", Json::object()).status, 200);
  }

  ASSERT_EQ(exporting.wait(), 0) << exporting.errors();
  const std::int64_t rows = count("executions");
  EXPECT_GE(rows, 9);
  EXPECT_LE(rows, 59);
  // All files are of one moment.
  EXPECT_EQ(count("executions e where kind = 'task' and attempt <> (select count(*) from attempts a"
                  " where a.tenant = e.tenant and a.execution_id = e.execution_id)"),
            0);
  EXPECT_EQ(count("attempts a where not exists (select 1 from executions e"
                  " where e.tenant = a.tenant and e.execution_id = a.execution_id)"),
            0);
  EXPECT_EQ(count("executions where status = 'running' and execution_id not in"
                  " (select execution_id from attempts where outcome = 'running') and kind = 'task'"),
            0);
}

}  // namespace
}  // namespace semel::test
