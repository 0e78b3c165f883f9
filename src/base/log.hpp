#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace semel::log {

enum class Level : std::uint8_t { debug, info, warn, error, off };
enum class Format : std::uint8_t { text, json };

/// Once, before threads start. Lines go to standard error.
void configure(Level level, Format format);
bool enabled(Level level);

/// A fact beside the message: `name=value` in text, a member of its own in JSON.
struct Field {
  std::string_view name;
  std::string_view value;
};
void write(Level level, std::string_view message, std::initializer_list<Field> fields = {});
/// Waits until everything written so far has been handed to the operating system.
void flush();

template <typename... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::debug)) write(Level::debug, fmt::format(text, std::forward<Args>(args)...));
}
template <typename... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::info)) write(Level::info, fmt::format(text, std::forward<Args>(args)...));
}
template <typename... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::warn)) write(Level::warn, fmt::format(text, std::forward<Args>(args)...));
}
template <typename... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::error)) write(Level::error, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace semel::log
