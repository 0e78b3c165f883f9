#include "domain/schedule/schedule.hpp"

#include <algorithm>
#include <array>

#include "base/ensure.hpp"
#include "domain/names.hpp"

namespace semel::domain {
namespace {

constexpr std::array all_missed{Missed::skip, Missed::once, Missed::catch_up};
constexpr std::array all_overlaps{Overlap::skip, Overlap::allow, Overlap::cancel_previous};

constexpr Duration one_tick{1};

struct NextOf {
  Time after;

  std::optional<Time> operator()(const Recurring& recurring) const {
    return recurring.cron.next_after(recurring.zone, after);
  }
  std::optional<Time> operator()(const OneOff& one_off) const {
    return one_off.at > after ? std::optional(one_off.at) : std::nullopt;
  }
};

struct LastOf {
  Time until;

  std::optional<Time> operator()(const Recurring& recurring) const {
    return recurring.cron.last_until(recurring.zone, until);
  }
  std::optional<Time> operator()(const OneOff& one_off) const {
    return one_off.at <= until ? std::optional(one_off.at) : std::nullopt;
  }
};

}  // namespace

std::string_view name_of(Missed missed) {
  switch (missed) {
    case Missed::skip: return "skip";
    case Missed::once: return "once";
    case Missed::catch_up: return "catch_up";
  }
  ensure(false);
  return "";
}

std::optional<Missed> parse_missed(std::string_view name) {
  for (const Missed missed : all_missed) {
    if (name_of(missed) == name) return missed;
  }
  return std::nullopt;
}

std::string_view name_of(Overlap overlap) {
  switch (overlap) {
    case Overlap::skip: return "skip";
    case Overlap::allow: return "allow";
    case Overlap::cancel_previous: return "cancel_previous";
  }
  ensure(false);
  return "";
}

std::optional<Overlap> parse_overlap(std::string_view name) {
  for (const Overlap overlap : all_overlaps) {
    if (name_of(overlap) == name) return overlap;
  }
  return std::nullopt;
}

Result<void> check(const Schedule& schedule) {
  const Result<void> named = check_name("the name of a schedule", schedule.name);
  if (!named) return named;
  if (schedule.catch_up_max < 1 || schedule.catch_up_max > limits::catch_up_max) {
    return bad_request("catch_up must be 1 to {} firings, not {}", limits::catch_up_max, schedule.catch_up_max);
  }
  if (schedule.start && schedule.end && *schedule.start >= *schedule.end) {
    return bad_request("end is {}, not after start, which is {}", to_rfc3339(*schedule.end),
                       to_rfc3339(*schedule.start));
  }
  return {};
}

Result<void> check_new(const Schedule& schedule, Time now) {
  Result<void> checked = check(schedule);
  if (!checked || next_firing(schedule, now)) return checked;
  if (const OneOff* one_off = std::get_if<OneOff>(&schedule.timing); one_off != nullptr && one_off->at <= now) {
    return bad_request("at is {}, and it is {} already: the schedule would never fire", to_rfc3339(one_off->at),
                       to_rfc3339(now));
  }
  return bad_request("nothing is left to fire between {} and {}: the schedule would never fire",
                     to_rfc3339(std::max(now, schedule.start.value_or(now))),
                     schedule.end ? to_rfc3339(*schedule.end) : "the end of time");
}

std::optional<Time> next_firing(const Schedule& schedule, Time after) {
  if (schedule.start) after = std::max(after, *schedule.start - one_tick);
  const std::optional<Time> nominal = std::visit(NextOf{after}, schedule.timing);
  if (nominal && schedule.end && *nominal >= *schedule.end) return std::nullopt;
  return nominal;
}

std::optional<Time> last_firing(const Schedule& schedule, Time until) {
  if (schedule.end) until = std::min(until, *schedule.end - one_tick);
  const std::optional<Time> nominal = std::visit(LastOf{until}, schedule.timing);
  if (nominal && schedule.start && *nominal < *schedule.start) return std::nullopt;
  return nominal;
}

std::vector<Time> upcoming(const Schedule& schedule, Time after, std::size_t count) {
  std::vector<Time> times;
  while (times.size() < count) {
    const std::optional<Time> next = next_firing(schedule, times.empty() ? after : times.back());
    if (!next) break;
    times.push_back(*next);
  }
  return times;
}

}  // namespace semel::domain
