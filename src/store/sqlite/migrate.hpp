#pragma once
#include <filesystem>

#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// Throws StoreFault, and changes nothing, when the file is not an SQLite database, is some other program's, or is
/// newer than this binary. To be called before anything is set on the connection: a setting may rewrite the file's
/// header.
void check_is_ours(Connection& connection, const std::filesystem::path& file);

/// Brings the schema to the newest version that this binary knows, one migration a transaction. The version is the
/// database's user_version.
void migrate(Connection& connection);

}  // namespace semel::store::sqlite
