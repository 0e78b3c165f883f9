#include "domain/schedule/firing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ensure.hpp"

namespace semel::domain {
namespace {

constexpr Duration firing_tick{1};

std::size_t firings_max(const Schedule& schedule) {
  return schedule.missed == Missed::catch_up ? static_cast<std::size_t>(schedule.catch_up_max) : 1;
}

bool is_too_late(const Schedule& schedule, Time nominal, Time now) {
  return schedule.missed == Missed::skip && now - nominal > limits::firing_grace;
}

}  // namespace

Firings due(const Schedule& schedule, Time last, Time now) {
  Firings firings;
  firings.handled = last;
  firings.next = next_firing(schedule, std::max(last, now));
  // Backwards from now, because what is left out are the oldest, and nobody knows how many they are.
  std::optional<Time> nominal = last_firing(schedule, now);
  if (nominal && *nominal > last) firings.handled = *nominal;
  for (; nominal && *nominal > last; nominal = last_firing(schedule, *nominal - firing_tick)) {
    firings.dropped = firings.due.size() == firings_max(schedule) || is_too_late(schedule, *nominal, now);
    if (firings.dropped) break;
    firings.due.push_back(*nominal);
  }
  std::reverse(firings.due.begin(), firings.due.end());
  return firings;
}

FiringAction action_on(Overlap overlap, bool previous_is_open) {
  if (!previous_is_open) return FiringAction::submit;
  switch (overlap) {
    case Overlap::skip: return FiringAction::skip;
    case Overlap::allow: return FiringAction::submit;
    case Overlap::cancel_previous: return FiringAction::cancel_previous;
  }
  ensure(false);
  return FiringAction::skip;
}

std::vector<PlannedFiring> plan_firings(const std::vector<Time>& due, Overlap overlap, bool previous_is_open) {
  std::vector<PlannedFiring> planned;
  for (std::size_t i = 0; i < due.size(); ++i) {
    const bool is_last = i + 1 == due.size();
    const bool is_superseded = overlap == Overlap::cancel_previous && !is_last;
    const FiringAction action = is_superseded ? FiringAction::skip : action_on(overlap, previous_is_open);
    planned.push_back({due[i], action});
    previous_is_open = previous_is_open || action != FiringAction::skip;
  }
  return planned;
}

std::string_view name_of(FiringOutcome outcome) {
  switch (outcome) {
    case FiringOutcome::submitted: return "submitted";
    case FiringOutcome::skipped: return "skipped";
    case FiringOutcome::cancelled_previous: return "cancelled_previous";
    case FiringOutcome::refused: return "refused";
  }
  ensure(false);
  return "";
}

std::string firing_key(ScheduleId schedule, Time nominal) {
  return fmt::format("schedule:{}:{}", schedule.text(), to_rfc3339(nominal));
}

}  // namespace semel::domain
