#include "cli/client/show_time.hpp"

#include <array>
#include <utility>

namespace semel::cli {
namespace {

/// The largest unit that fits at least once.
std::string roughly(Duration length) {
  constexpr std::array<std::pair<Duration, char>, 4> units{{{24h, 'd'}, {1h, 'h'}, {1min, 'm'}, {1s, 's'}}};
  for (const auto& [unit, letter] : units) {
    if (length >= unit) return fmt::format("{}{}", length / unit, letter);
  }
  return {};
}

}  // namespace

std::string show_age(std::string_view rfc3339, Time now) {
  const std::optional<Time> time = parse_rfc3339(rfc3339);
  if (!time) return std::string(rfc3339);
  const std::string length = roughly(*time > now ? *time - now : now - *time);
  if (length.empty()) return "now";
  return *time > now ? "in " + length : length + " ago";
}

std::string show_time(std::string_view rfc3339, Time now) {
  const std::optional<Time> time = parse_rfc3339(rfc3339);
  if (!time) return std::string(rfc3339);
  const std::string text = to_rfc3339(*time);
  return fmt::format("{} {} UTC ({})", text.substr(0, 10), text.substr(11, 8), show_age(rfc3339, now));
}

std::string show_bytes(std::uintmax_t bytes) {
  constexpr std::array<const char*, 4> units{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

Result<Time> read_past_time(std::string_view option, std::string_view text, Time now) {
  if (const std::optional<Time> time = parse_rfc3339(text)) return *time;
  if (const std::optional<Duration> ago = parse_duration(text)) return now - *ago;
  return bad_request("{}: '{}' is neither a time such as 2026-01-20T12:30:00Z nor a duration such as 2h (ago)", option,
                     text);
}

Result<Duration> read_duration(std::string_view option, std::string_view text) {
  if (const std::optional<Duration> duration = parse_duration(text)) return *duration;
  return bad_request("{}: '{}' is not a duration such as 500ms, 30s, 5m, 2h or 7d", option, text);
}

}  // namespace semel::cli
