#include "store/postgres/examine.hpp"

#include <gmock/gmock.h>

#include <future>
#include <set>

#include "store/postgres/made_indexes.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/unit/postgres/workflow_fixture.hpp"

namespace semel::test {
namespace {

using store::Finding;
using store::Findings;
using store::postgres::Connection;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using Verdict = Finding::Verdict;

auto finding(Verdict verdict, const std::string& what, const std::string& found) {
  return AllOf(Field(&Finding::verdict, verdict), Field(&Finding::what, what),
               Field(&Finding::found, HasSubstr(found)));
}

/// A database whose schema may be damaged: it is made anew afterwards.
class Examined : public PostgresWorkflows {
 protected:
  Examined() { open(); }
  ~Examined() override { run("DROP SCHEMA IF EXISTS semel CASCADE"); }

  void run(const std::string& sql) { database_.open()->execute(sql); }
  std::vector<Finding> examine() { return store::postgres::examine(database_.target(), SystemClock()).all(); }

  template <typename Look>
  std::vector<Finding> findings_of(const Look& look) {
    Connection connection(database_.target());
    Findings findings;
    look(connection, findings);
    return findings.all();
  }
};

TEST_F(Examined, IsWellButForWhatTheTestsServerIs) {
  apply(*open(), task().key("a").build());

  const std::vector<Finding> found = examine();

  for (const Finding& each : found) {
    const bool is_of_the_server = each.what == "fsync" || each.what == "autovacuum";
    EXPECT_TRUE(each.verdict == Verdict::ok || is_of_the_server) << each.what << ": " << each.found;
  }
  EXPECT_THAT(found, Contains(finding(Verdict::fail, "fsync", "off")));
  for (const char* what : {"store", "version", "database clock", "standbys", "schema", "privileges", "indexes",
                           "servers", "connections", "transactions", "vacuum", "partitions", "integrity", "usage"})
    EXPECT_THAT(found, Contains(finding(Verdict::ok, what, "")));
}

TEST_F(Examined, ThatCannotBeReachedIsAFinding) {
  const auto found =
      store::postgres::examine("host=127.0.0.1 port=1 dbname=none connect_timeout=2", SystemClock()).all();

  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], finding(Verdict::fail, "store", "cannot connect"));
}

TEST_F(Examined, WithoutASchemaOrWithAnOldOneSaysWhatToDo) {
  run("DELETE FROM migrations");
  run("DROP TABLE executions CASCADE");
  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "schema", "semel migrate")));

  run("DROP SCHEMA semel CASCADE");
  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "schema", "there is none")));
}

TEST_F(Examined, WithANewerSchemaNeedsANewerBinary) {
  run("INSERT INTO migrations VALUES (999)");

  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "schema", "run a newer semel")));
}

TEST_F(Examined, WithAnUnfinishedCopySaysSo) {
  run("INSERT INTO facts VALUES ('copying', 1)");

  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "copy", "repeat semel store copy")));
}

/// With everything closed and put away that there is.
class ExaminedArchive : public Examined {
 protected:
  void put_away_one() {
    const auto store = open({.stays_for = Duration{0}});
    const domain::ExecutionId id = as<Created>(apply(*store, task().key("a").build())).id;
    apply(*store, Cancel{std::string(default_tenant), id});
    while (store->archive()) {
    }
    ASSERT_EQ(count("closed"), 1);
  }
  std::vector<Finding> look() { return findings_of(store::postgres::examine_partitions); }
};

TEST_F(ExaminedArchive, FindsTheHoldersOfIdentitiesThere) {
  put_away_one();

  EXPECT_THAT(examine(), Contains(finding(Verdict::ok, "integrity", "agree")));
}

TEST_F(ExaminedArchive, MissesATableOfADay) {
  put_away_one();
  run("DO $$ BEGIN EXECUTE (SELECT 'DROP TABLE ' || inhrelid::regclass FROM pg_inherits"
      " WHERE inhparent = 'closed'::regclass); END $$");

  EXPECT_THAT(look(), Contains(finding(Verdict::fail, "partitions", "1 are missing, such as semel.closed_7_")));
}

TEST_F(ExaminedArchive, FindsDaysThatShouldHaveGone) {
  put_away_one();

  EXPECT_THAT(look(), Contains(finding(Verdict::warn, "partitions", "1 are past their retention")));
}

