#include "domain/window.hpp"

#include <algorithm>

namespace semel::domain {
namespace {

Window from_setting(const DedupWindow& setting, Duration retention) {
  switch (setting.kind) {
    case DedupWindow::Kind::fixed: return {Window::Kind::after_closing, setting.length};
    case DedupWindow::Kind::retention: return {Window::Kind::after_closing, retention};
    case DedupWindow::Kind::forever: break;
  }
  return {Window::Kind::forever, Duration{0}};
}

}  // namespace

Window choose_window(const WindowSettings& settings) {
  if (settings.ttl) return {Window::Kind::after_creation, *settings.ttl};
  if (settings.of_template) return from_setting(*settings.of_template, settings.retention);
  if (settings.of_queue) return from_setting(*settings.of_queue, settings.retention);
  return {Window::Kind::after_closing, std::max<Duration>(default_window_min, settings.retention)};
}

std::optional<Time> window_end(const Window& window, Time created_at, std::optional<Time> closed_at) {
  if (!closed_at) return std::nullopt;
  switch (window.kind) {
    case Window::Kind::after_creation: return created_at + window.length;
    case Window::Kind::after_closing: return *closed_at + window.length;
    case Window::Kind::forever: break;
  }
  return std::nullopt;
}

}  // namespace semel::domain
