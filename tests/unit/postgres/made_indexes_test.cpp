#include "store/postgres/made_indexes.hpp"

#include <gmock/gmock.h>

#include <array>
#include <set>

namespace semel::store::postgres {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_after(const std::vector<std::string_view>& scripts) {
  std::vector<std::string> names;
  for (const MadeIndex& each : indexes_made_by(scripts)) names.push_back(each.name);
  return names;
}

TEST(MadeIndexes, AreThoseOfCreateIndex) {
  constexpr std::array<std::string_view, 1> script{
      "-- CREATE INDEX not_me ON semel.t (a);\nCREATE INDEX a_b ON semel.t (a,\n   b) -- why\n WHERE c = 1;\n"
      "CREATE UNIQUE INDEX d ON semel.u (d);"};

  EXPECT_THAT(indexes_made_by(script),
              ElementsAre(MadeIndex{"a_b", "t", "CREATE INDEX a_b ON semel.t (a, b) WHERE c = 1"},
                          MadeIndex{"d", "u", "CREATE UNIQUE INDEX d ON semel.u (d)"}));
}

TEST(MadeIndexes, AreThoseOfConstraintsToo) {
  EXPECT_THAT(
      names_after({"CREATE TABLE semel.t (\n  a text NOT NULL, -- UNIQUE\n  b text COLLATE \"C\" NOT NULL UNIQUE,"
                   " c bytea CHECK (octet_length(c) IN (1, 2)),\n  PRIMARY KEY (a, b)\n) WITH (fillfactor = 50);"
                   "CREATE TABLE semel.v (name text PRIMARY KEY, value bigint);"}),
      ElementsAre("t_b_key", "t_pkey", "v_pkey"));
}

TEST(MadeIndexes, AreThoseOfKeysThatAreAddedLater) {
  EXPECT_THAT(names_after({"CREATE TABLE semel.t (a text, LIKE semel.u) PARTITION BY RANGE (a);"
                           "ALTER TABLE semel.t ADD PRIMARY KEY (a);"
                           "CREATE UNLOGGED TABLE semel.v (a text, PRIMARY KEY (a));"}),
              ElementsAre("t_pkey", "v_pkey"));
}

TEST(MadeIndexes, GoWithWhatIsDropped) {
  EXPECT_THAT(
      names_after({"CREATE TABLE semel.t (a text PRIMARY KEY); CREATE INDEX b ON semel.t (a);", "DROP INDEX semel.b;"}),
      ElementsAre("t_pkey"));
  EXPECT_THAT(
      names_after({"CREATE TABLE semel.t (a text PRIMARY KEY); CREATE INDEX b ON semel.t (a);", "DROP TABLE semel.t;"}),
      IsEmpty());
}

TEST(MadeIndexes, AreNotLookedForInFunctions) {
  EXPECT_THAT(names_after({"CREATE FUNCTION semel.f() RETURNS void LANGUAGE sql AS $$ SELECT 1;\n"
                           "CREATE INDEX no ON semel.t (a); $$;\nCREATE INDEX yes ON semel.t (a);"}),
              ElementsAre("yes"));
}

}  // namespace
}  // namespace semel::store::postgres
