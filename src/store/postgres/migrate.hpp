#pragma once
#include "store/common/schema.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// How far the schema `semel` is. Throws StoreFault when it is newer than this binary, or not ours.
SchemaState read_schema(Connection& connection);

/// Brings the schema `semel` to the newest version that this binary knows, one migration a transaction. Safe when
/// several servers start at once: one migrates, and the others wait for it. Throws StoreFault, and changes nothing,
/// when the schema is newer than this binary, or not ours.
void migrate(Connection& connection);

/// What a server does before it uses the schema: migrates it, if it may. Throws StoreFault, too, while the database is
/// the target of a copy that has not ended.
void prepare_schema(Connection& connection, Migrate migrate);

/// From outside: migrates, or only looks. What was to be done.
SchemaState migrate_database(const std::string& target);
SchemaState look_at_schema(const std::string& target);

/// A fact while another store is being copied into this one.
inline constexpr std::string_view copying_fact = "copying";
bool is_half_copied(Connection& connection);

}  // namespace semel::store::postgres
