#include "store/postgres/migrate.hpp"

#include <fmt/format.h>

#include <semel_postgres_sql.hpp>

namespace semel::store::postgres {
namespace {

constexpr auto newest_known = static_cast<std::int64_t>(postgres_sql::all.size());

/// Asks the catalogue as any table: to_regclass() would answer from what this session remembers, also after another
/// server has made the schema while this one waited for the lock.
bool exists(Connection& connection, std::string_view table) {
  return connection
      .run("SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'semel' AND tablename = $1)", table)[0]
      .boolean(0);
}

std::int64_t schema_version(Connection& connection) {
  if (!exists(connection, "migrations")) return 0;
  return connection.run("SELECT coalesce(max(version), 0) FROM semel.migrations")[0].integer(0);
}

void check_is_known(Connection& connection) {
  const std::int64_t found = schema_version(connection);
  if (found > newest_known) {
    throw StoreFault(
        fmt::format("the database has the schema semel in version {}, and this binary knows versions up to {}: run a "
                    "newer semel",
                    found, newest_known));
  }
  if (found == 0 && exists(connection, "executions"))
    throw StoreFault("the database has a schema semel that is not a Semel store: name another database with --store");
}

/// One step, in a transaction that the lock is held in. False when there is nothing left to do.
bool migrate_once(Connection& connection) {
  connection.begin();
  try {
    connection.execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
    connection.run("SELECT pg_advisory_xact_lock(hashtextextended('semel.migrations', 0))");
    check_is_known(connection);
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
  const Rows server = connection.run("SELECT current_setting('server_version_num')::bigint");
  if (server[0].integer(0) < 150000)
    throw StoreFault(
        fmt::format("the server is PostgreSQL {}: version 15 or newer is needed", server[0].integer(0) / 10000));
  check_is_known(connection);
  if (schema_version(connection) == newest_known) return;
  while (migrate_once(connection)) {
  }
}

}  // namespace semel::store::postgres
