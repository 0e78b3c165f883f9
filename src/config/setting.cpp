#include "config/setting.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/json/text.hpp"
#include "base/utf8.hpp"

namespace semel::config {
namespace {

constexpr std::array<std::pair<std::string_view, log::Level>, 5> levels{{{"debug", log::Level::debug},
                                                                         {"info", log::Level::info},
                                                                         {"warn", log::Level::warn},
                                                                         {"error", log::Level::error},
                                                                         {"off", log::Level::off}}};
constexpr std::array<std::pair<std::string_view, log::Format>, 2> formats{
    {{"text", log::Format::text}, {"json", log::Format::json}}};
constexpr std::array<std::pair<std::string_view, store::Migrate>, 2> migrations{
    {{"auto", store::Migrate::automatically}, {"never", store::Migrate::never}}};

/// The name with its separators replaced, in capitals if so asked.
std::string spelled(std::string_view name, bool is_upper, char separator) {
  std::string made;
  for (const char letter : name) {
    if (letter == '.' || letter == '_') made += separator;
    else made += is_upper && letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  return made;
}

std::string lower_case(std::string_view text) {
  std::string made(text);
  for (char& letter : made) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return made;
}

template <typename Choices>
auto parse_choice(const Choices& choices, std::string_view text) {
  using Value = decltype(choices[0].second);
  for (const auto& [name, value] : choices) {
    if (name == lower_case(text)) return std::optional<std::remove_const_t<Value>>(value);
  }
  return std::optional<std::remove_const_t<Value>>();
}

template <typename Choices, typename Value>
std::string choice_text(const Choices& choices, Value value) {
  for (const auto& [name, each] : choices) {
    if (each == value) return std::string(name);
  }
  return "";
}

// One pair of functions a type: from text, and to text.

std::optional<std::string> parse(std::type_identity<std::string>, const Setting&, std::string_view text) {
  if (text.find('\0') != std::string_view::npos || !is_utf8(text)) return std::nullopt;
  return std::string(text);
}

template <std::integral Number>
std::optional<Number> parse(std::type_identity<Number>, const Setting& setting, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < setting.min || value > setting.max) return std::nullopt;
  return static_cast<Number>(value);
}

std::optional<bool> parse(std::type_identity<bool>, const Setting&, std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<Duration> parse(std::type_identity<Duration>, const Setting& setting, std::string_view text) {
  const std::optional<Duration> value = parse_duration(text);
  if (!value || value->count() < setting.min || value->count() > setting.max) return std::nullopt;
  return value;
}

std::optional<log::Level> parse(std::type_identity<log::Level>, const Setting&, std::string_view text) {
  return parse_choice(levels, text);
}

std::optional<log::Format> parse(std::type_identity<log::Format>, const Setting&, std::string_view text) {
  return parse_choice(formats, text);
}

std::optional<store::Migrate> parse(std::type_identity<store::Migrate>, const Setting&, std::string_view text) {
  return parse_choice(migrations, text);
}

std::string as_text(const std::string& value) { return value; }
template <std::integral Number>
std::string as_text(Number value) {
  return std::to_string(value);
}
std::string as_text(bool value) { return value ? "true" : "false"; }
std::string as_text(Duration value) { return to_text(value); }
std::string as_text(log::Level value) { return choice_text(levels, value); }
std::string as_text(log::Format value) { return choice_text(formats, value); }
std::string as_text(store::Migrate value) { return choice_text(migrations, value); }

/// The T of a Field<T>.
template <typename T>
std::type_identity<T> type_of(Field<T>) {
  return {};
}

}  // namespace

std::string Setting::environment() const { return "SEMEL_" + spelled(name, true, '_'); }

std::string Setting::flag() const { return "--" + spelled(name, false, '-'); }

Form Setting::form() const {
  if (std::holds_alternative<Field<bool>>(target)) return Form::boolean;
  const bool is_number =
      std::holds_alternative<Field<int>>(target) || std::holds_alternative<Field<std::size_t>>(target);
  return is_number ? Form::number : Form::text;
}

std::string Setting::expected() const {
  if (form() == Form::boolean) return "true or false";
  if (form() == Form::number) return fmt::format("a whole number from {} to {}", min, max);
  if (std::holds_alternative<Field<Duration>>(target)) {
    return fmt::format("a duration from \"{}\" to \"{}\"", to_text(Duration(min)), to_text(Duration(max)));
  }
  if (std::holds_alternative<Field<log::Level>>(target)) return "debug, info, warn, error or off";
  if (std::holds_alternative<Field<log::Format>>(target)) return "text or json";
  if (std::holds_alternative<Field<store::Migrate>>(target)) return "auto or never";
  return "a text";
}

Result<void> Setting::set(server::Options& options, std::string_view text) const {
  return std::visit(
      [&](auto field) -> Result<void> {
        auto value = parse(decltype(type_of(field)){}, *this, text);
        if (!value) return bad_request("{} must be {}, not '{}'", name, expected(), text);
        field(options) = *std::move(value);
        return {};
      },
      target);
}

std::string Setting::text_in(const server::Options& options) const {
  server::Options copy = options;  // fields are found in options that may change
  return std::visit([&](auto field) { return as_text(field(copy)); }, target);
}

std::string Setting::toml_in(const server::Options& options) const {
  const std::string text = text_in(options);
  return form() == Form::text ? json::quote(text) : text;
}

}  // namespace semel::config
