#include "store/sqlite/migrate.hpp"

#include <fmt/format.h>

#include <semel_sql.hpp>

#include "store/sqlite/lock_file.hpp"
#include "store/sqlite/no_traces.hpp"
#include "store/sqlite/settings.hpp"

namespace semel::store::sqlite {
namespace {

constexpr std::int64_t application_id = 0x53454D4C;  // "SEML": `file` and sqlite3 show whose file it is

std::int64_t pragma(Connection& connection, std::string_view literal) {
  Scoped query = connection.use(literal);
  query->step();
  return query->integer(0);
}

bool is_empty(Connection& connection) { return pragma(connection, "SELECT count(*) FROM sqlite_schema") == 0; }

constexpr auto newest_version = static_cast<std::int64_t>(sql::all.size());

}  // namespace

void check_is_ours(Connection& connection, const std::filesystem::path& file) {
  std::int64_t owner = 0;
  try {
    owner = pragma(connection, "PRAGMA application_id");
  } catch (const StoreFault& fault) {
    throw StoreFault(fmt::format("{} cannot be a store: {}; name another file", file.string(), fault.what()));
  }
  if (owner != application_id && !is_empty(connection)) {
    throw StoreFault(fmt::format("{} is an SQLite database, but not a Semel store; name another file", file.string()));
  }
  const std::int64_t version = pragma(connection, "PRAGMA user_version");
  if (version <= newest_version) return;
  throw StoreFault(
      fmt::format("the store {} has schema version {}, and this binary knows versions up to {}: run a newer semel",
                  file.string(), version, newest_version));
}

SchemaState read_schema(Connection& connection) {
  return schema_state(pragma(connection, "PRAGMA user_version"), sql::file_names);
}

void migrate(Connection& connection) {
  for (std::int64_t next = pragma(connection, "PRAGMA user_version"); next < newest_version; ++next) {
    connection.execute("BEGIN IMMEDIATE");
    connection.execute(std::string(sql::all[static_cast<std::size_t>(next)]));
    connection.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT", application_id, next + 1));
  }
}

SchemaState migrate_file(const std::filesystem::path& file) {
  const LockFile lock(file);
  Connection connection(file, Connection::Access::read_write);
  check_is_ours(connection, file);
  SchemaState found = read_schema(connection);
  configure_writer(connection);
  migrate(connection);
  return found;
}

SchemaState look_at_schema(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return schema_state(0, sql::file_names);
  const NoTraces traces(file);
  Connection connection(file, Connection::Access::read_only);
  check_is_ours(connection, file);
  return read_schema(connection);
}

}  // namespace semel::store::sqlite
