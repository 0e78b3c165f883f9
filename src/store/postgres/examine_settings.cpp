#include "store/postgres/examine_settings.hpp"

#include <fmt/format.h>

namespace semel::store::postgres {
namespace {

/// The setting as the session has it; what is not known counts as well.
std::string here(const ServerSettings& settings, const char* name, const char* if_unknown) {
  const auto found = settings.find(name);
  return found == settings.end() ? if_unknown : found->second.here;
}

void judge_durability(const ServerSettings& settings, Findings& findings) {
  bool is_durable = true;
  const auto lost = [&](const char* name, const char* why) {
    if (here(settings, name, "on") != "off") return;
    is_durable = false;
    findings.fail(name, fmt::format("off: {}; set {} = on", why, name));
  };
  lost("fsync", "when the machine fails, acknowledged tasks are lost, or the whole database");
  lost("full_page_writes", "when the machine fails in the middle of a write, pages are damaged");
  lost("synchronous_commit", "when PostgreSQL fails, the last acknowledged tasks are lost");
  const auto commit = settings.find("synchronous_commit");
  if (commit != settings.end() && commit->second.here != "off" && commit->second.usual == "off") {
    findings.warn("synchronous_commit",
                  "off by default here: Semel's own sessions turn it on, other programs do not; set it on");
  }
  if (is_durable) findings.ok("durability", "a commit is on the disk before it is acknowledged");
}

void judge_standbys(const ServerSettings& settings, Findings& findings) {
  const std::string names = here(settings, "synchronous_standby_names", "");
  const std::string level = here(settings, "wal_level", "replica");
  if (names.empty())
    findings.ok("standbys",
                fmt::format("none is synchronous (wal_level {}): a failover may lose the last moments", level));
  else findings.ok("standbys", fmt::format("a commit waits for {} (wal_level {})", names, level));
}

void judge_session(const ServerSettings& settings, Findings& findings) {
  for (const char* name : {"server_encoding", "client_encoding"}) {
    const std::string encoding = here(settings, name, "UTF8");
    if (encoding != "UTF8") findings.fail(name, encoding + ": texts need UTF8; make the database with ENCODING 'UTF8'");
  }
  const std::string isolation = here(settings, "default_transaction_isolation", "read committed");
  if (isolation != "read committed")
    findings.fail("isolation", isolation + ": Semel's transactions need read committed, and could not set it");
  if (here(settings, "default_transaction_read_only", "off") == "on")
    findings.fail("read only", "default_transaction_read_only is on: every change will be refused");
}

void judge_timeouts(const ServerSettings& settings, Findings& findings) {
  for (const char* name : {"idle_session_timeout", "transaction_timeout"}) {
    const std::string value = here(settings, name, "0");
    if (value == "0") continue;
    findings.warn(name,
                  fmt::format("{} ms: connections of servers will be ended by it, and made again; set it to 0 for "
                              "this role: ALTER ROLE … SET {} = 0",
                              value, name));
  }
  std::string of_role;
  for (const char* name : {"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"}) {
    const auto found = settings.find(name);
    if (found != settings.end() && found->second.usual != "0")
      of_role += fmt::format("{}{} {} ms", of_role.empty() ? "" : ", ", name, found->second.usual);
  }
  findings.ok("time-outs",
              of_role.empty() ? "servers set their own" : "servers set their own, instead of the role's " + of_role);
}

void judge_autovacuum(const ServerSettings& settings, Findings& findings) {
  for (const char* name : {"autovacuum", "track_counts"}) {
    if (here(settings, name, "on") == "off")
      findings.warn(name, fmt::format("off: dead rows stay, and everything becomes slow; set {} = on", name));
  }
}

}  // namespace

ServerSettings read_settings(Connection& connection) {
  ServerSettings settings;
  const Rows rows = connection.run(
      "SELECT name, setting, coalesce(reset_val, '') FROM pg_catalog.pg_settings WHERE name IN ('fsync',"
      " 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'wal_level', 'server_encoding',"
      " 'client_encoding', 'default_transaction_isolation', 'default_transaction_read_only', 'idle_session_timeout',"
      " 'transaction_timeout', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',"
      " 'autovacuum', 'track_counts')");
  for (const Row row : rows) settings[row.text(0)] = {row.text(1), row.text(2)};
  return settings;
}

void judge_settings(const ServerSettings& settings, Findings& findings) {
  judge_durability(settings, findings);
  judge_standbys(settings, findings);
  judge_session(settings, findings);
  judge_timeouts(settings, findings);
  judge_autovacuum(settings, findings);
}

}  // namespace semel::store::postgres
