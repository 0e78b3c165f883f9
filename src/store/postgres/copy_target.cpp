#include "store/postgres/copy_target.hpp"

#include <fmt/format.h>

#include "store/postgres/examine.hpp"
#include "store/postgres/listener.hpp"
#include "store/postgres/migrate.hpp"

namespace semel::store::postgres {
namespace {

/// A copy may take hours, and then nothing of it may be given up because it took long.
constexpr const char* patient_session = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

std::string list_of_tables() {
  std::string list = "semel.usages, semel.queue_limits, semel.closed, semel.closed_attempts";
  for (const dump::Table& table : dump::tables()) list += fmt::format(", semel.{}", table.name);
  return list;
}

/// The settings of a configuration and secrets are left by any server that was ever started here, and are no content.
void check_is_empty(Connection& connection) {
  for (const dump::Table& table : dump::tables()) {
    if (table.name == "facts" || table.name == "secrets") continue;
    const std::string from =
        table.name == "queues" ? "semel.queues WHERE tenant <> ''" : DatabaseDump::source_of(table);
    if (connection.execute(fmt::format("SELECT 1 FROM {} LIMIT 1", from)).empty()) continue;
    throw StoreFault(fmt::format(
        "the target is not empty (there are {}), and a copy never mixes with what is there: name another database, or "
        "remove its schema semel",
        table.name));
  }
}

}  // namespace

CopyTarget::CopyTarget(const std::string& target) : connection_(target) {
  connection_.execute(patient_session);
  migrate(connection_);
  keep_others_out();
  mark();
  begin();
}

/// Who holds the leader's lock is what servers are known by, and none can lead while it is held here. Both locks go
/// with the connection.
void CopyTarget::keep_others_out() {
  if (!connection_.run("SELECT pg_try_advisory_lock(hashtextextended('semel.copy', 0))")[0].boolean(0))
    throw StoreFault("another copy into this database is under way");
  const bool is_led = !connection_.run("SELECT pg_try_advisory_lock($1)", leader_lock)[0].boolean(0);
  const Rows servers = connection_.run(
      "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND application_name LIKE "
      "$1",
      listening_pattern);
  if (is_led || servers[0].integer(0) > 0) throw StoreFault("a server runs on the target: stop all servers first");
}

void CopyTarget::mark() {
  check_is_empty(connection_);
  connection_.run(
      "INSERT INTO semel.facts (name, value) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      copying_fact);
}

/// Readers are let through: a server that starts sees the mark, and says so.
void CopyTarget::begin() {
  connection_.begin();
  connection_.execute(fmt::format("LOCK TABLE {} IN EXCLUSIVE MODE", list_of_tables()));
  check_is_empty(connection_);  // nobody can write any more
  connection_.execute(
      "DELETE FROM semel.queues; DELETE FROM semel.secrets; DELETE FROM semel.usages; DELETE FROM semel.queue_limits");
}

void CopyTarget::finish() {
  Findings findings;
  examine_content(connection_, findings);
  for (const Finding& each : findings.all()) {
    if (each.verdict == Finding::Verdict::fail)
      throw StoreFault(fmt::format("the source contradicts itself, and was not copied: {}", each.found));
  }
  connection_.run("DELETE FROM semel.facts WHERE name = $1", copying_fact);
  connection_.commit();
  analyze();
}

/// So that the first statements have good plans. If it fails, autovacuum does it within a minute.
void CopyTarget::analyze() noexcept {
  try {
    connection_.execute(fmt::format("ANALYZE {}", list_of_tables()));
  } catch (const StoreFault&) {
  }
}

CopiedDatabase::CopiedDatabase(const std::string& target) : connection_(target) {
  connection_.execute(patient_session);
  const SchemaState schema = read_schema(connection_);
  if (!schema.is_current()) {
    throw StoreFault(fmt::format("the database has schema version {}, and this binary needs {}: run semel migrate",
                                 schema.version, schema.newest));
  }
  connection_.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

}  // namespace semel::store::postgres
