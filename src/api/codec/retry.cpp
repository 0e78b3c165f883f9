#include "api/codec/retry.hpp"

#include <charconv>
#include <cmath>

namespace semel::codec {
namespace {

using domain::RetrySettings;
using json::Reader;

Result<void> read_backoff(Reader& reader, std::string_view field, RetrySettings& retry) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  retry.backoff = domain::parse_backoff(*text);
  return retry.backoff ? Result<void>{} : bad_request("{} must be one of fixed, linear, exponential, fibonacci", field);
}

template <auto Member>
Result<void> read_pause(Reader& reader, std::string_view field, RetrySettings& retry) {
  const Result<Duration> pause = read_duration(reader, field);
  if (!pause) return pass_on(pause.error());
  if (Result<void> fits = check_pause(field, *pause); !fits) return fits;
  retry.*Member = *pause;
  return {};
}

Result<void> read_jitter(Reader& reader, std::string_view field, RetrySettings& retry) {
  const Result<int> percent = read_fraction(reader, field, 100);
  if (!percent) return pass_on(percent.error());
  retry.jitter_percent = *percent;
  return {};
}

constexpr FieldTable<RetrySettings, 4> retry_fields{{{"backoff", read_backoff},
                                                     {"base", read_pause<&RetrySettings::base>},
                                                     {"cap", read_pause<&RetrySettings::cap>},
                                                     {"jitter", read_jitter}}};

}  // namespace

Result<void> check_pause(std::string_view field, Duration pause) {
  if (pause <= domain::limits::backoff_max) return {};
  return bad_request("{} is {}; at most {} are allowed", field, to_text(pause), to_text(domain::limits::backoff_max));
}

Result<int> parts_of(std::string_view field, double fraction, int parts) {
  if (!(fraction >= 0 && fraction <= 1)) return bad_request("{} must be a number from 0 to 1", field);
  return static_cast<int>(std::lround(fraction * parts));
}

Result<int> read_fraction(Reader& reader, std::string_view field, int parts) {
  const Result<std::string_view> raw = reader.read_raw();
  if (!raw) return in_field(field, raw.error());
  double value = -1;
  const auto [end, error] = std::from_chars(raw->data(), raw->data() + raw->size(), value);
  const bool is_number = error == std::errc{} && end == raw->data() + raw->size();
  return parts_of(field, is_number ? value : -1, parts);
}

Result<void> read_retry(Reader& reader, std::string_view field, RetrySettings& retry) {
  if (Result<void> read = read_members(reader, retry_fields, retry); !read) return in_field(field, read.error());
  if (Result<void> fits = domain::check(retry); !fits) return in_field(field, fits.error());
  return {};
}

}  // namespace semel::codec
