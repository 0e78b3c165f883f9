#include "domain/schedule/zone_rule.hpp"

#include <utility>

namespace semel::domain {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using YearlyTime = ZoneRule::YearlyTime;

/// Reads a rule from left to right. After the first thing that does not fit, `ok` is false and the rest is of no value.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  bool skip(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) { ok_ = skip(wanted) && ok_; }

  int number(int low, int high) {
    int value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && digits < 4 && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      value = value * 10 + (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    ok_ = ok_ && digits > 0 && value >= low && value <= high;
    return value;
  }

  /// "CET" or "<+0330>". The name itself is of no interest: clocks do not show it.
  void name() {
    const bool quoted = skip('<');
    std::size_t length = 0;
    while (length < rest_.size() && (quoted ? rest_[length] != '>' : is_letter(rest_[length]))) ++length;
    rest_.remove_prefix(length);
    ok_ = ok_ && length >= 3;
    if (quoted) expect('>');
  }

  /// [+-]hh[:mm[:ss]]
  seconds time(int hours_max) {
    const bool negative = skip('-');
    if (!negative) skip('+');
    seconds length = hours{number(0, hours_max)};
    if (skip(':')) length += minutes{number(0, 59)};
    if (skip(':')) length += seconds{number(0, 59)};
    return negative ? -length : length;
  }

 private:
  static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

  std::string_view rest_;
  bool ok_ = true;
};

YearlyTime read_yearly_time(RuleReader& reader) {
  YearlyTime time;
  if (reader.skip('M')) {
    time.month = static_cast<unsigned>(reader.number(1, 12));
    reader.expect('.');
    time.week = static_cast<unsigned>(reader.number(1, 5));
    reader.expect('.');
    time.weekday = static_cast<unsigned>(reader.number(0, 6));
  } else if (reader.skip('J')) {
    time.kind = YearlyTime::Kind::day_without_leap;
    time.day = reader.number(1, 365);
  } else {
    time.kind = YearlyTime::Kind::day_with_leap;
    time.day = reader.number(0, 365);
  }
  constexpr int hours_max = 167;  // a week, by RFC 9636; Gaza's clocks change at "/50"
  if (reader.skip('/')) time.time = reader.time(hours_max);
  return time;
}

sys_days day_in(const YearlyTime& time, std::chrono::year year) {
  const sys_days first = year / std::chrono::January / 1;
  switch (time.kind) {
    case YearlyTime::Kind::weekday_of_month: {
      const auto month = year / std::chrono::month{time.month};
      const std::chrono::weekday weekday{time.weekday};
      if (time.week == 5) return month / weekday[std::chrono::last];
      return month / weekday[time.week];
    }
    case YearlyTime::Kind::day_without_leap: return first + days{time.day - 1 + (year.is_leap() && time.day >= 60)};
    case YearlyTime::Kind::day_with_leap: break;
  }
  return first + days{time.day};
}

/// `offset_before` is what the clocks are ahead of UTC until then.
Time moment_in(const YearlyTime& time, std::chrono::year year, seconds offset_before) {
  return Time{day_in(time, year)} + time.time - offset_before;
}

}  // namespace

std::optional<ZoneRule> parse_zone_rule(std::string_view text) {
  constexpr int offset_hours_max = 24;
  RuleReader reader(text);
  ZoneRule rule;
  reader.name();
  rule.standard_offset = -reader.time(offset_hours_max);  // POSIX counts westward
  if (reader.ok() && !reader.at_end()) {
    ZoneRule::Daylight daylight;
    reader.name();
    daylight.offset = rule.standard_offset + 1h;
    if (!reader.skip(',')) {
      daylight.offset = -reader.time(offset_hours_max);
      reader.expect(',');
    }
    daylight.begin = read_yearly_time(reader);
    reader.expect(',');
    daylight.end = read_yearly_time(reader);
    rule.daylight = daylight;
  }
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return rule;
}

std::vector<ZoneShift> shifts_of_year(const ZoneRule& rule, std::chrono::year year) {
  if (!rule.daylight) return {};
  const ZoneRule::Daylight& daylight = *rule.daylight;
  ZoneShift earlier{moment_in(daylight.begin, year, rule.standard_offset), daylight.offset};
  ZoneShift later{moment_in(daylight.end, year, daylight.offset), rule.standard_offset};
  if (later.at < earlier.at) std::swap(earlier, later);
  return {earlier, later};
}

void append_shift(std::vector<ZoneShift>& table, const ZoneShift& shift) {
  if (table.empty() || table.back().offset != shift.offset) table.push_back(shift);
}

void append_by_rule(std::vector<ZoneShift>& table, const ZoneRule& rule, Time last_entry, std::chrono::year last_year) {
  const std::chrono::year_month_day from{std::chrono::floor<days>(last_entry)};
  for (std::chrono::year year = from.year(); year <= last_year; ++year) {
    for (const ZoneShift& shift : shifts_of_year(rule, year)) {
      if (shift.at > last_entry) append_shift(table, shift);
    }
  }
}

}  // namespace semel::domain
