#include <gmock/gmock.h>

#include "tests/e2e/export.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;

/// Questions to an export of two tasks.
class CliQuery : public CliTest {
 protected:
  void SetUp() override {
    submit({"--handler", "a", "--idempotency-key", "one"});
    submit({"--handler", "b"});
    const Finished done =
        run_semel({"export", "--store", "sqlite:" + (folder_ / "semel.db").string(), "--out", out().string()});
    ASSERT_EQ(done.code, 0) << done.errors;
  }

  std::filesystem::path out() { return folder_ / "export"; }
  Finished ask(const std::string& select, std::vector<std::string> more = {}) {
    std::vector<std::string> command{"query", "--export", out().string(), select};
    command.insert(command.end(), more.begin(), more.end());
    return run_semel(command);
  }
  std::string refusal(const std::string& select) {
    const Finished done = ask(select);
    EXPECT_EQ(done.code, 1) << select << ": " << done.output;
    return done.errors;
  }
};

TEST_F(CliQuery, IsAnsweredWithATable) {
  const Finished done = ask("select handler, idempotency_key, attempt from executions order by handler");

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(done.output,
            "handler  idempotency_key  attempt\n"
            "a        one              0\n"
            "b        –                0\n");
}

TEST_F(CliQuery, IsAnsweredWithJson) {
  const Finished done =
      ask("select 1 as n, 1.50 as d, true as yes, null as none, 'a\"b' as t, [1, 2] as l, 0.1::double as x, "
          "'inf'::double as inf, sum(1) as s,"
          " timestamptz '2026-01-02 03:04:05.678Z' as at_time, max(kind) as kind from executions; -- the end",
          {"--json"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(done.output,
            "[{\"n\":1,\"d\":1.50,\"yes\":true,\"none\":null,\"t\":\"a\\\"b\",\"l\":\"[1, "
            "2]\",\"x\":0.1,\"inf\":\"inf\",\"s\":2,"
            "\"at_time\":\"2026-01-02T03:04:05.678Z\",\"kind\":\"task\"}]\n");
}

TEST_F(CliQuery, OverNothingIsAnEmptyArray) {
  EXPECT_EQ(ask("select * from events", {"--json"}).output, "[]\n");
  EXPECT_EQ(ask("from executions limit 0", {"--json"}).output, "[]\n");
}

TEST_F(CliQuery, TellsTheNamesOfColumns) {
  const Finished done = ask("describe timers", {"--json"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(Json::parse(done.output)[1]["column_name"], "timer_id");
}

TEST_F(CliQuery, NeedsNoQuotesForAnyColumn) {
  for (const char* table : {"executions", "attempts", "dispatch_outbox", "timers", "identities", "events"}) {
    std::string columns;
    for (const Json& column : query_export(out(), std::string("describe ") + table))
      columns += (columns.empty() ? "" : ", ") + column["column_name"].get<std::string>();

    EXPECT_EQ(ask("select " + columns + " from " + table).code, 0) << columns;
  }
}

TEST_F(CliQuery, ReadsExportsByTime) {
  const std::filesystem::path all = folder_ / "all";
  for (const char* at : {"date=2026-11-17/at=05-00-00Z", "date=2026-11-17/at=06-00-00Z"}) {
    std::filesystem::create_directories(all / at);
    std::filesystem::copy(out(), all / at, std::filesystem::copy_options::recursive);
  }

  const Json rows = query_export(all, "select \"date\", \"at\", count(*) as n from executions group by all order by 2");

  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["at"], "05-00-00Z");
  EXPECT_EQ(rows[0]["date"], "2026-11-17");
  EXPECT_EQ(rows[0]["n"], 2);
}

TEST_F(CliQuery, IsRefusedInTheWordsOfDuckdb) {
  EXPECT_THAT(refusal("select * from nothing"), HasSubstr("nothing"));
  EXPECT_THAT(refusal("selct 1"), HasSubstr("syntax error"));
  EXPECT_THAT(refusal("select cast(handler as integer) from executions"), HasSubstr("Could not convert"));
  EXPECT_THAT(refusal(""), HasSubstr("there is no statement"));
}

TEST_F(CliQuery, ChangesNothing) {
  const std::string target = (out() / "x.parquet").string();
  EXPECT_THAT(refusal("copy (select 1) to '" + target + "'"), HasSubstr("only SELECT"));
  EXPECT_THAT(refusal("explain analyze copy (select 1) to '" + target + "'"), HasSubstr("only SELECT"));
  EXPECT_THAT(refusal("select 1; copy (select 1) to '" + target + "'"), HasSubstr("2 statements"));
  EXPECT_THAT(refusal("create table t (a int)"), HasSubstr("only SELECT"));
  EXPECT_THAT(refusal("drop view executions"), HasSubstr("only SELECT"));
  EXPECT_THAT(refusal("set enable_external_access = true"), HasSubstr("only SELECT"));
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(CliQuery, ReadsNothingBesideTheExport) {
  write_file(folder_ / "secret.csv", "a,b\n1,2\n");
  const std::string secret = (folder_ / "secret.csv").string();

  EXPECT_THAT(refusal("select * from read_text('/etc/passwd')"), HasSubstr("disabled by configuration"));
  EXPECT_THAT(refusal("select * from '" + secret + "'"), HasSubstr("disabled by configuration"));
  EXPECT_THAT(refusal("select * from '" + (out() / "../secret.csv").string() + "'"),
              HasSubstr("disabled by configuration"));
  EXPECT_THAT(refusal("select * from glob('/etc/*')"), HasSubstr("disabled by configuration"));
}

TEST_F(CliQuery, NeedsAnExport) {
  const Finished none = run_semel({"query", "--export", (folder_ / "none").string(), "select 1"});
  std::filesystem::create_directories(folder_ / "empty");
  const Finished empty = run_semel({"query", "--export", (folder_ / "empty").string(), "select 1"});
  const Finished unnamed = run_semel({"query", "select 1"});

  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.errors, HasSubstr("there is no folder"));
  EXPECT_EQ(empty.code, 1);
  EXPECT_THAT(empty.errors, HasSubstr("holds no export"));
  EXPECT_EQ(unnamed.code, 2);
}

}  // namespace
}  // namespace semel::test
