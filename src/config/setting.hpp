#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "server/options.hpp"

namespace semel::config {

/// Where in the options a setting of type T lives.
template <typename T>
using Field = T& (*)(server::Options&);

/// How a value is written in TOML.
enum class Form : std::uint8_t { text, number, boolean };

/// One thing that can be set. Its environment name, its flag, its type and its default all follow from the row in
/// settings.cpp.
struct Setting {
  using Target = std::variant<Field<std::string>, Field<int>, Field<std::size_t>, Field<bool>, Field<Duration>,
                              Field<log::Level>, Field<log::Format>, Field<store::Migrate>>;

  std::string_view name;  // also the path in TOML: "http.connections_max" is connections_max of the table http
  Target target;
  std::string_view description;
  std::int64_t min = 0;  // of a number, or of a duration in milliseconds
  std::int64_t max = 0;
  /// What its type cannot say, such as the form of an address. Asked once all values are known.
  Result<void> (*check)(const server::Options& options) = nullptr;

  std::string environment() const;  // SEMEL_HTTP_CONNECTIONS_MAX
  std::string flag() const;         // --http-connections-max
  Form form() const;
  /// "a whole number from 0 to 256"
  std::string expected() const;

  /// Refuses what is not of the type or out of range, and says what would be.
  Result<void> set(server::Options& options, std::string_view text) const;
  /// The value as a flag or the environment would give it.
  std::string text_in(const server::Options& options) const;
  /// The value as TOML writes it, which is how JSON does.
  std::string toml_in(const server::Options& options) const;
};

/// All of them, in the order in which they are shown.
std::span<const Setting> settings();
const Setting* find_setting(std::string_view name);

}  // namespace semel::config
