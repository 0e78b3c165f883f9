#include <map>

#include "store/sqlite/inner.hpp"

namespace semel::store {
namespace {

using TenantAndQueue = std::pair<std::int64_t, std::string>;

void count(std::map<TenantAndQueue, QueueDepth>& depths, sqlite::Scoped query, std::uint64_t QueueDepth::* phase) {
  while (query->step()) {
    depths[{query->integer(0), query->text(1)}].*phase = static_cast<std::uint64_t>(query->integer(2));
  }
}

/// How many are ready, and since when the first ones wait. Both go through the index of what is ready and nothing else;
/// a row is read only for the first of each handler and priority.
void count_ready(std::map<TenantAndQueue, QueueDepth>& depths, sqlite::Connection& connection) {
  sqlite::Scoped query = connection.use(
      "SELECT g.tenant_id, g.queue, g.ready, (SELECT f.run_at FROM executions f INDEXED BY executions_ready"
      " WHERE f.phase = 1 AND f.tenant_id = g.tenant_id AND f.queue = g.queue AND f.handler = g.handler"
      " AND f.priority = g.priority ORDER BY f.order_at, f.id LIMIT 1) FROM"
      " (SELECT tenant_id, queue, handler, priority, count(*) AS ready FROM executions INDEXED BY executions_ready"
      " WHERE phase = 1 AND (handler < 'workflow:' OR handler >= 'workflow;')"
      " GROUP BY tenant_id, queue, handler, priority) g");
  while (query->step()) {
    QueueDepth& depth = depths[{query->integer(0), query->text(1)}];
    depth.ready += static_cast<std::uint64_t>(query->integer(2));
    depth.waits_since = std::min(depth.waits_since.value_or(Time::max()), query->time(3));
  }
}

}  // namespace

std::vector<QueueDepth> SqliteStore::queue_depths() {
  std::map<TenantAndQueue, QueueDepth> depths;
  {
    auto reader = inner_->readers.borrow();
    const sqlite::Snapshot snapshot(*reader);
    count_ready(depths, *reader);
    count(depths,
          (*reader).use("SELECT tenant_id, queue, count(*) FROM executions INDEXED BY executions_waiting WHERE phase = "
                        "2 AND kind = 0 GROUP BY tenant_id, queue"),
          &QueueDepth::waiting);
    count(depths,
          (*reader).use("SELECT tenant_id, queue, count(*) FROM executions WHERE phase = 4 GROUP BY tenant_id, queue"),
          &QueueDepth::blocked);
    count(depths,
          (*reader).use("SELECT e.tenant_id, e.queue, count(*) FROM attempts a JOIN executions e ON e.seq = a.seq"
                        " WHERE a.outcome = 0 AND e.kind = 0 GROUP BY e.tenant_id, e.queue"),
          &QueueDepth::running);
  }
  std::vector<QueueDepth> listed;
  for (auto& [key, depth] : depths) {
    depth.tenant = inner_->tenants.name_of(key.first);
    depth.queue = key.second;
    listed.push_back(std::move(depth));
  }
  std::sort(listed.begin(), listed.end(), [](const QueueDepth& a, const QueueDepth& b) {
    return std::tie(a.tenant, a.queue) < std::tie(b.tenant, b.queue);
  });
  return listed;
}

}  // namespace semel::store
