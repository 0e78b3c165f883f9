#include "api/codec/fields.hpp"

#include <algorithm>
#include <vector>

#include "base/utf8.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

constexpr std::size_t shown_chars_max = 64;

/// How many letters must be changed to make one word of the other.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t changed = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({changed, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

tl::unexpected<Error> unknown_field(std::string_view field, const std::string_view* known_begin,
                                    const std::string_view* known_end) {
  const std::string_view shown = utf8_prefix(field, shown_chars_max);
  const auto* nearest = std::min_element(known_begin, known_end, [&](std::string_view a, std::string_view b) {
    return distance(shown, a) < distance(shown, b);
  });
  if (nearest != known_end && distance(shown, *nearest) <= 2) {
    return bad_request("unknown field '{}'; did you mean '{}'?", shown, *nearest);
  }
  return bad_request("unknown field '{}'", shown);
}

Result<std::string> read_text(json::Reader& reader, std::string_view field) {
  Result<std::string> text = reader.read_string();
  if (!text) return in_field(field, text.error());
  return text;
}

Result<std::int64_t> read_integer(json::Reader& reader, std::string_view field, std::int64_t min, std::int64_t max) {
  const Result<std::int64_t> value = reader.read_integer();
  if (!value) return in_field(field, value.error());
  if (*value < min || *value > max) return bad_request("{} is {}; it must be from {} to {}", field, *value, min, max);
  return value;
}

Result<bool> read_boolean(json::Reader& reader, std::string_view field) {
  Result<bool> value = reader.read_boolean();
  if (!value) return in_field(field, value.error());
  return value;
}

Result<Duration> read_duration(json::Reader& reader, std::string_view field) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  const std::optional<Duration> duration = parse_duration(*text);
  if (duration) return *duration;
  return bad_request("{} must be a duration such as \"500ms\", \"30s\", \"5m\", \"2h\", \"7d\" or \"0\"", field);
}

Result<Time> read_time(json::Reader& reader, std::string_view field) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  const std::optional<Time> time = parse_rfc3339(*text);
  if (time) return *time;
  return bad_request("{} must be an RFC 3339 time such as \"2026-01-20T12:30:00Z\"", field);
}

Result<std::string> read_name(json::Reader& reader, std::string_view field) {
  Result<std::string> text = read_text(reader, field);
  if (!text) return text;
  if (Result<void> fits = domain::check_name(field, *text); !fits) return pass_on(fits.error());
  return text;
}

}  // namespace semel::codec
