#include "tests/support/postgres_database.hpp"

#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "tests/support/postgres_server.hpp"

namespace semel::test {
namespace {

/// The databases that no test uses just now.
struct Spare {
  std::mutex mutex;  // guards what follows
  std::vector<std::string> names;
  int made = 0;
};

Spare& spare() {
  static Spare all;
  return all;
}

/// Every table but the list of migrations; sequences go on, as they do in life. Small ones are emptied row by row,
/// which is much quicker than to make them anew. What was put away goes with its tables.
constexpr const char* empty_sql =
    "DO $$ DECLARE name text; BEGIN"
    " IF to_regclass('semel.closed_days') IS NOT NULL THEN UPDATE semel.closed_days SET leaving_since = 0;"
    " PERFORM semel.drop_days(keep_days, first_day) FROM semel.closed_days; END IF;"
    " FOR name IN SELECT format('semel.%I', tablename) FROM pg_tables"
    " WHERE schemaname = 'semel' AND tablename NOT IN ('migrations', 'facts') LOOP"
    " IF pg_relation_size(name::regclass) > 400000 THEN EXECUTE 'TRUNCATE ' || name;"
    " ELSIF pg_relation_size(name::regclass) > 0 THEN EXECUTE 'DELETE FROM ' || name; END IF; END LOOP;"
    " IF to_regclass('semel.facts') IS NOT NULL THEN UPDATE semel.facts SET value = 0; END IF; END $$";

}  // namespace

PostgresDatabase::PostgresDatabase() {
  {
    const std::lock_guard lock(spare().mutex);
    if (!spare().names.empty()) {
      name_ = spare().names.back();
      spare().names.pop_back();
    } else {
      name_ = fmt::format("test_{}", ++spare().made);
      Session(PostgresServer::shared().connection_string()).execute("CREATE DATABASE " + name_);
    }
  }
  open()->execute(empty_sql);
}

PostgresDatabase::~PostgresDatabase() {
  const std::lock_guard lock(spare().mutex);
  spare().names.push_back(name_);
}

std::string PostgresDatabase::target() const { return PostgresServer::shared().connection_string(name_); }

std::string PostgresDatabase::url() const { return PostgresServer::shared().url(name_); }

std::unique_ptr<Session> PostgresDatabase::open() const {
  auto session = std::make_unique<Session>(target());
  session->execute("SET search_path = semel");
  return session;
}

}  // namespace semel::test
