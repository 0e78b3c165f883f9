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

}  // namespace

std::vector<QueueDepth> SqliteStore::queue_depths() {
  std::map<TenantAndQueue, QueueDepth> depths;
  {
    auto reader = inner_->readers.borrow();
    const sqlite::Snapshot snapshot(*reader);
    count(depths,
          (*reader).use("SELECT tenant_id, queue, count(*) FROM executions WHERE phase = 1 GROUP BY tenant_id, queue"),
          &QueueDepth::ready);
    count(
        depths,
        (*reader).use(
            "SELECT tenant_id, queue, count(*) FROM executions WHERE phase = 2 AND kind = 0 GROUP BY tenant_id, queue"),
        &QueueDepth::waiting);
    count(depths,
          (*reader).use("SELECT tenant_id, queue, count(*) FROM executions WHERE phase = 4 GROUP BY tenant_id, queue"),
          &QueueDepth::blocked);
    count(depths,
          (*reader).use("SELECT e.tenant_id, e.queue, count(*) FROM attempts a JOIN executions e ON e.seq = a.seq"
                        " WHERE a.outcome = 0 GROUP BY e.tenant_id, e.queue"),
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
