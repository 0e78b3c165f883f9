#include "tests/integration/store_copy_fixture.hpp"

namespace semel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(StoreCopy, TellsWhatWasComparedInEveryTable) {
  fill();

  const Result<Comparison> copied = copy();

  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_TRUE(copied->are_same());
  ASSERT_EQ(copied->tables.size(), store::dump::tables().size());
  for (const store::dump::TableSums& each : copied->tables) {
    EXPECT_GT(each.rows_before, 0) << each.table;
    EXPECT_TRUE(each.are_same()) << each.table;
  }
}

TEST_F(StoreCopy, FindsTheRowThatDiffersInAnyTable) {
  fill();
  ASSERT_TRUE(copy());
  const auto session = database_.open();
  const std::vector<std::pair<std::string, std::string>> damages{
      {"executions", "UPDATE executions SET context = '{ }' WHERE ctid = (SELECT ctid FROM executions LIMIT 1)"},
      {"identities",
       "UPDATE identities SET execution_id = gen_random_uuid() WHERE ctid = (SELECT ctid FROM identities LIMIT 1)"},
      {"tombstones", "UPDATE tombstones SET state = 3 WHERE ctid = (SELECT ctid FROM tombstones LIMIT 1)"},
      {"attempts", "UPDATE attempts SET worker = 'x' WHERE ctid = (SELECT ctid FROM attempts LIMIT 1)"},
      {"duplicates", "UPDATE duplicates SET count = count + 1 WHERE ctid = (SELECT ctid FROM duplicates LIMIT 1)"},
      {"templates", "UPDATE templates SET removed_at = 1 WHERE ctid = (SELECT ctid FROM templates LIMIT 1)"},
      {"queues", "UPDATE queues SET max_running = NULL WHERE name = 'q1'"},
      {"schedules", "UPDATE schedules SET next_at = next_at + 1 WHERE ctid = (SELECT ctid FROM schedules LIMIT 1)"},
      {"api_keys", "UPDATE api_keys SET revoked_at = 0 WHERE ctid = (SELECT ctid FROM api_keys LIMIT 1)"},
      {"audit", "UPDATE audit SET subject = subject || ' ' WHERE ctid = (SELECT ctid FROM audit LIMIT 1)"},
      {"plans", "UPDATE plans SET document = document || ' ' WHERE ctid = (SELECT ctid FROM plans LIMIT 1)"},
      {"runs", "UPDATE runs SET history_length = history_length + 1 WHERE ctid = (SELECT ctid FROM runs LIMIT 1)"},
      {"outcomes", "UPDATE outcomes SET result = '7' WHERE ctid = (SELECT ctid FROM outcomes LIMIT 1)"},
      {"history", "UPDATE history SET at = at + 1 WHERE ctid = (SELECT ctid FROM history LIMIT 1)"},
      {"attachments",
       "UPDATE attachments SET holder = gen_random_uuid() WHERE ctid = (SELECT ctid FROM attachments LIMIT 1)"},
      {"workflows", "UPDATE workflows SET seen = seen + 1 WHERE ctid = (SELECT ctid FROM workflows LIMIT 1)"},
      {"timers", "UPDATE timers SET fire_at = fire_at + 1 WHERE ctid = (SELECT ctid FROM timers LIMIT 1)"},
      {"signals", "UPDATE signals SET key = key || ' ' WHERE ctid = (SELECT ctid FROM signals LIMIT 1)"},
      {"dispatches", "UPDATE dispatches SET sends = sends + 1 WHERE ctid = (SELECT ctid FROM dispatches LIMIT 1)"},
      {"secrets", "UPDATE secrets SET name = name || ' ' WHERE ctid = (SELECT ctid FROM secrets LIMIT 1)"},
      {"facts", "UPDATE facts SET value = value + 1 WHERE name = 'last_time'"}};
  ASSERT_EQ(damages.size(), store::dump::tables().size());

  for (const auto& [table, damage] : damages) {
    session->execute("BEGIN; " + damage + "; COMMIT");
    const Result<Comparison> found = verify();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_FALSE(found->are_same()) << table;
    EXPECT_EQ(found->differences.back().table, table);
    EXPECT_NE(found->differences.back().key, "");
  }
}

TEST_F(StoreCopy, SaysWhichRowIsMissingAndWhichFieldsDiffer) {
  source();
  const Submit kept = task();
  const Submit lost = task();
  apply(kept);
  apply(lost);
  ASSERT_TRUE(copy());
  database_.open()->execute("DELETE FROM executions WHERE id = '" + lost.spec.id.text() + "'");
  database_.open()->execute("UPDATE executions SET context = '1', priority = 7");

  const Result<Comparison> found = verify();

  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->differences_found, 2);
  EXPECT_EQ(found->differences[0].key, "acme/" + kept.spec.id.text());
  EXPECT_EQ(found->differences[0].what, "has another priority, context");
  EXPECT_EQ(found->differences[1].key, "acme/" + lost.spec.id.text());
  EXPECT_EQ(found->differences[1].what, "is missing in the copy");
}

TEST_F(StoreCopy, IsRefusedWhileAServerUsesTheFile) {
  source();
  const Result<Comparison> refused = server::copy_store(file(), database_.target(), {});

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("in use by the process with pid"));
}

