#include "store/postgres/inner.hpp"
#include "store/postgres/workflows.hpp"

/// What of code workflows is shown, to people and to their workers.
namespace semel::store {
namespace postgres {
namespace {

#define SEMEL_CODE_FACTS                                                                                 \
  "w.phase, w.history_length, w.history_bytes, w.first_event, w.seen, w.last_command, w.first_command, " \
  "w.open_children"

domain::code::Facts read_code_facts(const Row& row, int first) {
  domain::code::Facts facts;
  facts.phase = row.as<domain::RunPhase>(first);
  facts.history_length = row.integer(first + 1);
  facts.history_bytes = row.integer(first + 2);
  facts.first_event = row.integer(first + 3);
  facts.seen = row.integer(first + 4);
  facts.last_command = row.integer(first + 5);
  facts.first_command = row.integer(first + 6);
  facts.open_children = row.integer(first + 7);
  return facts;
}

HistoryEntry read_entry(const Row& row, int first) {
  return {row.integer(first),
          row.time(first + 1),
          {row.as<domain::HistoryKind>(first + 2), row.text(first + 3), row.text(first + 4)}};
}

/// By one statement, so that facts and events are of one moment. What a worker reads in pages is not read here.
Rows read_activations(Connection& connection, std::span<const TenantAndId> workflows) {
  const IdArrays wanted(workflows);
  return connection.run(
      "SELECT w.tenant, w.id, " SEMEL_CODE_FACTS
      ", h.sequence, h.at, h.kind, h.task_key, h.detail FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
      " JOIN workflows w ON w.tenant = u.tenant AND w.id = u.id LEFT JOIN LATERAL (SELECT * FROM (SELECT x.*,"
      " sum(octet_length(x.detail)) OVER (ORDER BY x.sequence) AS bytes FROM history x WHERE x.tenant = w.tenant"
      " AND x.run = w.id AND x.sequence > w.seen ORDER BY x.sequence LIMIT $3) y"
      " WHERE coalesce(y.bytes, 0) <= $4 OR y.sequence = w.seen + 1) h ON true ORDER BY w.tenant, w.id, h.sequence",
      wanted.tenants, wanted.ids, domain::limits::activation_events_max, domain::limits::activation_event_bytes_max);
}

}  // namespace

void add_activations(Batch& batch, std::span<Claimed> claimed) {
  std::map<TenantAndId, Lease*> leases;
  std::vector<TenantAndId> wanted;
  for (Claimed& each : claimed) {
    for (Lease& lease : each.leases) {
      const domain::ExecutionSpec& spec = lease.execution.spec;
      if (!is_code(spec)) continue;
      wanted.emplace_back(spec.tenant, spec.id);
      leases.emplace(wanted.back(), &lease);
    }
  }
  if (leases.empty()) return;
  std::map<TenantAndId, ActivationEvents> events;
  for (const Row row : read_activations(batch.connection, wanted)) {
    const TenantAndId id{row.text(0), {row.uuid(1)}};
    Lease& lease = *leases.at(id);
    if (!lease.activation) lease.activation = activation_of(read_code_facts(row, 2));
    if (!row.is_null(10)) events[id].add(read_entry(row, 10));
  }
  for (auto& [id, lease] : leases) {
    if (!lease->activation) throw StoreFault("a workflow has no facts");
    lease->activation->events = events[id].take();
  }
}

}  // namespace postgres

using postgres::Connection;
using postgres::Row;
using postgres::Rows;

/// By one statement, so that facts and timers are of one moment.
std::optional<StoredWorkflow> PostgresStore::workflow(std::string_view tenant, domain::ExecutionId id) {
  return inner_->read([&](Connection& connection) -> std::optional<StoredWorkflow> {
    const Rows rows = connection.run("SELECT " SEMEL_CODE_FACTS
                                     ", w.status, t.command, t.fire_at FROM workflows w LEFT JOIN timers t"
                                     " ON t.tenant = w.tenant AND t.run = w.id WHERE w.tenant = $1 AND w.id = $2"
                                     " ORDER BY t.command",
                                     tenant, id);
    if (rows.empty()) return std::nullopt;
    StoredWorkflow stored{postgres::read_code_facts(rows[0], 0), rows[0].optional_text(8), {}};
    for (const Row row : rows) {
      if (!row.is_null(9)) stored.timers.push_back({row.integer(9), row.time(10)});
    }
    return stored;
  });
}

}  // namespace semel::store
