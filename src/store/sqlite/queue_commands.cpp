#include <set>

#include "store/sqlite/audit.hpp"
#include "store/sqlite/places.hpp"

namespace semel::store::sqlite {
namespace {

Outcome store(Batch& batch, std::int64_t tenant_id, const std::string& name, const domain::QueueOptions& options) {
  const domain::QueueSettings before = batch.queues.settings(tenant_id, name);
  batch.queues.put(batch.connection, tenant_id, name, options);
  settle_places(batch, tenant_id, name, before);
  return QueueStored{options};
}

}  // namespace

Outcome apply(Batch& batch, const PutQueue& command) {
  batch.begin_writing();
  const std::int64_t tenant_id = batch.tenants.id_of(batch.connection, command.tenant);
  write_audit(batch, tenant_id, command.by, "queue.set", command.name);
  return store(batch, tenant_id, command.name, command.options);
}

Outcome apply(Batch& batch, const PauseQueue& command) {
  batch.begin_writing();
  const std::int64_t tenant_id = batch.tenants.id_of(batch.connection, command.tenant);
  write_audit(batch, tenant_id, command.by, command.paused ? "queue.pause" : "queue.resume", command.name);
  domain::QueueOptions options = batch.queues.options(tenant_id, command.name);
  options.paused = command.paused;
  return store(batch, tenant_id, command.name, options);
}

Outcome apply(Batch& batch, const SetQueueDefaults& command) {
  const std::map<std::string, domain::QueueOptions> old = batch.queues.defaults();
  if (old == command.queues) return QueueDefaultsSet{};
  batch.begin_writing();
  std::set<std::string> names;
  for (const auto& [name, options] : old) names.insert(name);
  for (const auto& [name, options] : command.queues) names.insert(name);
  for (const std::string& name : names) {
    std::map<std::int64_t, domain::QueueSettings> before;
    for (const std::int64_t tenant_id : batch.tenants.ids()) before[tenant_id] = batch.queues.settings(tenant_id, name);
    const auto said = command.queues.find(name);
    if (said == command.queues.end()) batch.queues.remove(batch.connection, Queues::all_tenants, name);
    else batch.queues.put(batch.connection, Queues::all_tenants, name, said->second);
    for (const auto& [tenant_id, settings] : before) settle_places(batch, tenant_id, name, settings);
  }
  return QueueDefaultsSet{};
}

}  // namespace semel::store::sqlite
