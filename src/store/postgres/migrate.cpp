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

void check_server_version(const Connection& connection) {
  if (connection.server_version() >= 150000) return;
  throw StoreFault(
      fmt::format("the server is PostgreSQL {}: version 15 or newer is needed", connection.server_version() / 10000));
}

}  // namespace

SchemaState read_schema(Connection& connection) {
  return schema_state(schema_version(connection), postgres_sql::file_names);
}

void migrate(Connection& connection) {
  check_server_version(connection);
  if (schema_version(connection) == newest_known) return;
  while (migrate_once(connection)) {
  }
}

bool is_half_copied(Connection& connection) {
  return !connection.run("SELECT 1 FROM semel.facts WHERE name = $1 AND value > 0", copying_fact).empty();
}

void prepare_schema(Connection& connection, Migrate how) {
  check_server_version(connection);
  const SchemaState schema = read_schema(connection);
  if (how == Migrate::never && !schema.is_current())
    throw StoreFault(must_be_migrated(schema, "URL, as a role that may change the schema"));
  migrate(connection);
  if (!is_half_copied(connection)) return;
  throw StoreFault(
      "a copy into this database has not ended: let semel store copy end, or repeat it; or remove the schema semel to "
      "begin with nothing");
}

SchemaState migrate_database(const std::string& target) {
  Connection connection(target);
  SchemaState found = read_schema(connection);
  migrate(connection);
  return found;
}

SchemaState look_at_schema(const std::string& target) {
  Connection connection(target);
  return read_schema(connection);
}

}  // namespace semel::store::postgres
