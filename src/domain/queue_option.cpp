#include "domain/queue_option.hpp"

#include <fmt/ranges.h>

#include <charconv>

#include "base/nearest.hpp"
#include "domain/dispatch_target.hpp"

namespace semel::domain {
namespace {

Result<std::int64_t> whole_number(std::string_view name, std::string_view text, std::int64_t min, std::int64_t max) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (!is_number || number < min || number > max)
    return bad_request("{} must be a whole number from {} to {}", name, min, max);
  return number;
}

Result<void> set_count(std::optional<int>& target, std::string_view name, std::string_view text, int min,
                       int max = limits::running_max) {
  const Result<std::int64_t> number = whole_number(name, text, min, max);
  if (!number) return pass_on(number.error());
  target = static_cast<int>(*number);
  return {};
}

Result<void> set_retention(QueueOptions& options, std::string_view text) {
  options.retention = parse_duration(text);
  if (options.retention) return {};
  return bad_request("retention must be a duration such as \"30d\", or \"0\" to keep nothing");
}

Result<void> set_rate(QueueOptions& options, std::string_view text) {
  const std::optional<RateLimit> limit = parse_rate(text);
  if (!limit) {
    return bad_request(
        "rate_limit must be a count from 1 to {} and a time, such as \"100/sec\", \"500/min\","
        " \"20/hour\" or \"1000/day\", or \"none\"",
        limits::rate_max);
  }
  const std::optional<std::int64_t> burst = options.rate_limit ? options.rate_limit->burst : std::nullopt;
  options.rate_limit = limit;
  options.rate_limit->burst = burst;
  return {};
}

Result<void> set_burst(QueueOptions& options, std::string_view text) {
  const Result<std::int64_t> burst = whole_number("rate_burst", text, 1, limits::rate_max);
  if (!burst) return pass_on(burst.error());
  if (!options.rate_limit) options.rate_limit.emplace();
  options.rate_limit->burst = *burst;
  return {};
}

Result<void> set_paused(QueueOptions& options, std::string_view text) {
  if (text != "true" && text != "false") return bad_request("paused must be true or false");
  options.paused = text == "true";
  return {};
}

Result<void> set_reuse(QueueOptions& options, std::string_view text) {
  options.reuse = parse_reuse(text);
  if (options.reuse) return {};
  return bad_request("reuse must be one of {}", reuse_names);
}

Result<void> set_window(QueueOptions& options, std::string_view text) {
  options.dedup_window = parse_dedup_window(text);
  if (options.dedup_window) return {};
  return bad_request("dedup_window must be a duration such as \"24h\", \"retention\" or \"forever\"");
}

/// Whether a server can push there is asked where it is put; here, only that it looks like a place.
Result<void> set_target(QueueOptions& options, std::string_view text) {
  const bool is_url = text.starts_with("http://") || text.starts_with("https://") || text.starts_with("cloudtasks://");
  if (text != "none" && (!is_url || text.size() > limits::target_bytes_max))
    return bad_request("target must be \"http://…\", \"https://…\" or \"cloudtasks://projects/…\", or \"none\"");
  options.target = text == "none" ? std::string() : std::string(text);
  return {};
}

Result<void> set_time(std::optional<Duration>& target, std::string_view name, std::string_view text, Duration min,
                      Duration max) {
  target = parse_duration(text);
  if (target && *target >= min && *target <= max) return {};
  target.reset();
  return bad_request("{} must be a duration from {} to {}", name, semel::to_text(min), semel::to_text(max));
}

}  // namespace

std::optional<DedupWindow> parse_dedup_window(std::string_view text) {
  if (text == "forever") return DedupWindow{DedupWindow::Kind::forever, Duration{0}};
  if (text == "retention") return DedupWindow{DedupWindow::Kind::retention, Duration{0}};
  const auto length = parse_duration(text);
  if (!length) return std::nullopt;
  return DedupWindow{DedupWindow::Kind::fixed, *length};
}

std::string to_text(const DedupWindow& window) {
  if (window.kind == DedupWindow::Kind::forever) return "forever";
  return window.kind == DedupWindow::Kind::retention ? "retention" : semel::to_text(window.length);
}

Result<void> set_queue_option(QueueOptions& options, std::string_view name, std::string_view text) {
  if (name == "retention") return set_retention(options, text);
  if (name == "rate_limit") return set_rate(options, text);
  if (name == "rate_burst") return set_burst(options, text);
  if (name == "max_running") return set_count(options.max_running, name, text, 0);
  if (name == "max_running_per_key") return set_count(options.max_running_per_key, name, text, 1);
  if (name == "paused") return set_paused(options, text);
  if (name == "reuse") return set_reuse(options, text);
  if (name == "dedup_window") return set_window(options, text);
  if (name == "target") return set_target(options, text);
  if (name == "target_timeout")
    return set_time(options.target_timeout, name, text, Duration{1}, limits::target_timeout_max);
  if (name == "target_dedup_window") return set_time(options.target_dedup_window, name, text, 0s, 24h * 365);
  if (name == "heartbeat_timeout") return set_time(options.heartbeat_timeout, name, text, Duration{1}, 24h * 365);
  if (name == "max_in_flight") return set_count(options.max_in_flight, name, text, 1, limits::in_flight_max);
  const std::optional<std::string_view> meant = nearest(name, queue_option_names);
  if (meant) return bad_request("a queue has no option '{}'; did you mean {}?", name, *meant);
  return bad_request("a queue has no option '{}'; it has {}", name, fmt::join(queue_option_names, ", "));
}

Result<void> check(const QueueOptions& options) {
  const bool burst_alone = options.rate_limit && options.rate_limit->count == 0 && options.rate_limit->burst;
  if (burst_alone) return bad_request("rate_burst needs a rate_limit");
  return {};
}

}  // namespace semel::domain
