#include "api/codec/template_nodes.hpp"

#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "api/codec/yaml_json.hpp"
#include "base/json/canonical.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

using YAML::Node;

Result<int> jitter_of(const Node& node, std::string_view field) {
  double jitter = -1;
  if (!node.IsScalar() || !YAML::convert<double>::decode(node, jitter) || !(jitter >= 0 && jitter <= 1))
    return at(node, "{} must be a number from 0 to 1", field);
  return static_cast<int>(std::lround(jitter * 100));
}

Result<void> read_retry_member(const Node& key, const Node& node, const std::string& prefix,
                               domain::RetrySettings& retry) {
  const std::string& name = key.Scalar();
  const std::string field = prefix + "." + name;
  if (node.IsNull()) return no_value(key, field);
  if (name == "backoff") {
    return put(retry.backoff,
               choice_of<domain::Backoff>(node, field, domain::parse_backoff, "fixed, linear, exponential, fibonacci"));
  }
  if (name == "base") return put(retry.base, pause_of(node, field, Duration{0}, domain::limits::backoff_max));
  if (name == "cap") return put(retry.cap, pause_of(node, field, Duration{0}, domain::limits::backoff_max));
  if (name == "jitter") return put(retry.jitter_percent, jitter_of(node, field));
  if (name == "max_attempts") return put(retry.max_attempts, number_of(node, field, 1, domain::limits::attempts_max));
  return unknown_member(key, field, {"backoff", "base", "cap", "jitter", "max_attempts"});
}

}  // namespace

tl::unexpected<Error> later(const Node& key, std::string_view field) {
  return refuse(ErrorCode::not_supported_yet, "line {}: {} is not supported yet; leave it out", key.Mark().line + 1,
                field);
}

tl::unexpected<Error> no_value(const Node& key, std::string_view field) { return at(key, "{} has no value", field); }

tl::unexpected<Error> unknown_member(const Node& key, std::string_view field,
                                     std::initializer_list<std::string_view> known) {
  return at(key, "unknown field '{}'; known are {}", field, fmt::join(known, ", "));
}

Result<std::string> text_of(const Node& node, std::string_view field) {
  if (!node.IsScalar()) return at(node, "{} must be a text", field);
  return node.Scalar();
}

Result<std::string> name_of_field(const Node& node, std::string_view field) {
  Result<std::string> name = text_of(node, field);
  if (!name) return name;
  if (Result<void> fits = domain::check_name(field, *name); !fits) return at(node, "{}", fits.error().message);
  // What is stored is canonical JSON: a number that is written otherwise there would be another name after a restart.
  const Result<std::string> stored = json_of(node, field);
  if (!stored) return stored;
  if (!stored->starts_with('"') && *stored != *name)
    return at(node, "{} is read as the number {}; for a text, write \"{}\"", field, *stored, *name);
  return name;
}

Result<bool> flag_of(const Node& node, std::string_view field) {
  if (node.IsScalar() && node.Scalar() == "true") return true;
  if (node.IsScalar() && node.Scalar() == "false") return false;
  return at(node, "{} must be true or false", field);
}

Result<int> number_of(const Node& node, std::string_view field, int min, int max) {
  const Result<std::string> text = text_of(node, field);
  if (!text) return pass_on(text.error());
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool is_number = error == std::errc{} && end == text->data() + text->size();
  if (!is_number || number < min || number > max) return at(node, "{} must be from {} to {}", field, min, max);
  return number;
}

Result<Duration> pause_of(const Node& node, std::string_view field, Duration min, Duration max) {
  const Result<std::string> text = text_of(node, field);
  if (!text) return pass_on(text.error());
  const auto pause = parse_duration(*text);
  if (!pause || *pause < min || *pause > max)
    return at(node, "{} must be a duration from {} to {}, such as \"30s\"", field, to_text(min), to_text(max));
  return *pause;
}

Result<Duration> timeout_of(const Node& node, std::string_view field) {
  return pause_of(node, field, Duration{1}, domain::limits::timeout_max);
}

Result<json::Pointer> pointer_of(const Node& node, std::string_view field) {
  const Result<std::string> text = text_of(node, field);
  if (!text) return pass_on(text.error());
  Result<json::Pointer> pointer = json::Pointer::parse(*text);
  if (!pointer) return at(node, "{}: {}", field, pointer.error().message);
  return pointer;
}

Result<std::string> json_of(const Node& node, std::string_view field) {
  const Result<std::string> text = yaml_to_json(node);
  if (!text) return pass_on(text.error());
  Result<std::string> canonical = json::canonicalize(*text);
  if (!canonical) return at(node, "{}: {}", field, canonical.error().message);
  return canonical;
}

Result<std::string> handler_of(const Node& node, std::string_view field) {
  if (node.IsScalar()) return name_of_field(node, field);
  if (!node.IsMap() || !node["callable"]) return at(node, "{} must be a name, or a map with callable", field);
  for (const auto& member : node) {
    if (member.first.Scalar() != "callable")
      return later(member.first, fmt::format("{}.{}", field, member.first.Scalar()));
  }
  return name_of_field(node["callable"], fmt::format("{}.callable", field));
}

Result<void> read_retry(const Node& node, const std::string& field, domain::RetrySettings& retry) {
  if (!node.IsMap()) return at(node, "{} must be a map such as {{backoff: exponential, base: 1s}}", field);
  for (const auto& member : node) {
    if (Result<void> read = read_retry_member(member.first, member.second, field, retry); !read) return read;
  }
  if (Result<void> fits = domain::check(retry); !fits) return at(node, "{}: {}", field, fits.error().message);
  return {};
}

}  // namespace semel::codec
