#include <fmt/format.h>

#include <map>

#include "store/postgres/examine.hpp"
#include "store/postgres/made_indexes.hpp"
#include "store/postgres/migrate.hpp"

namespace semel::store::postgres {
namespace {

void examine_privileges(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT current_user::text, has_schema_privilege('semel', 'CREATE'),"
      " (SELECT string_agg(p || ' on ' || c.relname, ', ' ORDER BY c.relname, p) FROM pg_catalog.pg_class c,"
      " unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS p WHERE c.relnamespace = 'semel'::regnamespace"
      " AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT has_table_privilege(c.oid, p)"
      " AND (p = 'SELECT' OR c.relname <> 'migrations'))");
  const std::string role = rows[0].text(0);
  if (!rows[0].is_null(2)) {
    return findings.fail(
        "privileges",
        fmt::format("{} lacks {}: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA semel TO {}", role,
                    rows[0].text(2), role));
  }
  findings.ok("privileges",
              rows[0].boolean(1)
                  ? fmt::format("{} may use the schema and change it", role)
                  : fmt::format("{} may use the schema, and not change it: give servers migrate = \"never\"", role));
}

/// Which indexes there are, and whether they are used: one that could not be made to its end is there and is not.
std::map<std::string, bool> read_indexes(Connection& connection) {
  std::map<std::string, bool> found;
  const Rows rows = connection.run(
      "SELECT c.relname::text, i.indisvalid AND i.indisready FROM pg_catalog.pg_index i"
      " JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = 'semel'::regnamespace");
  for (const Row row : rows) found.emplace(row.text(0), row.boolean(1));
  return found;
}

std::string how_to_make(const MadeIndex& index) {
  if (!index.remedy.empty()) return "make it again: " + index.remedy;
  return fmt::format("without it rows of {} can be there twice; restore a backup, or make the constraint again",
                     index.table);
}

void examine_constraints(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT conname::text, conrelid::regclass::text FROM pg_catalog.pg_constraint"
      " WHERE connamespace = 'semel'::regnamespace AND NOT convalidated");
  for (const Row row : rows) {
    findings.fail("constraint",
                  fmt::format("{} was never checked against old rows: ALTER TABLE {} VALIDATE CONSTRAINT {}",
                              row.text(0), row.text(1), row.text(0)));
  }
}

}  // namespace

bool examine_schema(Connection& connection, Findings& findings) {
  SchemaState schema;
  try {
    schema = read_schema(connection);
  } catch (const StoreFault& fault) {
    findings.fail("schema", fault.what());
    return false;
  }
  if (schema.version == 0) {
    findings.fail("schema", "there is none: start a server on it, or run semel migrate");
    return false;
  }
  if (!schema.is_current()) {
    findings.warn("schema",
                  fmt::format("version {}, and this binary needs {}: a server migrates when it starts, unless "
                              "migrate is \"never\"; or run semel migrate",
                              schema.version, schema.newest));
    return false;
  }
  findings.ok("schema", fmt::format("version {}", schema.version));
  if (is_half_copied(connection))
    findings.fail("copy", "a copy into it has not ended, and no server starts on it: repeat semel store copy");
  examine_privileges(connection, findings);
  return true;
}

void examine_indexes(Connection& connection, Findings& findings) {
  const std::map<std::string, bool> found = read_indexes(connection);
  std::size_t wrong = 0;
  for (const MadeIndex& made : indexes_of_schema()) {
    if (found.contains(made.name)) continue;
    wrong += 1;
    findings.fail("index", fmt::format("{} is missing: {}", made.name, how_to_make(made)));
  }
  for (const auto& [name, is_valid] : found) {
    if (is_valid) continue;
    wrong += 1;
    findings.fail("index",
                  fmt::format("{} is not valid, and not used: REINDEX INDEX CONCURRENTLY semel.{}", name, name));
  }
  if (wrong == 0) findings.ok("indexes", fmt::format("all {} are there and valid", found.size()));
  examine_constraints(connection, findings);
}

}  // namespace semel::store::postgres
