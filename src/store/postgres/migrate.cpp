#include "store/postgres/migrate.hpp"

#include <fmt/format.h>

#include <semel_postgres_sql.hpp>

namespace semel::store::postgres {
namespace {

constexpr auto newest_known = static_cast<std::int64_t>(postgres_sql::all.size());

/// 0 = there is no schema of ours. Throws when there is one that this binary cannot use.
std::int64_t schema_version(Connection& connection) {
  // Not by to_regclass(), which may still remember from before the lock that there was nothing.
  const Rows tables = connection.run(
      "SELECT count(*) FILTER (WHERE tablename = 'migrations') > 0, count(*) FILTER (WHERE tablename = 'executions') > "
      "0"
      " FROM pg_catalog.pg_tables WHERE schemaname = 'semel'");
  const std::int64_t found =
      tables[0].boolean(0) ? connection.run("SELECT coalesce(max(version), 0) FROM semel.migrations")[0].integer(0) : 0;
  if (found > newest_known) {
    throw StoreFault(
        fmt::format("the database has the schema semel in version {}, and this binary knows versions up to {}: run a "
                    "newer semel",
                    found, newest_known));
  }
  if (found == 0 && tables[0].boolean(1))
    throw StoreFault("the database has a schema semel that is not a Semel store: name another database with --store");
  return found;
}

/// One step, in a transaction that the lock is held in. False when there is nothing left to do.
bool migrate_once(Connection& connection) {
  connection.begin();
  try {
    connection.execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
    connection.run("SELECT pg_advisory_xact_lock(hashtextextended('semel.migrations', 0))");
    const std::int64_t done = schema_version(connection);
    if (done < newest_known) {
      connection.execute(
          "CREATE SCHEMA IF NOT EXISTS semel; CREATE TABLE IF NOT EXISTS semel.migrations (version integer PRIMARY "
          "KEY, applied_at timestamptz NOT NULL DEFAULT now())");
      connection.execute(std::string(postgres_sql::all[static_cast<std::size_t>(done)]));
      connection.run("INSERT INTO semel.migrations (version) VALUES ($1)", done + 1);
    }
    connection.commit();
    return done + 1 < newest_known;
  } catch (...) {
    connection.roll_back();
    throw;
  }
}

}  // namespace

void migrate(Connection& connection) {
  if (connection.server_version() < 150000)
    throw StoreFault(
        fmt::format("the server is PostgreSQL {}: version 15 or newer is needed", connection.server_version() / 10000));
  if (schema_version(connection) == newest_known) return;
  while (migrate_once(connection)) {
  }
}

}  // namespace semel::store::postgres
