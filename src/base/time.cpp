#include "base/time.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace semel {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration longest = days{36'525};
constexpr Time year_10000 = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1};

constexpr std::array<std::pair<std::string_view, Duration>, 5> units{
    {{"d", days{1}}, {"h", hours{1}}, {"m", minutes{1}}, {"s", seconds{1}}, {"ms", Duration{1}}}};

/// Reads exactly `count` digits at the front of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char digit : text.substr(0, count)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// ".123456" → 123 ms; finer digits are cut.
std::optional<Duration> take_fraction(std::string_view& text) {
  if (!take(text, ".")) return Duration{0};
  int ms = 0;
  std::size_t digits = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    if (digits < 3) ms = ms * 10 + (text.front() - '0');
    ++digits;
    text.remove_prefix(1);
  }
  if (digits == 0) return std::nullopt;
  for (std::size_t i = digits; i < 3; ++i) ms *= 10;
  return Duration{ms};
}

std::optional<Duration> take_offset(std::string_view& text) {
  if (take(text, "Zz")) return Duration{0};
  if (text.empty()) return std::nullopt;
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take(text, "+-")) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  return sign * (hours{*hour} + minutes{*minute});
}

std::optional<Time> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || *year < 1970 || !take(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return Time{std::chrono::sys_days{date}};
}

std::optional<Duration> take_clock(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59 || !take(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *second > 60) return std::nullopt;  // a leap second counts as the next second
  return hours{*hour} + minutes{*minute} + seconds{*second};
}

}  // namespace

std::string to_rfc3339(Time time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<Duration> clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::optional<Time> parse_rfc3339(std::string_view text) {
  const auto date = take_date(text);
  if (!date || !take(text, "Tt ")) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto fraction = take_fraction(text);
  if (!fraction) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  const Time time = *date + *clock + *fraction - *offset;
  if (time < Time{} || time >= year_10000) return std::nullopt;  // the offset may lead out of the years
  return time;
}

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration{0};
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end == text.data() || text.front() == '-') return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, length] : units) {
    if (unit != name) continue;
    if (count > longest / length) return std::nullopt;
    return count * length;
  }
  return std::nullopt;
}

std::string to_text(Duration duration) {
  if (duration == Duration{0}) return "0";
  for (const auto& [name, length] : units) {
    if (duration % length == Duration{0}) return fmt::format("{}{}", duration / length, name);
  }
  return fmt::format("{}ms", duration.count());
}

}  // namespace semel
