#include <barrier>

#include "base/error.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

class PostgresSchema : public PostgresStores {
 protected:
  void remove_schema() { database_.open()->execute("DROP SCHEMA IF EXISTS semel CASCADE"); }
};

TEST_F(PostgresSchema, StoresThatStartAtOnceMakeItOnce) {
  for (int round = 0; round < 3; ++round) {
    remove_schema();
    std::barrier together(4);

    in_threads(4, [&](int) {
      together.arrive_and_wait();
      EXPECT_NO_THROW(open());
    });

    const Rows newest = database_.open()->execute("SELECT max(version) AS version FROM migrations");
    EXPECT_EQ(count("migrations"), std::stoll(newest.text(0, "version")));
    EXPECT_EQ(count("pg_tables WHERE schemaname = 'semel' AND tablename IN ('executions', 'closed')"), 2);
  }
}

TEST_F(PostgresSchema, ANewerOneIsRefused) {
  open();
  database_.open()->execute("INSERT INTO migrations VALUES (999)");

  try {
    open();
    ADD_FAILURE() << "it was opened";
  } catch (const StoreFault& fault) {
    EXPECT_NE(std::string(fault.what()).find("version 999"), std::string::npos) << fault.what();
    EXPECT_NE(std::string(fault.what()).find("newer semel"), std::string::npos) << fault.what();
  }
  database_.open()->execute("DELETE FROM migrations WHERE version = 999");
}

TEST_F(PostgresSchema, AStrangersSchemaIsLeftAlone) {
  remove_schema();
  database_.open()->execute("CREATE SCHEMA semel; CREATE TABLE semel.executions (x integer)");

  EXPECT_THROW(open(), StoreFault);

  EXPECT_EQ(count("semel.executions"), 0);
  remove_schema();
  open();
}

TEST_F(PostgresSchema, ViewsShowJsonAlsoWhereItIsNoJsonb) {
  const auto store = open();
  for (const char* text : {R"({"a":1})", R"("\u0000")", "1e999999999", R"({"a\u0000":1})"})
    apply(*store, task().context(text).build());

  const auto session = database_.open();
  const Rows rows = session->execute("SELECT context::text AS context, state, created_at FROM tasks ORDER BY id");

  ASSERT_EQ(rows.count(), 4);
  EXPECT_EQ(rows.text(0, "context"), R"({"a": 1})");
  EXPECT_EQ(rows.text(0, "state"), "pending");
  EXPECT_EQ(rows.text(1, "context"), R"("\"\\u0000\"")");
  EXPECT_EQ(session->execute("SELECT count(*) FROM task_attempts").text(0, "count"), "0");
}

TEST_F(PostgresSchema, WithoutATestsClockTheDatabaseTellsTheTime) {
  const store::PostgresStore store(database_.target());
  const auto session = database_.open();
  const std::int64_t before = std::stoll(session->execute("SELECT now_ms() AS now").text(0, "now"));

  const std::int64_t now = to_ms(store.now());
  const std::int64_t after = std::stoll(session->execute("SELECT now_ms() AS now").text(0, "now"));

  EXPECT_GE(now, before - 50);
  EXPECT_LE(now, after + 50);
}

}  // namespace
}  // namespace semel::test
