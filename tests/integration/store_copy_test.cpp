#include "server/store_copy.hpp"

#include <gmock/gmock.h>

#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "tests/contract/everything.hpp"
#include "tests/contract/random_commands.hpp"
#include "tests/support/database.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/steps.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

using store::dump::Comparison;
using testing::AllOf;
using testing::HasSubstr;

/// A store on a file, and a database that it is copied into.
class StoreCopy : public testing::Test {
 protected:
  std::string file() { return folder_ / "source.db"; }

  store::SqliteStore& source(std::size_t identity_generation = 0) {
    return source_.emplace(file(), clock_,
                           store::SqliteOptions{.readers = 1, .identity_generation = identity_generation});
  }
  Outcome apply(const Command& command) { return source_->apply({&command, 1}).outcomes.at(0); }
  Submit task() { return submission(ids_); }

  /// With the source closed, as it must be.
  Result<Comparison> copy() {
    source_.reset();
    return server::copy_store(file(), database_.target(), {});
  }
  std::string refusal_of_copy() {
    const Result<Comparison> copied = copy();
    return copied ? "it was copied" : copied.error().message;
  }
  Result<Comparison> verify() { return server::compare_stores(file(), database_.target(), {}); }

  std::unique_ptr<store::PostgresStore> open_copy() {
    store::PostgresOptions options;
    options.clock = &clock_;
    return std::make_unique<store::PostgresStore>(database_.target(), options);
  }
  std::int64_t count(const std::string& what) {
    return std::stoll(database_.open()->execute("SELECT count(*) FROM " + what).text(0, "count"));
  }

  /// A run whose first step has nothing to do, and whose second one waits for its like in the run before.
  Submit run() {
    const std::vector<domain::Step> steps{StepBuilder("mail").for_each("", "/users"),
                                          StepBuilder("pay").key("payment-7")};
    return submission(ids_).context(R"({"users":[]})").with([&](Submit& each) {
      each.spec.kind = domain::Kind::workflow;
      each.plan = domain::plan_of_run(steps);
    });
  }

  /// A row in every table.
  void fill() {
    source();
    const auto by_key = [&](const char* key) { return submission(ids_).key(key).build(); };
    const Submit first = by_key("first");
    apply(first);
    apply(Claim(claim_of(ids_, 1)));
    apply(RecordDuplicates{{{std::string(default_tenant), first.spec.id, 2, {{clock_.now(), "k", "409 CONFLICT"}}}}});
    apply(run());
    apply(run());
    const Submit gone = by_key("gone");
    apply(gone);
    apply(Cancel{std::string(default_tenant), gone.spec.id});
    apply(Remove{std::string(default_tenant), gone.spec.id});
    apply(PutTemplate{std::string(default_tenant), "shop", "charge", "1.0.0", "{}"});
    apply(PutQueue{std::string(default_tenant), "q1", {.max_running = 3}, "admin"});
    apply(PutSchedule{
        std::string(default_tenant), "s1", {ids_.execution().uuid}, {"{}", clock_.now(), clock_.now() + 1h}});
    domain::ApiKey key;
    key.id = "key-1";
    key.tenant = default_tenant;
    key.secret_hash = hash_of("secret");
    apply(CreateKey{key, 1h});
  }

  TempDir folder_;
  PostgresDatabase database_;
  ManualClock clock_;
  Ids ids_;
  std::optional<store::SqliteStore> source_;
};

/// Random commands, first on a file, then on its copy: a memory store that was never copied says what must come of
/// them.
class CopyModel : public StoreCopy {
 protected:
  void run(std::uint32_t seed) {
    SCOPED_TRACE(seed);
    clock_.set(ManualClock::start);
    model_clock_.set(ManualClock::start);
    store::MemoryStore model(model_clock_);
    std::filesystem::remove(file());
    RandomCommands random(seed);
    source(seed % 2 == 0 ? 3 : 0);
    for (int i = 0; i < 60; ++i) apply_to_both(*source_, model, random);
    const std::string audited = audit_of(*source_, random);

    const Result<Comparison> copied = copy();

    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(copied->are_same());
    const auto target = open_copy();
    EXPECT_EQ(everything(*target, random), everything(model, random));
    EXPECT_EQ(lists(*target, random), lists(model, random));
    EXPECT_EQ(audit_of(*target, random), audited);
    for (int i = 0; i < 20 && !HasFailure(); ++i) apply_to_both(*target, model, random);
    EXPECT_EQ(everything(*target, random), everything(model, random));
  }

 private:
  void apply_to_both(Store& tested, Store& model, RandomCommands& random) {
    const Duration step = random.step();
    clock_.advance(step);
    model_clock_.advance(step);
    const std::vector<Command> batch = random.batch();
    const Applied expected = model.apply(batch);
    const Applied actual = tested.apply(batch);
    EXPECT_EQ(describe_all(actual.outcomes), describe_all(expected.outcomes));
    for (const Outcome& outcome : expected.outcomes) random.learn(outcome);
    random.learn(expected.changes);
  }

  static std::string lists(Store& store, const RandomCommands& random) {
    std::string text;
    for (const std::string& tenant : random.tenants()) {
      ListQuery query{tenant};
      do {
        const Result<Page> page = store.list(query);
        for (const domain::Execution& each : page->executions) text += each.spec.id.text() + "\n";
        query.cursor = page->next;
      } while (query.cursor);
    }
    return text;
  }

  static std::string audit_of(Store& store, const RandomCommands& random) {
    std::string text;
    for (const std::string& tenant : random.tenants()) {
      for (const AuditEntry& each : store.audit(tenant, std::nullopt, 1000))
        text += fmt::format("{} {} {} {} {}\n", each.seq, to_ms(each.at), each.actor, each.action, each.subject);
    }
    return text;
  }

  ManualClock model_clock_;
};

TEST_F(CopyModel, GoesOnAsTheOriginalWould) {
  for (std::uint32_t seed = 1; seed <= 25 && !HasFailure(); ++seed) {
    run(seed);
    database_.open()->execute("DROP SCHEMA semel CASCADE");
  }
}

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
      {"tombstones", "UPDATE tombstones SET state = 3"},
      {"attempts", "UPDATE attempts SET worker = 'x'"},
      {"duplicates", "UPDATE duplicates SET count = count + 1"},
      {"templates", "UPDATE templates SET removed_at = 1"},
      {"queues", "UPDATE queues SET max_running = NULL"},
      {"schedules", "UPDATE schedules SET next_at = next_at + 1"},
      {"api_keys", "UPDATE api_keys SET revoked_at = 0"},
      {"audit", "UPDATE audit SET subject = subject || ' '"},
      {"plans", "UPDATE plans SET document = document || ' '"},
      {"runs", "UPDATE runs SET history_length = history_length + 1 WHERE ctid = (SELECT ctid FROM runs LIMIT 1)"},
      {"outcomes", "UPDATE outcomes SET result = '7'"},
      {"history", "UPDATE history SET at = at + 1 WHERE ctid = (SELECT ctid FROM history LIMIT 1)"},
      {"attachments", "UPDATE attachments SET holder = gen_random_uuid()"},
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
