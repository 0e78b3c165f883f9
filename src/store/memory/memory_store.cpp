#include "store/memory/memory_store.hpp"

#include <algorithm>
#include <utility>

namespace semel::store {
namespace memory {

std::optional<Time> timer_of(const Record& record) {
  const domain::Execution& execution = record.execution;
  if (execution.state == domain::State::running) return record.attempts.back().lease_until;
  if (execution.state == domain::State::suspended && !execution.cancel_requested) return execution.deadline;
  if (execution.state != domain::State::pending) return std::nullopt;
  return pending_timer(record.phase != Phase::waiting, execution.run_at, execution.deadline);
}

void tell(Tables& tables, const Record& record) {
  Change change = change_of(record.execution.spec, record.execution.state);
  change.attempt = record.execution.attempt;
  change.is_ready = record.execution.state == domain::State::pending && record.phase == Phase::ready;
  change.timer = timer_of(record);
  tables.changes.push_back(std::move(change));
}

}  // namespace memory

using memory::Record;
using memory::TenantAndId;

MemoryStore::MemoryStore(const Clock& clock, domain::TenantLimits limits) : clock_(clock) { tables_.limits = limits; }

Time MemoryStore::time() const { return forward_.at(clock_.now(), clock_.running()); }

Time MemoryStore::now() const {
  const std::lock_guard lock(mutex_);
  return time();
}

Applied MemoryStore::apply(std::span<const Command> commands) {
  const std::lock_guard lock(mutex_);
  Applied applied{time(), {}, {}, {}, {}};
  applied.outcomes.reserve(commands.size());
  for (const Command& command : commands) {
    const std::size_t first_change = tables_.changes.size();
    applied.outcomes.push_back(
        std::visit([&](const auto& one) { return memory::apply(tables_, one, applied.now); }, command));
    memory::settle_runs(tables_, applied.now);
    memory::forget_closed(tables_, first_change, applied.now);
  }
  applied.changes = std::exchange(tables_.changes, {});
  applied.ready = std::exchange(tables_.ready, {});
  applied.gone = std::exchange(tables_.gone, {});
  return applied;
}

std::vector<std::optional<Held>> MemoryStore::probe(std::span<Submit* const> submissions) {
  const std::lock_guard lock(mutex_);
  const Time present = time();
  std::vector<std::optional<Held>> found;
  found.reserve(submissions.size());
  for (const Submit* submit : submissions) found.push_back(memory::duplicate_of(tables_, *submit, present));
  return found;
}

std::optional<domain::Execution> MemoryStore::find(std::string_view tenant, domain::ExecutionId id) {
  const std::lock_guard lock(mutex_);
  const Record* record = memory::find_record(tables_, std::string(tenant), id);
  if (record == nullptr) return std::nullopt;
  return record->execution;
}

std::optional<domain::Holder> MemoryStore::find_tombstone(std::string_view tenant, domain::ExecutionId id) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.tombstones.find(TenantAndId{tenant, id});
  if (found == tables_.tombstones.end()) return std::nullopt;
  return found->second.holder;
}

std::optional<Held> MemoryStore::find_holder(std::string_view tenant, const Hash32& hash) {
  const std::lock_guard lock(mutex_);
  return memory::holder_of_hash(tables_, tenant, hash);
}

std::vector<domain::Attempt> MemoryStore::attempts(std::string_view tenant, domain::ExecutionId id) {
  const std::lock_guard lock(mutex_);
  const Record* record = memory::find_record(tables_, std::string(tenant), id);
  if (record == nullptr) return {};
  return record->attempts;
}

std::optional<StoredRun> MemoryStore::run(std::string_view tenant, domain::ExecutionId id) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.runs.find(TenantAndId{tenant, id});
  if (found == tables_.runs.end()) return std::nullopt;
  const memory::RunRecord& run = found->second;
  StoredRun stored{tables_.plans.at({std::string(tenant), run.plan}), run.facts, {}, std::ssize(run.history)};
  for (const auto& [step, outcome] : run.outcomes) stored.outcomes.push_back(outcome);
  return stored;
}

std::optional<StoredWorkflow> MemoryStore::workflow(std::string_view tenant, domain::ExecutionId id) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.workflows.find(TenantAndId{tenant, id});
  if (found == tables_.workflows.end()) return std::nullopt;
  StoredWorkflow stored{found->second.facts, found->second.status, {}};
  for (const auto& [command, fire_at] : found->second.timers) stored.timers.push_back({command, fire_at});
  return stored;
}

std::vector<HistoryEntry> MemoryStore::history(std::string_view tenant, domain::ExecutionId id, std::int64_t after,
                                               std::size_t limit) {
  const std::lock_guard lock(mutex_);
  std::vector<HistoryEntry> entries;
  const auto read = [&](const std::vector<HistoryEntry>& history) {
    for (const HistoryEntry& entry : history) {
      if (entry.sequence > after && entries.size() < limit) entries.push_back(entry);
    }
  };
  const TenantAndId key{tenant, id};
  if (const auto run = tables_.runs.find(key); run != tables_.runs.end()) read(run->second.history);
  if (const auto code = tables_.workflows.find(key); code != tables_.workflows.end()) read(code->second.history);
  return entries;
}

