#include <algorithm>

#include "ports/firing.hpp"
#include "store/memory/memory_store.hpp"

/// When tasks are made by themselves, and how far that has come.
namespace semel::store::memory {
namespace {

using domain::ScheduleRecord;

bool is_full(const Tables& tables, const std::string& tenant) {
  const auto is_theirs = [&](const auto& each) { return each.first.first == tenant; };
  return std::count_if(tables.schedules.begin(), tables.schedules.end(), is_theirs) >=
         static_cast<std::ptrdiff_t>(domain::limits::schedules_max);
}

void fire(Tables& tables, ScheduleRecord& schedule, const Firing& firing, ScheduleAdvanced& advanced, Time now) {
  domain::FiringRecord record = recorded_only(firing, now);
  bool is_new = false;
  if (firing.submit) {
    const Outcome outcome = apply(tables, *firing.submit, now);
    is_new = std::holds_alternative<Created>(outcome);
    record = recorded(firing, outcome, now);
  }
  if (record.outcome == domain::FiringOutcome::cancelled_previous)
    apply(tables, Cancel{schedule.tenant, *firing.cancels, false, schedule.changed_by}, now);
  add(schedule, record, is_new);
  advanced.firings.push_back(std::move(record));
}

}  // namespace

Outcome apply(Tables& tables, const PutSchedule& command, Time now) {
  const auto known = tables.schedules.find({command.tenant, command.name});
  const bool is_new = known == tables.schedules.end();
  if (is_new && is_full(tables, command.tenant)) return Rejected{too_many_schedules()};
  ScheduleRecord schedule = is_new ? ScheduleRecord{command.tenant, command.name, command.id} : known->second;
  if (!put(schedule, command.draft, command.by, now)) return ScheduleStored{std::move(schedule), false};
  note(tables, command.tenant, {0, now, command.by, "schedule.set", command.name});
  tables.schedules[{command.tenant, command.name}] = schedule;
  return ScheduleStored{std::move(schedule)};
}

Outcome apply(Tables& tables, const PauseSchedule& command, Time now) {
  const auto known = tables.schedules.find({command.tenant, command.name});
  if (known == tables.schedules.end()) return ScheduleStored{};
  const bool changed = set_paused(known->second, command.paused);
  if (changed) {
    const char* action = command.paused ? "schedule.pause" : "schedule.resume";
    note(tables, command.tenant, {0, now, command.by, action, command.name});
  }
  return ScheduleStored{known->second, changed};
}

Outcome apply(Tables& tables, const RemoveSchedule& command, Time now) {
  const bool existed = tables.schedules.erase({command.tenant, command.name}) > 0;
  if (existed) note(tables, command.tenant, {0, now, command.by, "schedule.remove", command.name});
  return ScheduleRemoved{existed};
}

Outcome apply(Tables& tables, const AdvanceSchedule& command, Time now) {
  const auto known = tables.schedules.find({command.tenant, command.name});
  const bool is_as_seen =
      known != tables.schedules.end() && known->second.id == command.id && known->second.version == command.version;
  ScheduleAdvanced advanced;
  if (!is_as_seen) return advanced;
  ScheduleRecord& schedule = known->second;
  for (const Firing& firing : command.firings) fire(tables, schedule, firing, advanced, now);
  schedule.handled = command.handled;
  schedule.next = command.next;
  schedule.version += 1;
  advanced.schedule = schedule;
  return advanced;
}

}  // namespace semel::store::memory

namespace semel::store {

using domain::ScheduleRecord;

std::optional<ScheduleRecord> MemoryStore::schedule(std::string_view tenant, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto known = tables_.schedules.find({std::string(tenant), std::string(name)});
  if (known == tables_.schedules.end()) return std::nullopt;
  return known->second;
}

std::vector<ScheduleRecord> MemoryStore::schedules(std::string_view tenant, std::string_view after, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  std::vector<ScheduleRecord> found;
  for (const auto& [key, schedule] : tables_.schedules) {
    if (key.first == tenant && key.second > after && found.size() < limit) found.push_back(schedule);
  }
  return found;
}

std::vector<ScheduleRecord> MemoryStore::due_schedules(Time until, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  std::vector<ScheduleRecord> due;
  for (const auto& [key, schedule] : tables_.schedules) {
    if (!schedule.paused && schedule.next && *schedule.next <= until) due.push_back(schedule);
  }
  const auto is_earlier = [](const ScheduleRecord& one, const ScheduleRecord& other) {
    return *one.next < *other.next;
  };
  std::stable_sort(due.begin(), due.end(), is_earlier);
  if (due.size() > limit) due.resize(limit);
  return due;
}

std::optional<Time> MemoryStore::next_schedule() {
  const std::lock_guard lock(mutex_);
  std::optional<Time> soonest;
  for (const auto& [key, schedule] : tables_.schedules) {
    if (schedule.paused || !schedule.next) continue;
    soonest = std::min(soonest.value_or(*schedule.next), *schedule.next);
  }
  return soonest;
}

}  // namespace semel::store
