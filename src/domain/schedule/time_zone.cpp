#include "domain/schedule/time_zone.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"
#include "domain/schedule/zone_database.hpp"

namespace semel::domain {

TimeZone::TimeZone(std::string name, std::vector<ZoneShift> shifts)
    : table_(std::make_shared<const Table>(Table{std::move(name), std::move(shifts)})) {
  ensure(!table_->shifts.empty() && table_->shifts.front().at == zone_begin);
}

TimeZone TimeZone::utc() {
  static const TimeZone zone("UTC", {{zone_begin, 0s}});
  return zone;
}

Result<TimeZone> TimeZone::find(std::string_view name) {
  if (name == "UTC") return utc();
  return find_in_database(name);
}

ZonePeriod TimeZone::period_at(Time time) const {
  const std::vector<ZoneShift>& shifts = table_->shifts;
  const auto later = [](Time wanted, const ZoneShift& shift) { return wanted < shift.at; };
  const auto next = std::upper_bound(std::next(shifts.begin()), shifts.end(), time, later);
  const auto current = std::prev(next);
  const auto before = current == shifts.begin() ? current : std::prev(current);
  return {current->at, next == shifts.end() ? zone_end : next->at, current->offset, before->offset};
}

}  // namespace semel::domain