DuplicateTally MemoryStore::duplicates(std::string_view tenant, domain::ExecutionId id) {
  const std::lock_guard lock(mutex_);
  DuplicateTally tally{std::string(tenant), id, 0, {}};
  if (const Record* record = memory::find_record(tables_, std::string(tenant), id)) {
    tally.count = record->duplicates;
    tally.last = record->last_duplicates;
  }
  return tally;
}

std::vector<StoredTemplate> MemoryStore::templates() {
  const std::lock_guard lock(mutex_);
  std::vector<StoredTemplate> stored;
  for (const auto& [key, version] : tables_.templates) {
    if (!version.document) continue;
    const auto& [tenant, namespace_, name, text] = key;
    stored.push_back({tenant, namespace_, name, text, version.revision, *version.document});
  }
  return stored;
}

std::vector<StoredQueue> MemoryStore::queues() {
  const std::lock_guard lock(mutex_);
  std::vector<StoredQueue> stored;
  for (const auto& [queue, options] : tables_.queues) stored.push_back({queue.first, queue.second, options});
  return stored;
}

Result<Page> MemoryStore::list(const ListQuery& query) {
  const std::lock_guard lock(mutex_);
  return memory::list(tables_, query, [this] { return time(); });
}

std::vector<domain::ApiKey> MemoryStore::api_keys() {
  const std::lock_guard lock(mutex_);
  std::vector<domain::ApiKey> keys;
  for (const auto& [id, key] : tables_.keys) keys.push_back(key);
  return keys;
}

std::vector<AuditEntry> MemoryStore::audit(std::string_view tenant, std::optional<std::int64_t> before,
                                           std::size_t limit) {
  const std::lock_guard lock(mutex_);
  std::vector<AuditEntry> entries;
  for (auto each = tables_.audit.rbegin(); each != tables_.audit.rend() && entries.size() < limit; ++each) {
    const auto& [owner, entry] = *each;
    if (owner == tenant && (!before || entry.seq < *before)) entries.push_back(entry);
  }
  return entries;
}

std::vector<QueueDepth> MemoryStore::queue_depths() {
  const std::lock_guard lock(mutex_);
  using Turn = std::tuple<std::string, std::string, std::string, int>;  // tenant, queue, handler, priority
  std::map<Turn, std::tuple<Time, domain::ExecutionId, Time>> first;    // order, id, run_at
  std::map<std::pair<std::string, std::string>, QueueDepth> depths;
  for (const auto& [id, record] : tables_.executions) {
    const bool is_running = record.execution.state == domain::State::running;
    const bool waits = record.execution.state == domain::State::pending && record.phase != memory::Phase::none;
    const domain::ExecutionSpec& spec = record.execution.spec;
    if (spec.kind != domain::Kind::task || !(is_running || waits)) continue;
    QueueDepth& depth = depths[{spec.tenant, spec.queue}];
    depth.tenant = spec.tenant;
    depth.queue = spec.queue;
    if (is_running) depth.running += 1;
    else if (record.phase == memory::Phase::waiting) depth.waiting += 1;
    else if (record.phase == memory::Phase::blocked) depth.blocked += 1;
    else depth.ready += 1;
    if (is_running || record.phase != memory::Phase::ready) continue;
    const std::tuple order(domain::order_time(record.execution.run_at, spec.head_start), spec.id,
                           record.execution.run_at);
    const auto [turn, is_new] = first.try_emplace({spec.tenant, spec.queue, spec.handler, spec.priority}, order);
    if (!is_new) turn->second = std::min(turn->second, order);
  }
  for (const auto& [turn, order] : first) {
    std::optional<Time>& since = depths[{std::get<0>(turn), std::get<1>(turn)}].waits_since;
    since = std::min(since.value_or(Time::max()), std::get<2>(order));
  }
  std::vector<QueueDepth> listed;
  for (auto& [key, depth] : depths) listed.push_back(std::move(depth));
  return listed;
}

std::vector<StoredDispatch> MemoryStore::dispatches(const DispatchQuery& query) {
  const std::lock_guard lock(mutex_);
  return memory::dispatches(tables_, query);
}

std::vector<DispatchDepth> MemoryStore::dispatch_depths() {
  const std::lock_guard lock(mutex_);
  return memory::dispatch_depths(tables_);
}

std::optional<Time> MemoryStore::next_dispatch() {
  const std::lock_guard lock(mutex_);
  return memory::next_dispatch(tables_);
}

std::optional<Time> MemoryStore::next_timer() {
  const std::lock_guard lock(mutex_);
  std::optional<Time> soonest;
  for (const auto& [id, record] : tables_.executions) {
    const std::optional<Time> timer = memory::timer_of(record);
    if (timer && (!soonest || *timer < *soonest)) soonest = timer;
  }
  for (const auto& [id, workflow] : tables_.workflows) {
    for (const auto& [command, fire_at] : workflow.timers) soonest = std::min(soonest.value_or(fire_at), fire_at);
  }
  return soonest;
}

}  // namespace semel::store
