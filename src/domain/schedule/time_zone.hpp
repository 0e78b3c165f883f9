#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/schedule/zone_rule.hpp"

namespace semel::domain {

/// What a clock on a wall shows; which moment that is, only a zone can say.
using Wall = std::chrono::local_time<Duration>;

/// A stretch of time in which the clocks of a zone stay the same distance from UTC.
struct ZonePeriod {
  Time begin;
  Time end;  // the first tick after it: the next one's begin
  std::chrono::seconds offset{0};
  std::chrono::seconds offset_before{0};  // of the period before; of this one when it is the first

  bool operator==(const ZonePeriod&) const = default;
};

inline Wall to_wall(Time time, std::chrono::seconds offset) { return Wall{time.time_since_epoch() + offset}; }
inline Time to_time(Wall wall, std::chrono::seconds offset) { return Time{wall.time_since_epoch() - offset}; }

/// Where the first period of every zone begins, and the last one ends: outside all times that can be written.
inline constexpr Time zone_begin = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};
inline constexpr Time zone_end = std::chrono::sys_days{std::chrono::year{20'000} / 1 / 1};

/// A time zone of the IANA database, such as "Europe/Berlin". A value: copies share the table, which never changes.
/// The database is read once, when a zone is first asked for; an update of it counts from the next start on.
/// Callable from any thread.
class TimeZone {
 public:
  /// Known without a database.
  static TimeZone utc();

  /// An unknown name is refused with the nearest known one; so is every name but UTC when there is no database.
  static Result<TimeZone> find(std::string_view name);

  /// Of shifts in order of time, the first at zone_begin.
  TimeZone(std::string name, std::vector<ZoneShift> shifts);

  const std::string& name() const { return table_->name; }
  ZonePeriod period_at(Time time) const;

  bool operator==(const TimeZone& other) const { return name() == other.name(); }

 private:
  struct Table {
    std::string name;
    std::vector<ZoneShift> shifts;
  };

  std::shared_ptr<const Table> table_;
};

}  // namespace semel::domain
