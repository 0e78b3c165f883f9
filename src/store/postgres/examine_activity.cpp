#include <fmt/format.h>

#include "store/postgres/examine.hpp"
#include "store/postgres/listener.hpp"

namespace semel::store::postgres {
namespace {

constexpr std::int64_t connections_of_a_server = 12;
constexpr std::int64_t dead_rows_odd = 50'000;
constexpr std::int64_t rows_worth_statistics = 10'000;
constexpr std::int64_t transactions_until_trouble = 1'000'000'000;

void examine_servers(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database()"
      " AND application_name LIKE $2),"
      " (SELECT min(l.pid)::bigint FROM pg_catalog.pg_locks l WHERE l.locktype = 'advisory' AND l.granted"
      " AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())"
      " AND l.classid::bigint = $1::bigint >> 32 AND l.objid::bigint = $1::bigint & 4294967295 AND l.objsubid = 1)",
      leader_lock, listening_pattern);
  const std::int64_t servers = rows[0].integer(0);
  const auto leader = rows[0].optional_integer(1);
  if (leader)
    return findings.ok("servers",
                       fmt::format("{} running; the one with the connection of pid {} leads", servers, *leader));
  if (servers == 0) return findings.ok("servers", "none runs");
  findings.warn("servers",
                fmt::format("{} running, and none leads: leases do not end, and schedules do not fire. Right after "
                            "a leader has gone this lasts for some seconds",
                            servers));
}

void examine_connections(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datid IS NOT NULL),"
      " current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint");
  const std::int64_t used = rows[0].integer(0);
  const std::int64_t most = rows[0].integer(1);
  const std::string found = fmt::format("{} of {} are used", used, most);
  if (most - used >= connections_of_a_server) return findings.ok("connections", found);
  findings.warn("connections",
                fmt::format("{}: there is no room for another server, which takes {}; raise max_connections", found,
                            connections_of_a_server));
}

void examine_transactions(Connection& connection, Duration old, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT pid::bigint, coalesce(usename, '?')::text, to_char(now() - xact_start, 'HH24:MI:SS')"
      " FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
      " AND backend_type = 'client backend' AND xact_start <= clock_timestamp() - $1 * interval '1 ms'"
      " ORDER BY xact_start",
      old);
  for (const Row row : rows) {
    findings.warn("transaction",
                  fmt::format("the session with pid {} of {} has had one open for {}: vacuum cannot remove "
                              "anything newer; end it with SELECT pg_terminate_backend({})",
                              row.integer(0), row.text(1), row.text(2), row.integer(0)));
  }
  const Rows prepared = connection.run(
      "SELECT gid FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()"
      " AND prepared <= clock_timestamp() - $1 * interval '1 ms'",
      old);
  for (const Row row : prepared) {
    findings.warn("transaction", fmt::format("the prepared transaction {} holds vacuum back: ROLLBACK PREPARED '{}'",
                                             row.text(0), row.text(0)));
  }
  if (rows.empty() && prepared.empty()) findings.ok("transactions", "none is open for long");
}

}  // namespace

void examine_activity(Connection& connection, Findings& findings, Duration old) {
  examine_servers(connection, findings);
  examine_connections(connection, findings);
  examine_transactions(connection, old, findings);
}

void examine_tables(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT relname::text, n_live_tup, n_dead_tup, greatest(last_vacuum, last_autovacuum)::timestamptz(0)::text,"
      " greatest(last_analyze, last_autoanalyze) IS NULL FROM pg_catalog.pg_stat_user_tables"
      " WHERE schemaname = 'semel' ORDER BY n_dead_tup DESC, relname");
  bool keeps_up = true;
  for (const Row row : rows) {
    const std::int64_t live = row.integer(1);
    const std::int64_t dead = row.integer(2);
    if (dead > dead_rows_odd && dead > live / 2) {
      keeps_up = false;
      findings.warn("vacuum",
                    fmt::format("{} has {} dead rows beside {}, and was vacuumed {}: let autovacuum come more often, "
                                "ALTER TABLE semel.{} SET (autovacuum_vacuum_scale_factor = 0.02)",
                                row.text(0), dead, live, row.is_null(3) ? "never" : row.text(3), row.text(0)));
    }
    if (row.boolean(4) && live > rows_worth_statistics) {
      keeps_up = false;
      findings.warn("statistics", fmt::format("{} was never analyzed, so plans are guesses: ANALYZE semel.{}",
                                              row.text(0), row.text(0)));
    }
  }
  const std::int64_t age =
      connection
          .run("SELECT age(datfrozenxid)::bigint FROM pg_catalog.pg_database WHERE datname = current_database()")[0]
          .integer(0);
  if (age > transactions_until_trouble) {
    keeps_up = false;
    findings.warn(
        "vacuum",
        fmt::format("the oldest transaction is {} back; at two billions PostgreSQL stops: VACUUM FREEZE", age));
  }
  if (keeps_up) findings.ok("vacuum", "keeps up");
}

}  // namespace semel::store::postgres
