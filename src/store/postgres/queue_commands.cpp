#include <set>

#include "store/postgres/places.hpp"

namespace semel::store::postgres {
namespace {

/// The queue must be locked.
Outcome put_options(Batch& batch, const TenantAndQueue& queue, const domain::QueueOptions& options) {
  const domain::QueueSettings before = batch.queues.settings(queue);
  batch.queues.put(queue, options);
  settle_places(batch, queue, before);
  return QueueStored{options};
}

/// All tenants that have executions: one look into the index for each, however many it has.
std::vector<std::string> tenants_with_executions(Connection& connection) {
  std::vector<std::string> tenants;
  const Rows rows = connection.run(
      "WITH RECURSIVE t AS (SELECT (SELECT e.tenant FROM executions e ORDER BY e.tenant LIMIT 1) AS tenant"
      " UNION ALL SELECT (SELECT e.tenant FROM executions e WHERE e.tenant > t.tenant ORDER BY e.tenant LIMIT 1)"
      " FROM t WHERE t.tenant IS NOT NULL) SELECT tenant FROM t WHERE tenant IS NOT NULL");
  for (const Row row : rows) tenants.push_back(row.text(0));
  return tenants;
}

std::map<std::string, domain::QueueOptions> read_defaults(Connection& connection) {
  std::map<std::string, domain::QueueOptions> defaults;
  for (StoredQueue& each : read_queues(connection)) {
    if (each.tenant == all_tenants) defaults.emplace(std::move(each.name), std::move(each.options));
  }
  return defaults;
}

}  // namespace

Outcome apply(Batch& batch, const PutQueue& command) {
  const TenantAndQueue queue{command.tenant, command.name};
  batch.queues.lock({queue});
  write_audit(batch, command.tenant, command.by, "queue.set", command.name);
  return put_options(batch, queue, command.options);
}

Outcome apply(Batch& batch, const PauseQueue& command) {
  const TenantAndQueue queue{command.tenant, command.name};
  batch.queues.lock({queue});
  write_audit(batch, command.tenant, command.by, command.paused ? "queue.pause" : "queue.resume", command.name);
  domain::QueueOptions options = batch.queues.options(queue);
  options.paused = command.paused;
  return put_options(batch, queue, options);
}

/// Every server says this when it starts: most of the time, nothing is new.
Outcome apply(Batch& batch, const SetQueueDefaults& command) {
  if (read_defaults(batch.connection) == command.queues) return QueueDefaultsSet{};
  lock_name(batch, "semel.queue_defaults");
  const std::map<std::string, domain::QueueOptions> old = read_defaults(batch.connection);
  std::set<std::string> names;
  for (const auto& [name, options] : old) names.insert(name);
  for (const auto& [name, options] : command.queues) names.insert(name);
  std::set<TenantAndQueue> queues;
  for (const std::string& tenant : tenants_with_executions(batch.connection)) {
    for (const std::string& name : names) queues.emplace(tenant, name);
  }
  batch.queues.lock(queues);
  std::map<TenantAndQueue, domain::QueueSettings> before;
  batch.queues.preload(queues);
  for (const TenantAndQueue& queue : queues) before[queue] = batch.queues.settings(queue);
  for (const std::string& name : names) {
    const TenantAndQueue queue{all_tenants, name};
    const auto said = command.queues.find(name);
    if (said == command.queues.end()) batch.queues.remove(queue);
    else batch.queues.put(queue, said->second);
  }
  batch.queues.preload(queues);
  for (const auto& [queue, settings] : before) settle_places(batch, queue, settings);
  return QueueDefaultsSet{};
}

}  // namespace semel::store::postgres
