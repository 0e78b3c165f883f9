#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/schedule/cron_calendar.hpp"
#include "domain/schedule/time_zone.hpp"

namespace semel::domain {

namespace limits {
inline constexpr std::size_t cron_chars_max = 1'000;
}  // namespace limits

/// A cron expression: minute, hour, day of month, month, day of week, as cron_field.hpp says, or one of @yearly
/// (@annually), @monthly, @weekly, @daily (@midnight) and @hourly. There are no seconds, and no L, W, # or ?.
///
/// **Days.** When day of month and day of week are both restricted, a day that fits either will do, as in Vixie's cron;
/// otherwise it must fit both. Programs disagree on a "*/2" beside a restricted other day field, so that is refused:
/// "1-31/2" says either. What can never fire, as 30 February, is refused too.
///
/// **Zones.** Clocks are put forward and back. What then holds depends on the hours alone:
///
/// - *An expression that names every hour* ("*/15 * * * *", "@hourly") means an interval. It fires whenever the wall
///   clock shows a minute that fits: in a repeated hour again, and not at all in an hour that is left out. So it goes
///   on in even steps of elapsed time where the clocks change by whole hours.
/// - *An expression that names hours* ("30 2 * * *", "*/10 0-5 * * *") means times of the day. Every wall-clock minute
/// that
///   fits counts exactly once: the first time when it comes twice; and what is left out fires once, at the first
///   moment after the gap, together with what fits that moment itself. So a daily job runs once on each day of the
///   calendar, also on the days when the clocks change, and on the day that Samoa left out.
///
/// A value, pure, callable from any thread.
class Cron {
 public:
  /// A refusal names the field and the character.
  static Result<Cron> parse(std::string_view text);

  /// As it was written, without the blanks around it.
  const std::string& text() const { return text_; }
  const CronSets& sets() const { return sets_; }

  /// Whether it means an interval, as above.
  bool names_every_hour() const;

  /// The first firing after `after`. There is one within eight years and two days, but none past the year 9999.
  std::optional<Time> next_after(const TimeZone& zone, Time after) const;

  /// The last firing at or before `until`; none before 1970.
  std::optional<Time> last_until(const TimeZone& zone, Time until) const;

  bool operator==(const Cron&) const = default;

 private:
  Cron(std::string text, const CronSets& sets);
  Wall first_wall(const ZonePeriod& period) const;

  std::string text_;
  CronSets sets_;
};

}  // namespace semel::domain
