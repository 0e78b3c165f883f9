#include "domain/names.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

constexpr std::size_t upcoming_shown = 5;

tl::unexpected<Error> no_schedule(const std::string& name) {
  return refuse(ErrorCode::not_found, "there is no schedule {}", name);
}

Result<void> may_change(const domain::Principal& principal, const std::string& name) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed) return allowed;
  return domain::check_name("the name of a schedule", name);
}

}  // namespace

ScheduleView Engine::view_of(domain::ScheduleRecord record) {
  ScheduleView view;
  Result<domain::ScheduleDefinition> definition = options_.read_schedule(record.name, record.document);
  if (definition) {
    view.definition = *std::move(definition);
    view.upcoming = domain::upcoming(view.definition->schedule, std::max(record.handled, store_.now()), upcoming_shown);
  } else {
    view.unreadable = definition.error().message;
  }
  view.record = std::move(record);
  return view;
}

void Engine::put_schedule(const domain::Principal& principal, domain::ScheduleDefinition definition,
                          Answer<Result<ScheduleView>> answer) {
  const std::string& name = definition.schedule.name;
  if (Result<void> allowed = may_change(principal, name); !allowed) return answer(pass_on(allowed.error()));
  const Time now = store_.now();
  const std::optional<domain::ScheduleRecord> known = store_.schedule(principal.tenant, name);
  const bool is_restated = !known || known->document != definition.document;
  if (is_restated) {  // what was said before stays as it is, also when it has ended
    if (Result<void> fits = domain::check_new(definition.schedule, now); !fits) return answer(pass_on(fits.error()));
    const Result<Submit> trial = make_submit(principal, domain::submission_for(definition, {.name = name}, now));
    if (!trial) return answer(pass_on({trial.error().code, "task: " + trial.error().message}));
  }
  const domain::ScheduleDraft draft{definition.document, now, domain::next_firing(definition.schedule, now),
                                    definition.paused};
  store_schedule(PutSchedule{principal.tenant, name, {ids_.next(now)}, draft, principal.key_id}, name,
                 std::move(answer));
}

void Engine::pause_schedule(const domain::Principal& principal, const std::string& name, bool paused,
                            Answer<Result<ScheduleView>> answer) {
  if (Result<void> allowed = may_change(principal, name); !allowed) return answer(pass_on(allowed.error()));
  store_schedule(PauseSchedule{principal.tenant, name, paused, principal.key_id}, name, std::move(answer));
}

void Engine::store_schedule(Command command, const std::string& name, Answer<Result<ScheduleView>> answer) {
  commit<ScheduleStored>(std::move(command),
                         [this, name, answer = std::move(answer)](const Result<ScheduleStored>& stored) {
                           if (!stored) return answer(pass_on(stored.error()));
                           if (!stored->schedule) return answer(no_schedule(name));
                           if (!stored->schedule->paused && stored->schedule->next)
                             expect_timer(*stored->schedule->next);
                           answer(view_of(*stored->schedule));
                         });
}

void Engine::remove_schedule(const domain::Principal& principal, const std::string& name,
                             Answer<Result<ScheduleRemoved>> answer) {
  if (Result<void> allowed = may_change(principal, name); !allowed) return answer(pass_on(allowed.error()));
  commit<ScheduleRemoved>(RemoveSchedule{principal.tenant, name, principal.key_id},
                          [name, answer = std::move(answer)](Result<ScheduleRemoved> removed) {
                            if (removed && !removed->existed) return answer(no_schedule(name));
                            answer(std::move(removed));
                          });
}

Result<ScheduleView> Engine::schedule(const domain::Principal& principal, const std::string& name) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  std::optional<domain::ScheduleRecord> record = store_.schedule(principal.tenant, name);
  if (!record) return no_schedule(name);
  ScheduleView view = view_of(*std::move(record));
  if (!view.record.task) return view;
  if (const auto task = store_.find(principal.tenant, *view.record.task)) view.task_state = task->state;
  return view;
}

Result<std::vector<ScheduleView>> Engine::schedules(const domain::Principal& principal, const std::string& after,
                                                    std::size_t limit) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  std::vector<ScheduleView> views;
  for (domain::ScheduleRecord& record : store_.schedules(principal.tenant, after, limit))
    views.push_back(view_of(std::move(record)));
  return views;
}

void Engine::run_schedule(const domain::Principal& principal, const std::string& name, std::optional<Time> nominal,
                          Answer<Result<domain::FiringRecord>> answer) {
  if (Result<void> allowed = may_change(principal, name); !allowed) return answer(pass_on(allowed.error()));
  const Time now = store_.now();
  if (nominal && *nominal > now + domain::requested_at_tolerance)  // clocks differ a little
    return answer(bad_request("nominal_time is {}, which is still to come: the schedule fires by itself then",
                              to_rfc3339(*nominal)));
  const std::optional<domain::ScheduleRecord> record = store_.schedule(principal.tenant, name);
  if (!record) return answer(no_schedule(name));
  const Result<domain::ScheduleDefinition> definition = options_.read_schedule(name, record->document);
  if (!definition) return answer(pass_on(definition.error()));
  commit<ScheduleAdvanced>(
      advance_by_hand(*record, *definition, nominal.value_or(now)),
      [answer = std::move(answer)](const Result<ScheduleAdvanced>& advanced) {
        if (!advanced) return answer(pass_on(advanced.error()));
        if (advanced->firings.empty())
          return answer(refuse(ErrorCode::unavailable, "the schedule was changed or fired meanwhile; try again"));
        answer(advanced->firings.front());
      });
}

}  // namespace semel::engine
