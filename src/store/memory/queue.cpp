#include <algorithm>
#include <set>

#include "store/memory/tables.hpp"

/// What holds for queues, and which of the tasks with one concurrency_key may run (DESIGN §4).
namespace semel::store::memory {
namespace {

using domain::State;

domain::QueueOptions options_of(const Tables& tables, const TenantAndQueue& queue) {
  const auto said = tables.queues.find(queue);
  return said == tables.queues.end() ? domain::QueueOptions{} : said->second;
}

bool same_key(const domain::ExecutionSpec& one, const domain::ExecutionSpec& other) {
  return one.tenant == other.tenant && one.queue == other.queue && one.concurrency_key == other.concurrency_key;
}

bool takes_place(const Record& record) {
  const State state = record.execution.state;
  return state == State::running || (state == State::pending && record.phase == Phase::ready);
}

/// How many tasks with the key are ready or running, and the best of the others.
struct Key {
  int places = 0;
  Record* next = nullptr;
};

Key look_at_key(Tables& tables, const domain::ExecutionSpec& spec) {
  Key key;
  for (auto& [id, record] : tables.executions) {
    if (!same_key(record.execution.spec, spec)) continue;
    key.places += takes_place(record) ? 1 : 0;
    const bool is_blocked = record.execution.state == State::pending && record.phase == Phase::blocked;
    if (!is_blocked) continue;
    const bool is_better =
        key.next == nullptr || place_in_queue(record.execution) < place_in_queue(key.next->execution);
    if (is_better) key.next = &record;
  }
  return key;
}

/// After a change of max_running_per_key: lets everyone queue up again.
void settle_keys(Tables& tables, const std::string& tenant, const std::string& queue) {
  std::vector<domain::ExecutionSpec> keys;
  for (auto& [id, record] : tables.executions) {
    const domain::ExecutionSpec& spec = record.execution.spec;
    const bool is_ready =
        record.execution.state == State::pending && (record.phase == Phase::ready || record.phase == Phase::blocked);
    if (spec.tenant != tenant || spec.queue != queue || !spec.concurrency_key || !is_ready) continue;
    record.phase = Phase::blocked;
    keys.push_back(spec);
  }
  for (const domain::ExecutionSpec& spec : keys) make_room(tables, spec);
}

std::set<std::string> tenants_of(const Tables& tables) {
  std::set<std::string> tenants;
  for (const auto& [id, record] : tables.executions) tenants.insert(id.first);
  return tenants;
}

domain::QueueOptions store(Tables& tables, const std::string& tenant, const std::string& name,
                           const domain::QueueOptions& options) {
  const int before = settings_of(tables, tenant, name).max_running_per_key;
  tables.queues[{tenant, name}] = options;
  if (settings_of(tables, tenant, name).max_running_per_key != before) settle_keys(tables, tenant, name);
  return options;
}

}  // namespace

domain::QueueSettings settings_of(const Tables& tables, const std::string& tenant, const std::string& queue) {
  return settle(options_of(tables, {tenant, queue}), options_of(tables, {"", queue}));
}

void enter_queue(Tables& tables, Record& record, Time now) {
  const domain::Execution& execution = record.execution;
  record.phase = execution.run_at > now ? Phase::waiting : Phase::ready;
  if (execution.spec.kind == domain::Kind::promise) record.phase = Phase::none;
  if (record.phase == Phase::none) return;
  if (record.phase == Phase::waiting || !execution.spec.concurrency_key) return;
  record.phase = Phase::blocked;
  make_room(tables, execution.spec, &record);
}

void make_room(Tables& tables, const domain::ExecutionSpec& gone, const Record* known) {
  if (!gone.concurrency_key) return;
  const int max = settings_of(tables, gone.tenant, gone.queue).max_running_per_key;
  while (true) {
    const Key key = look_at_key(tables, gone);
    if (key.places >= max || key.next == nullptr) return;
    key.next->phase = Phase::ready;
    if (key.next != known) tables.ready.push_back({gone.tenant, gone.queue, key.next->execution.spec.handler});
  }
}

Outcome apply(Tables& tables, const PutQueue& put, Time now) {
  note(tables, put.tenant, {0, now, put.by, "queue.set", put.name});
  return QueueStored{store(tables, put.tenant, put.name, put.options)};
}

Outcome apply(Tables& tables, const PauseQueue& pause, Time now) {
  domain::QueueOptions options = options_of(tables, {pause.tenant, pause.name});
  options.paused = pause.paused;
  note(tables, pause.tenant, {0, now, pause.by, pause.paused ? "queue.pause" : "queue.resume", pause.name});
  return QueueStored{store(tables, pause.tenant, pause.name, options)};
}

Outcome apply(Tables& tables, const SetQueueDefaults& defaults, Time) {
  std::set<std::string> names;
  for (const auto& [name, options] : defaults.queues) names.insert(name);
  for (const auto& [queue, options] : tables.queues) names.insert(queue.second);
  const std::set<std::string> tenants = tenants_of(tables);
  std::map<TenantAndQueue, int> before;
  for (const std::string& tenant : tenants) {
    for (const std::string& name : names)
      before[{tenant, name}] = settings_of(tables, tenant, name).max_running_per_key;
  }
  std::erase_if(tables.queues, [](const auto& each) { return each.first.first.empty(); });
  for (const auto& [name, options] : defaults.queues) tables.queues[{"", name}] = options;
  for (const auto& [queue, places] : before) {
    if (settings_of(tables, queue.first, queue.second).max_running_per_key != places)
      settle_keys(tables, queue.first, queue.second);
  }
  return QueueDefaultsSet{};
}

}  // namespace semel::store::memory
