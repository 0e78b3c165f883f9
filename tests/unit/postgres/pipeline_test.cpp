#include <gtest/gtest.h>

#include "store/postgres/connection.hpp"
#include "tests/support/postgres_database.hpp"

namespace semel::test {
namespace {

using store::postgres::Connection;
using store::postgres::Contention;
using store::postgres::DataFault;
using store::postgres::Parameters;
using store::postgres::Rows;

constexpr const char* insert_number = "INSERT INTO numbers VALUES ($1) RETURNING number";
constexpr const char* count_numbers = "SELECT count(*) FROM numbers";
constexpr const char* next_number = "SELECT $1::bigint + 1";

/// Statements that go together.
class PostgresPipeline : public testing::Test {
 protected:
  PostgresPipeline() {
    connection_.execute(
        "CREATE SCHEMA pipeline; SET search_path = pipeline;"
        "CREATE TABLE numbers (number bigint PRIMARY KEY, CHECK (number > 0))");
    other_.execute("SET search_path = pipeline");
  }
  ~PostgresPipeline() override {
    connection_.roll_back();
    database_.open()->execute("DROP SCHEMA pipeline CASCADE");
  }

  void insert_later(std::int64_t number, Connection::Check check = nullptr) {
    connection_.run_later(insert_number, Parameters(number), std::move(check));
  }
  std::int64_t count() { return other_.run(count_numbers)[0].integer(0); }

  PostgresDatabase database_;
  Connection connection_{database_.target()};
  Connection other_{database_.target()};
};

TEST_F(PostgresPipeline, WhatIsLeftForLaterGoesWithTheNextStatementInOrder) {
  std::vector<std::int64_t> told;
  const auto note = [&](const Rows& rows) { told.push_back(rows[0].integer(0)); };
  for (int i = 1; i <= 4; ++i) insert_later(i, note);  // first as it is, then prepared, then by its name
  EXPECT_TRUE(told.empty());

  EXPECT_EQ(connection_.run(count_numbers)[0].integer(0), 4);

  EXPECT_EQ(told, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(count(), 4);
}

TEST_F(PostgresPipeline, WhatFailsIsToldByWhatItWentWith) {
  connection_.begin();
  insert_later(1);
  insert_later(-1);
  insert_later(2);

  EXPECT_THROW(connection_.run(count_numbers), DataFault);

  connection_.roll_back();
  EXPECT_FALSE(connection_.is_broken());
  EXPECT_EQ(count(), 0);
}

TEST_F(PostgresPipeline, AStatementThatWasNotPreparedBehindAFailureIsPreparedLater) {
  insert_later(1);
  connection_.flush();
  insert_later(-1);  // is prepared, and fails
  connection_.run_later(next_number, Parameters(std::int64_t{1}));
  EXPECT_THROW(connection_.flush(), DataFault);
  insert_later(-2);
  connection_.run_later(next_number, Parameters(std::int64_t{1}));  // would be prepared
  EXPECT_THROW(connection_.flush(), DataFault);

  insert_later(2);
  EXPECT_EQ(connection_.run(next_number, std::int64_t{1})[0].integer(0), 2);
  EXPECT_EQ(count(), 2);
}

TEST_F(PostgresPipeline, ACommitTakesAlongWhatIsLeft) {
  connection_.begin();
  insert_later(1);
  insert_later(2);
  connection_.commit();

  EXPECT_EQ(count(), 2);
  connection_.begin();
  insert_later(3);
  connection_.commit();
  EXPECT_EQ(count(), 3);
}

TEST_F(PostgresPipeline, ACommitBehindAFailureIsNone) {
  connection_.begin();
  insert_later(1);
  insert_later(1);

  EXPECT_THROW(connection_.commit(), DataFault);

  connection_.roll_back();
  EXPECT_EQ(count(), 0);
}

TEST_F(PostgresPipeline, WhatIsCheckedIsCheckedBeforeTheCommit) {
  connection_.begin();
  insert_later(1, [](const Rows&) { throw Contention("not as expected"); });

  EXPECT_THROW(connection_.commit(), Contention);

  connection_.roll_back();
  EXPECT_EQ(count(), 0);
}

TEST_F(PostgresPipeline, ACommitThatIsCutOffTogetherWithAStatementIsOfUnknownOutcome) {
  other_.execute(
      "CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend("
      "pg_backend_pid()); RETURN NULL; END $$;"
      "CREATE CONSTRAINT TRIGGER cut_off AFTER INSERT ON numbers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE "
      "FUNCTION cut_off()");
  connection_.begin();
  insert_later(1);

  EXPECT_THROW(connection_.commit(), OutcomeUnknown);
  EXPECT_TRUE(connection_.is_broken());
}

TEST_F(PostgresPipeline, AStatementThatIsCutOffBeforeTheCommitHasChangedNothing) {
  other_.execute(
      "CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend("
      "pg_backend_pid()); PERFORM pg_sleep(60); RETURN NULL; END $$;"
      "CREATE TRIGGER cut_off AFTER INSERT ON numbers FOR EACH ROW EXECUTE FUNCTION cut_off()");
  connection_.begin();
  insert_later(1);

  try {
    connection_.commit();
    ADD_FAILURE() << "it was committed";
  } catch (const OutcomeUnknown&) {
    ADD_FAILURE() << "its outcome is known";
  } catch (const StoreFault&) {
  }

  EXPECT_TRUE(connection_.is_broken());
  EXPECT_EQ(count(), 0);
}

TEST_F(PostgresPipeline, WhatIsLeftIsRolledBackToo) {
  connection_.begin();
  insert_later(1);
  connection_.roll_back();

  EXPECT_EQ(connection_.run(count_numbers)[0].integer(0), 0);
}

TEST_F(PostgresPipeline, ALostConnectionIsAFault) {
  other_.execute(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database()"
      " AND pid <> pg_backend_pid()");

  EXPECT_THROW(
      {
        insert_later(1);
        connection_.flush();
      },
      StoreFault);
  EXPECT_TRUE(connection_.is_broken());
  connection_.roll_back();
}

}  // namespace
}  // namespace semel::test
