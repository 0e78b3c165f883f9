#include "domain/schedule/cron.hpp"

#include <algorithm>
#include <utility>

namespace semel::domain {
namespace {

constexpr std::uint64_t every_hour = (std::uint64_t{1} << 24) - 1;
constexpr Duration tick{1};

constexpr Time first_firing_time{};
constexpr Time firing_time_end = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1};

}  // namespace

Cron::Cron(std::string text, const CronSets& sets) : text_(std::move(text)), sets_(sets) {}

bool Cron::names_every_hour() const { return sets_.hours == every_hour; }

/// Where the wall-clock times begin that fire in this period; they reach to its end. For an interval: with what the
/// clock shows when the period begins. For times of the day: where the period before left off, so that all periods
/// together have each wall-clock time once. It is earlier than the clock shows after a gap, and later in a repetition.
Wall Cron::first_wall(const ZonePeriod& period) const {
  return to_wall(period.begin, names_every_hour() ? period.offset : period.offset_before);
}

std::optional<Time> Cron::next_after(const TimeZone& zone, Time after) const {
  if (after >= firing_time_end) return std::nullopt;
  after = std::max(after, first_firing_time - tick);
  ZonePeriod period = zone.period_at(after);
  while (true) {
    Wall from = first_wall(period);
    if (after >= period.begin) from = std::max(from, to_wall(after + tick, period.offset));
    const std::optional<Wall> wall = next_match(sets_, from);
    if (!wall) return std::nullopt;
    const Time at = std::max(to_time(*wall, period.offset), period.begin);  // after the gap
    if (at >= firing_time_end) return std::nullopt;
    if (at < period.end) return at;
    period = zone.period_at(period.end);  // which may show again what this one has shown
  }
}

std::optional<Time> Cron::last_until(const TimeZone& zone, Time until) const {
  until = std::min(until, firing_time_end - tick);
  while (until >= first_firing_time) {
    const ZonePeriod period = zone.period_at(until);
    const std::optional<Wall> wall = last_match(sets_, to_wall(until, period.offset));
    if (!wall) return std::nullopt;
    const Time at = std::max(to_time(*wall, period.offset), period.begin);
    if (*wall >= first_wall(period)) return at >= first_firing_time ? std::optional(at) : std::nullopt;
    until = period.begin - tick;
  }
  return std::nullopt;
}

}  // namespace semel::domain
