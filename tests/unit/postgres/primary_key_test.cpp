#include <gmock/gmock.h>

#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

using PostgresPrimaryKeys = PostgresStores;

/// A cluster that shares its rows out by tenant can then keep those of one together.
TEST_F(PostgresPrimaryKeys, EveryPrimaryKeyBeginsWithTheTenantUnlessNothingInTheTableIsOfOne) {
  open();
  const auto others = database_.open()->execute(
      "SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
      " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]"
      " WHERE c.relnamespace = 'semel'::regnamespace AND i.indisprimary AND a.attname <> 'tenant' ORDER BY 1");

  std::vector<std::string> names;
  for (int i = 0; i < others.count(); ++i) names.push_back(others.text(i, "name"));

  EXPECT_THAT(names, testing::ElementsAre("cache_secret", "closed_days", "facts", "migrations"));
}

TEST_F(PostgresPrimaryKeys, EveryTableHasAPrimaryKey) {
  open();
  const auto without = database_.open()->execute(
      "SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'semel'::regnamespace AND c.relkind IN ('r', "
      "'p')"
      " AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)");

  std::vector<std::string> names;
  for (int i = 0; i < without.count(); ++i) names.push_back(without.text(i, "name"));

  EXPECT_THAT(names, testing::IsEmpty());
}

}  // namespace
}  // namespace semel::test
