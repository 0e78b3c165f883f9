#include "store/postgres/places.hpp"

namespace semel::store::postgres {
namespace {

struct Blocked {
  domain::ExecutionId id;
  std::string handler;
};

std::vector<Blocked> best_blocked(Batch& batch, const KeyPlace& place, std::int64_t max) {
  std::vector<Blocked> best;
  const Rows rows = batch.connection.run(
      "SELECT e.id, e.handler FROM executions e WHERE e.phase = 4 AND e.tenant = $1 AND e.queue = $2"
      " AND e.concurrency_key = $3 ORDER BY e.priority DESC, e.order_at, e.id LIMIT $4 FOR UPDATE",
      place.tenant, place.queue, place.key, max);
  for (const Row row : rows) best.push_back({{row.uuid(0)}, row.text(1)});
  return best;
}

/// After a change of max_running_per_key: lets everyone queue up again.
void settle_keys(Batch& batch, const TenantAndQueue& queue) {
  const auto& [tenant, name] = queue;
  batch.connection.run(
      "UPDATE executions SET phase = 4 WHERE phase = 1 AND tenant = $1 AND queue = $2 AND concurrency_key IS NOT NULL",
      tenant, name);
  std::string key;
  while (true) {
    const Rows rows = batch.connection.run(
        "SELECT e.concurrency_key FROM executions e WHERE e.phase = 4 AND e.tenant = $1 AND e.queue = $2"
        " AND e.concurrency_key > $3 ORDER BY e.concurrency_key LIMIT 1",
        tenant, name, key);
    if (rows.empty()) return;
    key = rows[0].text(0);
    fill_places(batch, {tenant, name, key});
  }
}

/// What ran uncounted before the queue had a limit counts from now on.
void count_running(Batch& batch, const TenantAndQueue& queue) {
  batch.connection.run(
      "UPDATE executions e SET phase = 3 FROM attempts a WHERE a.outcome = 0 AND e.tenant = a.tenant"
      " AND e.id = a.execution_id AND e.phase = 0 AND e.state = 1 AND e.tenant = $1 AND e.queue = $2",
      queue.first, queue.second);
}

}  // namespace

std::int64_t free_places(Batch& batch, const KeyPlace& place) {
  const std::int64_t max = batch.queues.settings({place.tenant, place.queue}).max_running_per_key;
  const Rows rows = batch.connection.run(
      "SELECT count(*) FROM executions e WHERE e.tenant = $1 AND e.queue = $2 AND e.concurrency_key = $3"
      " AND e.concurrency_key IS NOT NULL AND e.phase IN (1, 3)",
      place.tenant, place.queue, place.key);
  return max - rows[0].integer(0);
}

bool fill_places(Batch& batch, const KeyPlace& place, std::optional<domain::ExecutionId> known) {
  const std::int64_t room = free_places(batch, place);
  if (room <= 0) return false;
  bool got_one = false;
  std::vector<TenantAndId> next;
  for (const Blocked& each : best_blocked(batch, place, room)) {
    next.emplace_back(place.tenant, each.id);
    if (each.id == known) got_one = true;
    else batch.ready.push_back({place.tenant, place.queue, each.handler});
  }
  set_phase(batch, next, Phase::ready);
  return got_one;
}

void set_phase(Batch& batch, std::span<const TenantAndId> ids, Phase phase) {
  if (ids.empty()) return;
  const IdArrays changed(ids);
  batch.connection.run(
      "UPDATE executions e SET phase = $3 FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
      " WHERE e.tenant = u.tenant AND e.id = u.id",
      changed.tenants, changed.ids, phase);
}

Phase entry_phase(Batch& batch, const domain::ExecutionSpec& spec) {
  if (!spec.concurrency_key) return Phase::ready;
  return free_places(batch, key_place(spec)) > 0 ? Phase::ready : Phase::blocked;
}

Phase running_phase(const domain::QueueSettings& settings, const domain::ExecutionSpec& spec) {
  return settings.max_running || spec.concurrency_key ? Phase::counted : Phase::neither;
}

void settle_places(Batch& batch, const TenantAndQueue& queue, const domain::QueueSettings& before) {
  const domain::QueueSettings after = batch.queues.settings(queue);
  if (after.max_running && !before.max_running) count_running(batch, queue);
  if (after.max_running_per_key != before.max_running_per_key) settle_keys(batch, queue);
}

}  // namespace semel::store::postgres