TEST_F(ExaminedArchive, FindsQueuesWhoseTasksAreNotPutAway) {
  put_away_one();
  const auto store = open();
  const domain::ExecutionId id = as<Created>(apply(*store, task().build())).id;
  apply(*store, Cancel{std::string(default_tenant), id});

  EXPECT_THAT(look(), Contains(finding(Verdict::warn, "partitions", "1 queues have tasks")));
}

TEST_F(ExaminedArchive, FindsTasksThatAreThereTwice) {
  put_away_one();
  run("INSERT INTO executions (seq, tenant, id, kind, phase, queue, handler, priority, order_at, run_at, created_at,"
      " created_by, identity_mode, strategy, scope, window_kind, window_ms, client_made_id, context)"
      " OVERRIDING SYSTEM VALUE SELECT seq, tenant, id, kind, phase, queue, handler, priority, order_at, run_at,"
      " created_at, created_by, identity_mode, strategy, scope, window_kind, window_ms, client_made_id, context"
      " FROM closed");

  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "integrity", "1 tasks that are there twice")));
}

TEST_F(Examined, KnowsOfEveryIndexThatMigrationsMake) {
  std::set<std::string> made;
  for (const auto& each : store::postgres::indexes_of_schema()) made.insert(each.name);
  const auto session = database_.open();
  const Rows rows = session->execute(
      "SELECT indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
      " WHERE c.relnamespace = 'semel'::regnamespace AND NOT c.relispartition AND indrelid <> 'migrations'::regclass");
  std::set<std::string> there;
  for (int i = 0; i < rows.count(); ++i) there.insert(rows.text(i, "name"));

  EXPECT_EQ(made, there);
}

TEST_F(Examined, MissesADroppedIndexAndSaysHowToMakeItAgain) {
  run("DROP INDEX executions_waiting");

  EXPECT_THAT(examine(),
              Contains(finding(Verdict::fail, "index",
                               "CREATE INDEX executions_waiting ON semel.executions (run_at) WHERE phase = 2")));
}

TEST_F(Examined, MissesADroppedConstraint) {
  run("ALTER TABLE identities DROP CONSTRAINT identities_pkey");

  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "index", "identities_pkey is missing")));
}

TEST_F(Examined, SeesAnIndexThatIsNotValid) {
  run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'semel.executions_waiting'::regclass");

  EXPECT_THAT(examine(),
              Contains(finding(Verdict::fail, "index", "REINDEX INDEX CONCURRENTLY semel.executions_waiting")));
}

TEST_F(Examined, SeesAConstraintThatWasNeverChecked) {
  run("ALTER TABLE attempts ADD CONSTRAINT odd CHECK (number > 0) NOT VALID");

  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "constraint", "VALIDATE CONSTRAINT odd")));
}

TEST_F(Examined, FindsWorkflowsWell) {
  const auto store = open();
  const domain::ExecutionId workflow = begin(*store);
  code::StartChild taken;
  taken.kind = "pack";
  taken.workflow_id = "pack-1";
  apply(*store, answer_to(activate(*store),
                          {a_task("a"), taken, taken, code::StartTimer{std::nullopt, 1h}, code::CreatePromise{}}));
  EXPECT_EQ(state_of(*store, code::child_id(workflow, 3)), domain::State::failed);  // the one before has its id

  EXPECT_THAT(examine(), Contains(finding(Verdict::ok, "integrity", "agree")));
}

TEST_F(Examined, FindsAWorkflowThatWasForgotten) {
  const auto store = open();
  const domain::ExecutionId workflow = begin(*store);
  apply(*store, answer_to(activate(*store), {a_task("a"), code::StartTimer{std::nullopt, 1h}}));
  apply(*store, completed(lease_all(*store).at("a#1")));
  EXPECT_EQ(state_of(*store, workflow), domain::State::pending);
  run("UPDATE executions SET state = 2, phase = 0 WHERE kind = 1");
  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "integrity", "1 workflows that wait although")));

  run("DELETE FROM workflows");

  const std::vector<Finding> found = examine();
  EXPECT_THAT(found, Contains(finding(Verdict::fail, "integrity", "1 runs without what is known of them")));
  EXPECT_THAT(found, Contains(finding(Verdict::fail, "integrity", "1 tasks without their run")));
  EXPECT_THAT(found, Contains(finding(Verdict::fail, "integrity", "1 timers without their workflow")));
}

