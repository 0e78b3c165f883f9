#include "server/store_target.hpp"

#include <gtest/gtest.h>

namespace semel::server {
namespace {

TEST(StoreTarget, IsAFileOrADatabase) {
  const Result<StoreTarget> file = parse_store("sqlite:./semel.db");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->kind, StoreTarget::Kind::sqlite);
  EXPECT_EQ(file->place, "./semel.db");

  for (const char* url : {"postgres://db/semel", "postgresql://u@db:5433/semel?sslmode=verify-full"}) {
    const Result<StoreTarget> database = parse_store(url);
    ASSERT_TRUE(database) << url;
    EXPECT_EQ(database->kind, StoreTarget::Kind::postgres);
    EXPECT_EQ(database->place, url);
  }
}

TEST(StoreTarget, IsNothingElse) {
  for (const char* text : {"", "sqlite:", "semel.db", "postgres:semel", "mysql://db/semel"}) {
    const Result<StoreTarget> refused = parse_store(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_NE(refused.error().message.find("is not a store; use sqlite:FILE"), std::string::npos);
  }
}

TEST(StoreTarget, IsNoFileInTheRootFolderByTwoSlashes) {
  EXPECT_EQ(parse_store("sqlite:///srv/semel.db")->place, "///srv/semel.db");
  EXPECT_EQ(parse_store("sqlite://./semel.db").error().message,
            "'sqlite://./semel.db' is not a store; use sqlite:./semel.db, without the slashes before the file");
}

TEST(StoreTarget, TellsThatADatabaseIsNoFile) {
  const Result<std::string> refused = parse_sqlite_store("postgres://db/semel");

  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("pg_dump"), std::string::npos);
}

TEST(StoreTarget, IsShownWithoutItsPassword) {
  const std::vector<std::pair<std::string, std::string>> shown{
      {"sqlite:./semel.db", "sqlite:./semel.db"},
      {"postgres://db/semel", "postgres://db/semel"},
      {"postgres://ada@db:5433/semel", "postgres://ada@db:5433/semel"},
      {"postgres://ada:secret@db/semel", "postgres://ada:…@db/semel"},
      {"postgres://ada:s@cret@db/semel", "postgres://ada:…@db/semel"},
      {"postgres://db/semel?user=ada&password=secret&sslmode=require",
       "postgres://db/semel?user=ada&password=…&sslmode=require"},
      {"postgresql://ada:one@db?password=two", "postgresql://ada:…@db?password=…"},
  };
  for (const auto& [store, expected] : shown) EXPECT_EQ(without_password(store), expected);
}

}  // namespace
}  // namespace semel::server
