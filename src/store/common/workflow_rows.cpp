#include "store/common/workflow_rows.hpp"

#include <algorithm>
#include <utility>

#include "domain/workflow/code/names.hpp"

namespace semel::store {

using domain::code::Next;

void carry_out(const domain::code::Decision& decision, const domain::code::Workflow& workflow, Time now,
               WorkflowRows& rows) {
  std::int64_t sequence = workflow.facts.history_length - std::ssize(decision.events);
  for (const domain::HistoryEvent& event : decision.events) rows.record(++sequence, event);
  for (const domain::code::NewChild& child : decision.make) rows.make(child);
  for (const domain::code::NewTimer& timer : decision.start) rows.start_timer(timer);
  for (const std::int64_t command : decision.stop) rows.stop_timer(command);
  for (const std::int64_t command : decision.cancel) rows.cancel(domain::code::child_id(workflow.spec.id, command));
  if (decision.stop_all) rows.stop_timers();
  if (decision.cancel_all) rows.cancel_children();
  if (decision.stops_activation) rows.stop_activation();
  if (decision.input) rows.set_input(*decision.input);
  if (decision.next != Next::as_it_is) rows.go_on(decision.next, decision.next == Next::later ? decision.run_at : now);
  if (decision.end) rows.end(*decision.end);
}

bool ActivationEvents::add(HistoryEntry entry) {
  bytes_ += entry.event.detail.size();
  const bool is_first = events_.empty();
  if (!is_first && bytes_ > domain::limits::activation_event_bytes_max) return false;
  events_.push_back(std::move(entry));
  return events_.size() < domain::limits::activation_events_max;
}

Activation activation_of(const domain::code::Facts& facts) {
  return {facts.first_event, facts.seen, facts.history_length, facts.last_command, {}};
}

std::optional<Time> timer_of_answer(const domain::code::Decision& decision, std::optional<Time> deadline) {
  std::optional<Time> soonest = deadline;
  for (const domain::code::NewTimer& timer : decision.start)
    soonest = std::min(soonest.value_or(timer.fire_at), timer.fire_at);
  return soonest;
}

}  // namespace semel::store
