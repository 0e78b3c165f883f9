#include "store/sqlite/places.hpp"

namespace semel::store::sqlite {
namespace {

std::int64_t places_taken(Batch& batch, std::int64_t tenant_id, const std::string& queue, const std::string& key) {
  Scoped query = batch.connection.use(
      "SELECT count(*) FROM executions INDEXED BY executions_keyed WHERE tenant_id = ?1 AND queue = ?2"
      " AND concurrency_key = ?3 AND concurrency_key IS NOT NULL AND phase IN (1, 3)");
  query->bind(1, tenant_id).bind(2, queue).bind(3, key);
  query->step();
  return query->integer(0);
}

struct Next {
  std::int64_t seq = 0;
  std::string handler;
};

std::vector<Next> best_blocked(Batch& batch, std::int64_t tenant_id, const std::string& queue, const std::string& key,
                               std::int64_t max) {
  std::vector<Next> best;
  Scoped query = batch.connection.use(
      "SELECT seq, handler FROM executions INDEXED BY executions_blocked WHERE phase = 4 AND tenant_id = ?1"
      " AND queue = ?2 AND concurrency_key = ?3 ORDER BY priority DESC, order_at, id LIMIT ?4");
  query->bind(1, tenant_id).bind(2, queue).bind(3, key).bind(4, max);
  while (query->step()) best.push_back({query->integer(0), query->text(1)});
  return best;
}

void set_phase(Batch& batch, std::int64_t seq, Phase phase) {
  batch.connection.use("UPDATE executions SET phase = ?2 WHERE seq = ?1")
      ->bind(1, seq)
      .bind(2, static_cast<std::int64_t>(phase))
      .run();
}

/// Fills the places of a key. Whether `known`, which is not told of, got one.
bool fill_places(Batch& batch, std::int64_t tenant_id, const std::string& queue, const std::string& key,
                 std::optional<std::int64_t> known) {
  const std::int64_t max = batch.queues.settings(tenant_id, queue).max_running_per_key;
  const std::int64_t room = max - places_taken(batch, tenant_id, queue, key);
  if (room <= 0) return false;
  bool got_one = false;
  for (const Next& next : best_blocked(batch, tenant_id, queue, key, room)) {
    set_phase(batch, next.seq, Phase::ready);
    if (next.seq == known) got_one = true;
    else batch.ready.push_back({batch.tenants.name_of(tenant_id), queue, next.handler});
  }
  return got_one;
}

/// After a change of max_running_per_key: lets everyone queue up again.
void settle_keys(Batch& batch, std::int64_t tenant_id, const std::string& queue) {
  batch.connection
      .use(
          "UPDATE executions SET phase = 4 WHERE phase = 1 AND tenant_id = ?1 AND queue = ?2"
          " AND concurrency_key IS NOT NULL")
      ->bind(1, tenant_id)
      .bind(2, queue)
      .run();
  std::string key;
  while (true) {
    {
      Scoped query = batch.connection.use(
          "SELECT concurrency_key FROM executions INDEXED BY executions_blocked WHERE phase = 4 AND tenant_id = ?1"
          " AND queue = ?2 AND concurrency_key > ?3 ORDER BY concurrency_key LIMIT 1");
      query->bind(1, tenant_id).bind(2, queue).bind(3, key);
      if (!query->step()) return;
      key = query->text(0);
    }
    fill_places(batch, tenant_id, queue, key, std::nullopt);
  }
}

/// What ran uncounted before the queue had a limit counts from now on.
void count_running(Batch& batch, std::int64_t tenant_id, const std::string& queue) {
  batch.connection
      .use(
          "UPDATE executions SET phase = 3 WHERE seq IN (SELECT seq FROM attempts WHERE outcome = 0)"
          " AND phase = 0 AND tenant_id = ?1 AND queue = ?2")
      ->bind(1, tenant_id)
      .bind(2, queue)
      .run();
}

}  // namespace

Phase entry_phase(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec) {
  if (!spec.concurrency_key) return Phase::ready;
  const std::int64_t max = batch.queues.settings(tenant_id, spec.queue).max_running_per_key;
  return places_taken(batch, tenant_id, spec.queue, *spec.concurrency_key) < max ? Phase::ready : Phase::blocked;
}

Phase enter_again(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec, std::int64_t seq) {
  if (!spec.concurrency_key) return Phase::ready;
  const bool got_one = fill_places(batch, tenant_id, spec.queue, *spec.concurrency_key, seq);
  return got_one ? Phase::ready : Phase::blocked;
}

void make_room(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& gone) {
  if (gone.concurrency_key) fill_places(batch, tenant_id, gone.queue, *gone.concurrency_key, std::nullopt);
}

Phase running_phase(const domain::QueueSettings& settings, const domain::ExecutionSpec& spec) {
  return settings.max_running || spec.concurrency_key ? Phase::counted : Phase::neither;
}

void settle_places(Batch& batch, std::int64_t tenant_id, const std::string& queue,
                   const domain::QueueSettings& before) {
  const domain::QueueSettings after = batch.queues.settings(tenant_id, queue);
  if (after.max_running && !before.max_running) count_running(batch, tenant_id, queue);
  if (after.max_running_per_key != before.max_running_per_key) settle_keys(batch, tenant_id, queue);
}

}  // namespace semel::store::sqlite