TEST_F(Examined, TellsHowFarTheClocksAreApart) {
  ManualClock late;
  late.set(SystemClock().now() - 90s);
  const auto found = findings_of(
      [&](Connection& connection, Findings& findings) { store::postgres::examine_clock(connection, late, findings); });

  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], finding(Verdict::warn, "database clock", "ahead of this machine's"));
}

TEST_F(Examined, SeesWhoLeads) {
  const auto store = open();
  std::promise<void> leads;
  store->listen([&](const News& news) {
    if (news.leads_now) leads.set_value();
  });
  leads.get_future().wait();

  EXPECT_THAT(examine(), Contains(finding(Verdict::ok, "servers", "1 running; the one with the connection of pid")));
}

TEST_F(Examined, SeesAServerWithoutALeader) {
  const auto holder = database_.open();
  holder->execute("SET application_name = 'semel (listening)'");

  EXPECT_THAT(examine(), Contains(finding(Verdict::warn, "servers", "none leads")));
}

TEST_F(Examined, SeesTransactionsThatAreOpenForLong) {
  const auto holder = database_.open();
  holder->execute("BEGIN; SELECT 1");

  const auto found = findings_of(
      [](Connection& connection, Findings& findings) { store::postgres::examine_activity(connection, findings, 0ms); });

  EXPECT_THAT(found, Contains(finding(Verdict::warn, "transaction",
                                      fmt::format("pg_terminate_backend({})", holder->process_id()))));
}

TEST_F(Examined, SaysWhatARoleLacks) {
  run("DO $$ BEGIN CREATE ROLE semel_reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
  run("GRANT USAGE ON SCHEMA semel TO semel_reader; GRANT SELECT ON ALL TABLES IN SCHEMA semel TO semel_reader");
  const std::string target = database_.target() + " user=semel_reader";

  const auto reader = store::postgres::examine(target, SystemClock()).all();
  run("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA semel TO semel_reader");
  const auto user = store::postgres::examine(target, SystemClock()).all();

  EXPECT_THAT(reader,
              Contains(finding(Verdict::fail, "privileges", "semel_reader lacks DELETE on api_keys, INSERT on")));
  EXPECT_THAT(user, Contains(finding(Verdict::ok, "privileges", "give servers migrate = \"never\"")));
}

TEST_F(Examined, SeesIdentitiesThatNobodyHolds) {
  apply(*open(), task().key("a").build());
  run("DELETE FROM executions");

  EXPECT_THAT(examine(),
              Contains(finding(Verdict::fail, "integrity", "1 identities that nobody holds, such as acme/")));
}

TEST_F(Examined, SeesOpenTasksWithoutTheirIdentity) {
  apply(*open(), task().key("a").build());
  run("DELETE FROM identities");

  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "integrity", "1 open tasks that do not hold their identity")));
}

TEST_F(Examined, SeesRunningTasksThatNobodyWorksOnAndTheReverse) {
  const auto store = open();
  apply(*store, task().build());
  apply(*store, Command(claim_of(ids_, 1)));
  run("UPDATE executions SET state = 0");
  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "integrity", "1 attempts at tasks that do not run")));

  run("UPDATE executions SET state = 1; UPDATE attempts SET outcome = 2");
  EXPECT_THAT(examine(), Contains(finding(Verdict::fail, "integrity", "1 running tasks that nobody works on")));
}

TEST_F(Examined, SeesUsageThatIsCountedWrong) {
  store::PostgresOptions limited;
  limited.limits.open_tasks = 10;
  apply(*open(limited), task().build());
  EXPECT_THAT(examine(), Contains(finding(Verdict::ok, "usage", "")));

  run("UPDATE usages SET open_tasks = open_tasks + 1");
  EXPECT_THAT(examine(), Contains(finding(Verdict::warn, "usage", "1 tenants are counted wrong, such as acme")));
}

TEST(ExaminedStandby, TakesNoChanges) {
  const PostgresServer primary(PostgresServer::Kind::durable);
  const PostgresServer standby(primary, PostgresServer::Kind::durable);

  const auto found = store::postgres::examine(standby.connection_string(), SystemClock()).all();

  EXPECT_THAT(found, Contains(finding(Verdict::fail, "standby", "target_session_attrs=read-write")));
  EXPECT_THAT(store::postgres::examine(primary.connection_string(), SystemClock()).all(),
              Contains(finding(Verdict::ok, "durability", "")));
}

}  // namespace
}  // namespace semel::test
