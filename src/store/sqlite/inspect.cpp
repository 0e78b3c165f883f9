#include "store/sqlite/inspect.hpp"

#include <fmt/format.h>

#include "store/sqlite/facts.hpp"
#include "store/sqlite/lock_file.hpp"
#include "store/sqlite/migrate.hpp"
#include "store/sqlite/no_traces.hpp"

namespace semel::store::sqlite {
namespace {

std::int64_t number(Connection& connection, std::string_view literal) {
  Scoped query = connection.use(literal);
  query->step();
  return query->integer(0);
}

std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

}  // namespace

std::string check_integrity(Connection& connection) {
  try {
    Scoped query = connection.use("PRAGMA integrity_check(1)");
    query->step();
    return query->text(0);
  } catch (const StoreFault& fault) {  // so broken that SQLite cannot even check it
    return fault.what();
  }
}

void check_is_store(Connection& connection, const std::filesystem::path& file) {
  check_is_ours(connection, file);
  if (number(connection, "PRAGMA user_version") == 0) throw StoreFault(fmt::format("{} is empty", file.string()));
}

Inspection inspect(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) throw StoreFault(fmt::format("there is no file {}", file.string()));
  const NoTraces traces(file);
  Connection connection(file, Connection::Access::read_only);
  check_is_store(connection, file);
  Inspection found;
  found.schema_version = number(connection, "PRAGMA user_version");
  found.integrity = check_integrity(connection);
  found.file_bytes = size_of(file);
  found.wal_bytes = size_of(file.string() + "-wal");
  std::error_code ignored;
  found.free_bytes = std::filesystem::space(file, ignored).available;
  if (found.integrity == "ok") found.last_time = from_ms(read_fact(connection, fact::last_time));
  found.used_by = lock_holder(file);
  return found;
}

}  // namespace semel::store::sqlite
