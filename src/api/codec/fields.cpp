#include "api/codec/fields.hpp"

#include <fmt/ranges.h>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

constexpr std::size_t shown_chars_max = 64;

}  // namespace

tl::unexpected<Error> unknown_field(std::string_view field, std::span<const std::string_view> known) {
  const std::string_view shown = utf8_prefix(field, shown_chars_max);
  if (const auto meant = nearest(shown, known)) {
    return bad_request("unknown field '{}'; did you mean '{}'?", shown, *meant);
  }
  return bad_request("unknown field '{}'; known are {}", shown, fmt::join(known, ", "));
}

Result<void> check_range(std::string_view field, std::int64_t value, std::int64_t min, std::int64_t max) {
  if (value >= min && value <= max) return {};
  return bad_request("{} is {}; it must be from {} to {}", field, value, min, max);
}

Result<std::string> read_text(json::Reader& reader, std::string_view field) {
  Result<std::string> text = reader.read_string();
  if (!text) return in_field(field, text.error());
  return text;
}

Result<std::int64_t> read_integer(json::Reader& reader, std::string_view field, std::int64_t min, std::int64_t max) {
  const Result<std::int64_t> value = reader.read_integer();
  if (!value) return in_field(field, value.error());
  if (Result<void> fits = check_range(field, *value, min, max); !fits) return pass_on(fits.error());
  return value;
}

Result<bool> read_boolean(json::Reader& reader, std::string_view field) {
  Result<bool> value = reader.read_boolean();
  if (!value) return in_field(field, value.error());
  return value;
}

Result<Duration> read_duration(json::Reader& reader, std::string_view field) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return bad_request("{}; a duration is a text such as \"30s\"", text.error().message);
  const std::optional<Duration> duration = parse_duration(*text);
  if (duration) return *duration;
  return bad_request("{} must be a duration such as \"500ms\", \"30s\", \"5m\", \"2h\", \"7d\" or \"0\"", field);
}

Result<Time> read_time(json::Reader& reader, std::string_view field) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return bad_request("{}; a time is a text such as \"2026-01-20T12:30:00Z\"", text.error().message);
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
