#pragma once
#include <filesystem>

#include "store/common/schema.hpp"
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// Throws StoreFault, and changes nothing, when the file is not an SQLite database, is some other program's, or is
/// newer than this binary. To be called before anything is set on the connection: a setting may rewrite the file's
/// header.
void check_is_ours(Connection& connection, const std::filesystem::path& file);

/// Of a file that is ours.
SchemaState read_schema(Connection& connection);

/// Brings the schema to the newest version that this binary knows, one migration a transaction. The version is the
/// database's user_version.
void migrate(Connection& connection);

/// The same for a file that no process uses, and that is made when it is not there. What was to be done.
SchemaState migrate_file(const std::filesystem::path& file);
/// What would be done; another process may use the file.
SchemaState look_at_schema(const std::filesystem::path& file);

}  // namespace semel::store::sqlite
