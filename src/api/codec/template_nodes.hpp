#pragma once
#include <yaml-cpp/yaml.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/pointer.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/retry.hpp"

/// Reading the values of a template's document. Each refusal names the line and the field, and says what to change.
namespace semel::codec {

template <typename... Args>
tl::unexpected<Error> at(const YAML::Node& node, fmt::format_string<Args...> text, Args&&... args) {
  const std::string what = fmt::format(text, std::forward<Args>(args)...);
  if (node.Mark().line < 0) return refuse(ErrorCode::invalid_template, "{}", what);
  return refuse(ErrorCode::invalid_template, "line {}: {}", node.Mark().line + 1, what);
}

/// Of a field that a later version gives meaning: accepting it now and doing nothing would be a lie.
tl::unexpected<Error> later(const YAML::Node& key, std::string_view field);
/// Said of the key: a value that is not there has the line of whatever comes next.
tl::unexpected<Error> no_value(const YAML::Node& key, std::string_view field);
/// Names all that are known.
tl::unexpected<Error> unknown_member(const YAML::Node& key, std::string_view field,
                                     std::initializer_list<std::string_view> known);

Result<std::string> text_of(const YAML::Node& node, std::string_view field);
Result<std::string> name_of_field(const YAML::Node& node, std::string_view field);
Result<bool> flag_of(const YAML::Node& node, std::string_view field);
/// From `min` to `max`.
Result<int> number_of(const YAML::Node& node, std::string_view field, int min, int max);
Result<Duration> pause_of(const YAML::Node& node, std::string_view field, Duration min, Duration max);
Result<Duration> timeout_of(const YAML::Node& node, std::string_view field);
Result<json::Pointer> pointer_of(const YAML::Node& node, std::string_view field);
/// Any value, as canonical JSON.
Result<std::string> json_of(const YAML::Node& node, std::string_view field);
/// A name, or a map with `callable`.
Result<std::string> handler_of(const YAML::Node& node, std::string_view field);
/// Over what `retry` says already.
Result<void> read_retry(const YAML::Node& node, const std::string& field, domain::RetrySettings& retry);

template <typename T, typename Parse>
Result<T> choice_of(const YAML::Node& node, std::string_view field, Parse parse, std::string_view values) {
  const Result<std::string> text = text_of(node, field);
  if (!text) return pass_on(text.error());
  const auto value = parse(*text);
  if (!value) return at(node, "{} must be one of {}", field, values);
  return *value;
}

/// Stores a value that was read, or passes its refusal on.
template <typename Target, typename T>
Result<void> put(Target& target, Result<T> value) {
  if (!value) return pass_on(value.error());
  target = *std::move(value);
  return {};
}

}  // namespace semel::codec
