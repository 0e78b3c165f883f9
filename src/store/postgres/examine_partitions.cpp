#include <fmt/format.h>

#include "store/postgres/examine.hpp"

namespace semel::store::postgres {
namespace {

/// Whether the tables are there, attached, that the list of days names, and no others.
bool examine_days(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "WITH wanted AS (SELECT p.parent || '_' || d.keep_days || '_' || d.first_day AS name"
      " FROM semel.closed_days d, (VALUES ('closed'), ('closed_attempts')) AS p (parent)),"
      " there AS (SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
      " WHERE i.inhparent IN ('semel.closed'::regclass, 'semel.closed_attempts'::regclass))"
      " SELECT count(*) FILTER (WHERE t.name IS NULL), min(w.name) FILTER (WHERE t.name IS NULL),"
      " count(*) FILTER (WHERE w.name IS NULL), min(t.name) FILTER (WHERE w.name IS NULL)"
      " FROM wanted w FULL JOIN there t ON t.name = w.name");
  if (rows[0].integer(0) > 0)
    findings.fail("partitions",
                  fmt::format("{} are missing, such as semel.{}: what was kept there is lost; restore a backup",
                              rows[0].integer(0), rows[0].text(1)));
  if (rows[0].integer(2) > 0)
    findings.warn("partitions", fmt::format("{} are not in semel.closed_days, such as semel.{}: nobody will drop them",
                                            rows[0].integer(2), rows[0].text(3)));
  return rows[0].integer(0) == 0 && rows[0].integer(2) == 0;
}

/// Whether what should go goes: a day or two after its time at the latest.
bool examine_passed(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT count(*), min(keep_days || '_' || first_day) FROM semel.closed_days"
      " WHERE (end_day + keep_days + 1)::bigint * 86400000 < semel.now_ms()");
  if (rows[0].integer(0) == 0) return true;
  findings.warn("partitions",
                fmt::format("{} are past their retention, such as semel.closed_{}: the server that leads should have "
                            "dropped them; look into its log",
                            rows[0].integer(0), rows[0].text(1)));
  return false;
}

/// Whether what should be put away is. Queues that keep shortly have none there, so only those are asked that have.
bool examine_left(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT count(*), min(q.tenant || '/' || q.queue) FROM (SELECT DISTINCT tenant, queue FROM semel.closed_queues) q"
      " WHERE EXISTS (SELECT FROM semel.executions e WHERE e.closed_at IS NOT NULL AND NOT e.client_made_id"
      " AND e.tenant = q.tenant AND e.queue = q.queue AND e.closed_at < semel.now_ms() - 86400000)"
      " AND NOT EXISTS (SELECT FROM semel.queues s WHERE s.retention_ms < 172800000 AND s.name = q.queue"
      " AND s.tenant IN ('', q.tenant))");
  if (rows[0].integer(0) == 0) return true;
  findings.warn("partitions",
                fmt::format("{} queues have tasks that closed more than a day ago and were not put away, such as {}: "
                            "look into the log of the server that leads",
                            rows[0].integer(0), rows[0].text(1)));
  return false;
}

}  // namespace

void examine_partitions(Connection& connection, Findings& findings) {
  const bool are_there = examine_days(connection, findings);
  const bool have_gone = examine_passed(connection, findings);
  const bool are_filled = examine_left(connection, findings);
  if (!are_there || !have_gone || !are_filled) return;
  const Rows rows = connection.run("SELECT count(*) FROM semel.closed_days");
  findings.ok("partitions", fmt::format("{} of what has closed", rows[0].integer(0)));
}

}  // namespace semel::store::postgres
