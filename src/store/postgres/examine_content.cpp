#include <array>

#include <fmt/format.h>

#include "store/postgres/examine.hpp"

namespace semel::store::postgres {
namespace {

/// What must not be there: a query for how many, and for one of them.
struct Contradiction {
  std::string_view what;
  std::string_view sql;
};

constexpr std::array contradictions{
    Contradiction{
        "identities that nobody holds",
        "SELECT count(*), min(i.tenant || '/' || encode(i.hash, 'hex')) FROM semel.identities i"
        " WHERE NOT EXISTS (SELECT FROM semel.executions e WHERE e.tenant = i.tenant AND e.id = i.execution_id"
        " AND e.hash = i.hash)"
        " AND NOT EXISTS (SELECT FROM semel.closed c WHERE c.tenant = i.tenant AND c.id = i.execution_id"
        " AND c.hash = i.hash)"
        " AND NOT EXISTS (SELECT FROM semel.tombstones t WHERE t.tenant = i.tenant AND t.id = i.execution_id"
        " AND t.hash = i.hash)"},
    Contradiction{"open tasks that do not hold their identity",
                  "SELECT count(*), min(e.tenant || '/' || e.id) FROM semel.executions e WHERE e.closed_at IS NULL"
                  " AND e.hash IS NOT NULL AND e.released_at IS NULL"
                  " AND NOT (e.run IS NOT NULL AND e.state IN (0, 2) AND e.phase = 0)"  // held, or attached
                  " AND NOT EXISTS (SELECT FROM semel.identities i WHERE i.tenant = e.tenant AND i.hash = e.hash"
                  " AND i.execution_id = e.id)"},
    Contradiction{"tasks that are there twice",
                  "SELECT count(*), min(e.tenant || '/' || e.id) FROM semel.executions e"
                  " JOIN semel.closed c ON c.tenant = e.tenant AND c.id = e.id"
                  " WHERE NOT semel.is_leaving(c.keep_days, c.closed_day)"},
    Contradiction{"running tasks that nobody works on",
                  "SELECT count(*), min(e.tenant || '/' || e.id) FROM semel.executions e WHERE e.state = 1"
                  " AND NOT EXISTS (SELECT FROM semel.attempts a WHERE a.tenant = e.tenant AND a.execution_id = e.id"
                  " AND a.outcome = 0)"},
    Contradiction{"attempts at tasks that do not run",
                  "SELECT count(*), min(a.tenant || '/' || a.id) FROM semel.attempts a WHERE a.outcome = 0"
                  " AND NOT EXISTS (SELECT FROM semel.executions e WHERE e.tenant = a.tenant AND e.id = a.execution_id"
                  " AND e.state = 1)"},
    Contradiction{"runs without what is known of them",
                  "SELECT count(*), min(e.tenant || '/' || e.id) FROM semel.executions e WHERE e.kind = 1"
                  " AND NOT EXISTS (SELECT FROM semel.runs r JOIN semel.plans p ON p.tenant = r.tenant"
                  " AND p.hash = r.plan WHERE r.tenant = e.tenant AND r.id = e.id)"
                  " AND NOT EXISTS (SELECT FROM semel.workflows w WHERE w.tenant = e.tenant AND w.id = e.id)"
                  // A child that failed at once, since another has its key, has not begun.
                  " AND NOT (e.run IS NOT NULL AND e.state = 4 AND e.attempt = 0)"},
    Contradiction{"tasks without their run",
                  "SELECT count(*), min(e.tenant || '/' || e.id) FROM semel.executions e WHERE e.run IS NOT NULL"
                  " AND NOT EXISTS (SELECT FROM semel.runs r WHERE r.tenant = e.tenant AND r.id = e.run)"
                  " AND NOT EXISTS (SELECT FROM semel.workflows w WHERE w.tenant = e.tenant AND w.id = e.run)"},
    Contradiction{"workflows that wait although something has happened",
                  "SELECT count(*), min(w.tenant || '/' || w.id) FROM semel.workflows w JOIN semel.executions e"
                  " ON e.tenant = w.tenant AND e.id = w.id WHERE e.state = 2 AND w.phase = 0"
                  " AND EXISTS (SELECT FROM semel.history h WHERE h.tenant = w.tenant AND h.run = w.id"
                  " AND h.sequence > w.seen AND h.kind IN (2, 3, 4, 5, 22, 26))"},
    Contradiction{"timers without their workflow",
                  "SELECT count(*), min(t.tenant || '/' || t.run) FROM semel.timers t"
                  " WHERE NOT EXISTS (SELECT FROM semel.workflows w WHERE w.tenant = t.tenant AND w.id = t.run"
                  " AND w.phase = 0)"},
    Contradiction{"tasks that wait for somebody who does not know it",
                  "SELECT count(*), min(a.tenant || '/' || a.id) FROM semel.attachments a"
                  " WHERE NOT EXISTS (SELECT FROM semel.executions e WHERE e.tenant = a.tenant AND e.id = a.holder"
                  " AND e.awaited AND e.closed_at IS NULL)"},
};

/// A server without limits does not count, so that these may differ where servers are set up differently.
void examine_usages(Connection& connection, Findings& findings) {
  const Rows rows = connection.run(
      "SELECT count(*), min(tenant) FROM (SELECT tenant, sum(open_tasks) AS tasks, sum(payload_bytes) AS bytes"
      " FROM semel.usages GROUP BY tenant) u FULL JOIN (SELECT tenant, count(*) AS tasks,"
      " sum(octet_length(context)) AS bytes FROM semel.executions WHERE closed_at IS NULL GROUP BY tenant) e"
      " USING (tenant) WHERE EXISTS (SELECT FROM semel.usages)"
      " AND (coalesce(u.tasks, 0), coalesce(u.bytes, 0)) <> (coalesce(e.tasks, 0), coalesce(e.bytes, 0))");
  if (rows[0].integer(0) == 0) return findings.ok("usage", "what tenants have open is counted right");
  findings.warn("usage",
                fmt::format("the open tasks of {} tenants are counted wrong, such as {}: give all servers the same "
                            "limits, and start one of them again; it counts anew",
                            rows[0].integer(0), rows[0].text(1)));
}

}  // namespace

void examine_content(Connection& connection, Findings& findings) {
  bool is_sound = true;
  for (const Contradiction& each : contradictions) {
    const Rows rows = connection.run(each.sql);
    if (rows[0].integer(0) == 0) continue;
    is_sound = false;
    findings.fail("integrity",
                  fmt::format("{} {}, such as {}: something else has written to these tables, or PostgreSQL has lost "
                              "something; restore a backup",
                              rows[0].integer(0), each.what, rows[0].text(1)));
  }
  if (is_sound) findings.ok("integrity", "identities, tasks and attempts agree");
  examine_usages(connection, findings);
}

}  // namespace semel::store::postgres
