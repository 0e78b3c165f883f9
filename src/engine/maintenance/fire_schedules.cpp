#include "base/log.hpp"
#include "engine/engine.hpp"

/// Fires the schedules that are due. A firing and what it leaves behind are one command, which counts only when the
/// schedule is still as it was read: so it does not matter how often, or by how many servers, it is tried.
namespace semel::engine {
namespace {

constexpr std::size_t schedules_a_round = 100;
constexpr std::size_t tasks_a_commit = 100;     // of one schedule that catches up
constexpr Duration pause_after_fault = 1s;      // a store that takes no changes is not asked at once again
constexpr Duration pause_when_unreadable = 1h;  // a zone that is missing here may come with an update

/// What is done now; the rest of a long catching up comes next.
std::vector<domain::PlannedFiring> cut_to_commit(std::vector<domain::PlannedFiring> planned) {
  std::size_t tasks = 0;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    tasks += planned[i].action == domain::FiringAction::skip ? 0 : 1;
    if (tasks > tasks_a_commit) {
      planned.resize(i);
      break;
    }
  }
  return planned;
}

AdvanceSchedule as_seen(const domain::ScheduleRecord& record) {
  return {record.tenant, record.name, record.id, record.version, {}, record.handled, record.next};
}

/// The same, but for the contexts, which may be large.
AdvanceSchedule without_tasks(const AdvanceSchedule& command) {
  AdvanceSchedule bare{command.tenant, command.name, command.id, command.version, {}, command.handled, command.next};
  for (const Firing& firing : command.firings) bare.firings.push_back({firing.nominal});
  return bare;
}

}  // namespace

bool Engine::last_task_is_open(const domain::ScheduleRecord& record) {
  if (!record.task) return false;
  const std::optional<domain::Execution> task = store_.find(record.tenant, *record.task);
  return task && domain::is_open(task->state);
}

Firing Engine::make_firing(const domain::ScheduleRecord& record, const domain::ScheduleDefinition& definition,
                           const domain::PlannedFiring& planned) {
  Firing firing{planned.nominal};
  if (planned.action == domain::FiringAction::skip) return firing;
  const domain::Principal owner{record.tenant, record.changed_by, 0};
  Result<Submit> submit = make_submit(owner, domain::submission_for(definition, record, planned.nominal));
  if (!submit) {
    firing.refusal = submit.error().message;
    return firing;
  }
  firing.submit = *std::move(submit);
  if (planned.action == domain::FiringAction::cancel_previous) firing.cancels = record.task;
  return firing;
}

AdvanceSchedule Engine::advance(const domain::ScheduleRecord& record, Time now) {
  AdvanceSchedule command = as_seen(record);
  const Result<domain::ScheduleDefinition> definition = options_.read_schedule(record.name, record.document);
  if (!definition) {  // nothing is settled: when it can be read again, what was missed counts
    command.firings.push_back({*record.next, std::nullopt, std::nullopt, definition.error().message});
    command.next = now + pause_when_unreadable;
    return command;
  }
  const domain::Schedule& schedule = definition->schedule;
  const domain::Firings firings = domain::due(schedule, record.handled, now);
  const auto planned = domain::plan_firings(firings.due, schedule.overlap, last_task_is_open(record));
  const auto now_done = cut_to_commit(planned);
  for (const domain::PlannedFiring& each : now_done) command.firings.push_back(make_firing(record, *definition, each));
  const bool is_all = now_done.size() == planned.size();
  command.handled = is_all ? firings.handled : now_done.back().nominal;
  command.next = is_all ? firings.next : planned[now_done.size()].nominal;
  return command;
}

AdvanceSchedule Engine::advance_by_hand(const domain::ScheduleRecord& record,
                                        const domain::ScheduleDefinition& definition, Time nominal) {
  AdvanceSchedule command = as_seen(record);
  const bool is_repeated = record.last && record.last->nominal == nominal && record.last->task;
  const bool overlaps = !is_repeated && last_task_is_open(record);
  const domain::FiringAction action = domain::action_on(definition.schedule.overlap, overlaps);
  command.firings.push_back(make_firing(record, definition, {nominal, action}));
  return command;
}

void Engine::fire_schedules(const std::shared_ptr<void>& over) {
  const Time now = store_.now();
  if (now < from_ms(firing_pause_ms_)) return;
  try {
    const std::vector<domain::ScheduleRecord> due = store_.due_schedules(now, schedules_a_round);
    if (due.empty()) return;
    ++firing_rounds_;
    const std::shared_ptr<void> round(nullptr, [this, over](void*) {
      --firing_rounds_;
      maintenance_.wake();  // more may be due by now
    });
    for (const domain::ScheduleRecord& record : due) {
      AdvanceSchedule command = advance(record, now);
      AdvanceSchedule only_recorded = without_tasks(command);
      commit<ScheduleAdvanced>(std::move(command), [this, round, only_recorded](const auto& advanced) {
        if (!advanced) firing_failed(only_recorded, advanced.error(), round);
      });
    }
  } catch (const StoreFault& fault) {
    log::warn("the schedules that are due could not be read, trying again soon: {}", fault.what());
    firing_pause_ms_ = to_ms(now + pause_after_fault);
  }
}

/// The store is asked again soon, unless it cannot hold these tasks: then the firings are settled without them.
void Engine::firing_failed(AdvanceSchedule command, const Error& error, const std::shared_ptr<void>& round) {
  log::warn("the schedule {} of {} could not be fired: {}", command.name, command.tenant, error.message);
  if (error.code == ErrorCode::unavailable || error.code == ErrorCode::outcome_unknown) {
    firing_pause_ms_ = to_ms(store_.now() + pause_after_fault);
    return;
  }
  for (Firing& firing : command.firings) firing.refusal = error.message;
  commit<ScheduleAdvanced>(std::move(command), [round](const auto&) {});
}

/// When schedules should be looked at again. A round that is under way wakes the maintenance when it is over.
std::optional<Time> Engine::next_firing_round() {
  if (firing_rounds_ > 0) return std::nullopt;
  const std::optional<Time> next = store_.next_schedule();
  if (!next) return std::nullopt;
  return std::max(*next, from_ms(firing_pause_ms_));
}

}  // namespace semel::engine
