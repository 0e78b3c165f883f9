#pragma once
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// Brings the schema to the newest version that this binary knows, one migration a transaction. The version is the
/// database's user_version. Throws StoreFault when the file is newer than this binary, or is some other program's.
void migrate(Connection& connection);

}  // namespace semel::store::sqlite
