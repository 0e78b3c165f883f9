#pragma once
#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "domain/state.hpp"

namespace semel::domain {

/// How long an identity stays held. It belongs to the holder and is fixed when the holder claims.
struct Window {
  enum class Kind : std::uint8_t { after_creation = 0, after_closing = 1, forever = 2 };  // numbers are stored

  Kind kind = Kind::after_closing;
  Duration length{0};  // nothing for `forever`

  bool operator==(const Window&) const = default;
};

/// `dedup_window` of a template or queue: a duration, "retention" or "forever".
struct DedupWindow {
  enum class Kind : std::uint8_t { fixed, retention, forever };

  Kind kind = Kind::retention;
  Duration length{0};

  bool operator==(const DedupWindow&) const = default;
};

inline constexpr Duration default_window_min = 24h;
inline constexpr Duration default_task_retention = 7 * 24h;
inline constexpr Duration default_run_retention = 30 * 24h;

/// What decides the length of a window, strongest first: the request's TTL, the template, the queue.
struct WindowSettings {
  std::optional<Duration> ttl;
  std::optional<DedupWindow> of_template;
  std::optional<DedupWindow> of_queue;
  Duration retention = default_task_retention;
};

/// Without any setting: the longer of 24 h and the retention, counted from closing.
Window choose_window(const WindowSettings& settings);

/// The first tick at which the identity is free again; nothing while that is not known (open) or never comes.
std::optional<Time> window_end(const Window& window, Time created_at, std::optional<Time> closed_at);

}  // namespace semel::domain