TEST_F(StoreCopy, IsRefusedWhereThereIsNoFileAndLeavesNone) {
  EXPECT_THAT(refusal_of_copy(), HasSubstr("there is no file"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(StoreCopy, IsRefusedUntilTheSourceIsMigrated) {
  source();
  source_.reset();
  Database(file(), Database::Access::read_write).execute("PRAGMA user_version = 1");

  EXPECT_THAT(refusal_of_copy(),
              AllOf(HasSubstr("has schema version 1"), HasSubstr("run semel migrate --store sqlite:")));
}

TEST_F(StoreCopy, NeverMixesWithWhatIsThere) {
  source();
  apply(task());
  const Submit other = task();
  open_copy()->apply(std::vector<Command>{other});

  EXPECT_THAT(refusal_of_copy(), HasSubstr("not empty (there are executions)"));
  EXPECT_EQ(count("executions"), 1);
  EXPECT_NO_THROW(open_copy());
}

TEST_F(StoreCopy, NeverMixesWithWhatWasPutAway) {
  source();
  const auto other = open_copy();
  other->apply(std::vector<Command>{task()});
  const Claim claim = claim_of(ids_, 1);
  other->apply(std::vector<Command>{claim});
  other->apply(std::vector<Command>{Complete{std::string(default_tenant), claim.attempt_ids[0], "1"}});
  clock_.advance(1h);
  while (other->archive()) {
  }
  ASSERT_EQ(count("executions"), 0);

  EXPECT_THAT(refusal_of_copy(), HasSubstr("not empty (there are executions)"));
}

TEST_F(StoreCopy, ReplacesWhatAConfigurationHasLeft) {
  source();
  apply(SetQueueDefaults{{{"q1", {.max_running = 1}}}});
  open_copy()->apply(std::vector<Command>{SetQueueDefaults{{{"q2", {.max_running = 2}}}}});

  ASSERT_TRUE(copy());

  EXPECT_EQ(count("queues"), 1);
}

TEST_F(StoreCopy, IsRefusedWhileAServerRunsOnTheTarget) {
  source();
  const auto server = open_copy();
  server->listen([](const News&) {});
  const auto session = database_.open();
  const std::string listeners =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%(listening)'";
  while (session->execute(listeners).count() == 0) session->execute("SELECT pg_sleep(0.005)");

  EXPECT_THAT(refusal_of_copy(), HasSubstr("a server runs on the target"));
}

TEST_F(StoreCopy, OfWhatPostgresCannotHoldNamesTheRowAndLeavesTheTargetMarked) {
  source();
  const Submit submitted = task();
  apply(submitted);
  Claim claim = claim_of(ids_, 1);
  claim.worker = std::string("a\0b", 3);
  apply(claim);

  EXPECT_THAT(refusal_of_copy(),
              AllOf(HasSubstr("attempts acme/" + submitted.spec.id.text()), HasSubstr("worker has a zero byte in it")));
  EXPECT_EQ(count("executions"), 0);
  EXPECT_THROW(open_copy(), StoreFault);

  source();
  apply(Cancel{std::string(default_tenant), submitted.spec.id, true, "admin"});
  apply(Remove{std::string(default_tenant), submitted.spec.id});
  EXPECT_TRUE(copy());
  EXPECT_NO_THROW(open_copy());
}

TEST_F(StoreCopy, OfASourceThatContradictsItselfIsRefused) {
  source();
  apply(task());
  apply(Claim(claim_of(ids_, 1)));
  source_.reset();
  Database(file(), Database::Access::read_write).execute("UPDATE attempts SET outcome = 1");

  EXPECT_THAT(refusal_of_copy(), HasSubstr("1 running tasks that nobody works on"));
  EXPECT_EQ(count("executions"), 0);
}

/// What has no line in store/common/dump_tables.cpp would be lost without a word.
TEST_F(StoreCopy, TakesEveryColumnOfBothStores) {
  source();
  source_.reset();
  open_copy();
  const auto session = database_.open();
  Database file_database(file());

  for (const store::dump::Table& table : store::dump::tables()) {
    std::set<std::string> copied;
    for (const store::dump::Field& field : table.fields) copied.emplace(field.name);
    std::set<std::string> there;
    const Rows rows = session->execute(
        fmt::format("SELECT attname AS name FROM pg_attribute WHERE attrelid = 'semel.{}'::regclass AND attnum > 0"
                    " AND NOT attisdropped",
                    table.name));
    for (int i = 0; i < rows.count(); ++i) there.insert(rows.text(i, "name"));
    if (table.name == "identities") {  // promises are a matter of seconds
      there.erase("promised_until");
      there.erase("unpromised_until");
    }
    EXPECT_EQ(there, copied) << table.name;

    std::set<std::string> in_file;
    for (const std::string& name :
         file_database.column(fmt::format("SELECT name FROM pragma_table_info('{}')", table.name)))
      in_file.insert(name == "tenant_id" ? "tenant" : name);
    in_file.erase("superseded");                                   // who holds an identity is in `identities`
    if (table.name == "identities" || table.name == "attempts") {  // an execution is known by its seq there
      in_file.erase("seq");
      in_file.insert("execution_id");
    }
    EXPECT_EQ(in_file, copied) << table.name;
  }
}

}  // namespace
}  // namespace semel::test
