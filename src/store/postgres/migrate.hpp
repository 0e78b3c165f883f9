#pragma once
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// Brings the schema `semel` to the newest version that this binary knows, one migration a transaction. Safe when
/// several servers start at once: one migrates, and the others wait for it. Throws StoreFault, and changes nothing,
/// when the schema is newer than this binary, or not ours.
void migrate(Connection& connection);

}  // namespace semel::store::postgres
