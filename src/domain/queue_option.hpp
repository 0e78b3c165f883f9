#pragma once
#include <array>
#include <string_view>

#include "base/result.hpp"
#include "domain/queue.hpp"

namespace semel::domain {

/// The names of all options of a queue, as they stand in requests and in the configuration.
inline constexpr std::array<std::string_view, 13> queue_option_names{
    "retention",    "rate_limit",   "rate_burst", "max_running",    "max_running_per_key", "paused",
    "reuse",        "dedup_window", "target",     "target_timeout", "target_dedup_window", "heartbeat_timeout",
    "max_in_flight"};

/// Reads one option from its text: `max_running` from "5", `paused` from "true". Refuses unknown names.
Result<void> set_queue_option(QueueOptions& options, std::string_view name, std::string_view text);

/// Refuses options that only make sense together with others.
Result<void> check(const QueueOptions& options);

std::string to_text(const DedupWindow& window);
/// "24h", "retention" or "forever".
std::optional<DedupWindow> parse_dedup_window(std::string_view text);

}  // namespace semel::domain
