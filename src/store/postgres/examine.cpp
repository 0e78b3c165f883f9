#include "store/postgres/examine.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include "store/postgres/examine_settings.hpp"

namespace semel::store::postgres {
namespace {

constexpr int oldest_version = 15;
constexpr int newest_tested_version = 15;
constexpr Duration skew_tolerance = 1s;

/// Two sessions of their own never share a process of the server. Behind a pooler that gives one out for a transaction
/// only, the second gets the one that the first has just left.
void examine_pooler(Connection& connection, const std::string& target, Findings& findings) {
  const auto process_of = [](Connection& session) {
    return std::stoi(session.execute("SELECT pg_backend_pid()")[0].text(0));
  };
  const int told = PQbackendPID(connection.raw());
  Connection other(target);
  const int one = process_of(connection);
  other.begin();
  const bool is_shared = process_of(other) == one;
  other.roll_back();
  if (is_shared) {
    findings.fail(
        "pooler",
        "one is in between, and lets sessions share connections: prepared statements, advisory locks and LISTEN "
        "do not survive that; connect to PostgreSQL itself, or let it pool sessions");
  } else if (told != one) {
    findings.warn("pooler", "one is in between: it must pool sessions, and never transactions; Semel has its own pool");
  }
}

void look_inside(Connection& connection, Findings& findings) {
  examine_indexes(connection, findings);
  examine_activity(connection, findings);
  examine_tables(connection, findings);
  examine_partitions(connection, findings);
  examine_content(connection, findings);
}

}  // namespace

bool examine_server(Connection& connection, const std::string& target, Findings& findings) {
  const int major = connection.server_version() / 10000;
  const Rows rows = connection.run(
      "SELECT current_setting('server_version'), current_database()::text, pg_size_pretty(pg_database_size("
      "current_database())), pg_is_in_recovery()");
  findings.ok("store", fmt::format("database {}, {}", rows[0].text(1), rows[0].text(2)));
  const std::string version = "PostgreSQL " + rows[0].text(0);
  if (major < oldest_version) findings.fail("version", version + ": 15 or newer is needed");
  else if (major > newest_tested_version)
    findings.warn("version",
                  fmt::format("{}: newer than {}, which Semel is tested with", version, newest_tested_version));
  else findings.ok("version", version);
  const bool is_standby = rows[0].boolean(3);
  if (is_standby) {
    findings.fail(
        "standby",
        "this is one, and takes no changes: name the primary, or all hosts with target_session_attrs=read-write");
  }
  if (major < oldest_version || is_standby) return false;
  examine_pooler(connection, target, findings);
  return true;
}

/// The answer was made somewhere between the two looks at this machine's clock: in the middle, for want of better.
void examine_clock(Connection& connection, const Clock& clock, Findings& findings) {
  const Time before = clock.now();
  const Rows rows = connection.run("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint");
  const Time after = clock.now();
  const Duration skew = rows[0].time(0) - (before + (after - before) / 2);
  const auto amount = [](Duration length) {
    return fmt::format("{:.1f} s", std::chrono::duration<double>(length).count());
  };
  if (std::chrono::abs(skew) <= skew_tolerance) return findings.ok("database clock", "agrees with this machine's");
  findings.warn("database clock",
                fmt::format("{} {} this machine's: all decisions follow the database's; let NTP set both",
                            amount(std::chrono::abs(skew)), skew > Duration{0} ? "ahead of" : "behind"));
}

Findings examine(const std::string& target, const Clock& clock) {
  Findings findings;
  try {
    Connection connection(target);
    if (!examine_server(connection, target, findings)) return findings;
    examine_clock(connection, clock, findings);
    judge_settings(read_settings(connection), findings);
    if (examine_schema(connection, findings)) look_inside(connection, findings);
  } catch (const StoreFault& fault) {
    findings.fail("store", fault.what());
  }
  return findings;
}

}  // namespace semel::store::postgres
