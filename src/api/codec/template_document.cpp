#include "api/codec/template_document.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "api/codec/yaml_json.hpp"
#include "base/json/canonical.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

using domain::IdentitySettings;
using domain::Template;
using YAML::Node;

constexpr std::size_t pointers_max = 50;
constexpr Duration period_max = 366 * 24h;

template <typename... Args>
tl::unexpected<Error> at(const Node& node, fmt::format_string<Args...> text, Args&&... args) {
  const std::string what = fmt::format(text, std::forward<Args>(args)...);
  if (node.Mark().line < 0) return refuse(ErrorCode::invalid_template, "{}", what);
  return refuse(ErrorCode::invalid_template, "line {}: {}", node.Mark().line + 1, what);
}

tl::unexpected<Error> later(const Node& node, std::string_view field) {
  return refuse(ErrorCode::not_supported_yet, "line {}: {} is not supported yet; leave it out", node.Mark().line + 1,
                field);
}

/// Said of the key: a value that is not there has the line of whatever comes next.
tl::unexpected<Error> no_value(const Node& key, std::string_view field) { return at(key, "{} has no value", field); }

Result<std::string> text_of(const Node& node, std::string_view field) {
  if (!node.IsScalar()) return at(node, "{} must be a text", field);
  return node.Scalar();
}

Result<std::string> name_of_field(const Node& node, std::string_view field) {
  Result<std::string> name = text_of(node, field);
  if (!name) return name;
  if (Result<void> fits = domain::check_name(field, *name); !fits) return at(node, "{}", fits.error().message);
  return name;
}

template <typename T, typename Parse>
Result<T> choice_of(const Node& node, std::string_view field, Parse parse, std::string_view values) {
  const Result<std::string> text = text_of(node, field);
  if (!text) return pass_on(text.error());
  const auto value = parse(*text);
  if (!value) return at(node, "{} must be one of {}", field, values);
  return *value;
}

Result<std::vector<json::Pointer>> pointers_of(const Node& node, std::string_view field) {
  if (!node.IsSequence() || node.size() == 0)
    return at(node, "{} must be a list of JSON Pointers such as \"/order_id\"", field);
  if (node.size() > pointers_max) return at(node, "{}: at most {} pointers are allowed", field, pointers_max);
  std::vector<json::Pointer> pointers;
  for (const Node& element : node) {
    const Result<std::string> text = text_of(element, field);
    if (!text) return pass_on(text.error());
    Result<json::Pointer> pointer = json::Pointer::parse(*text);
    if (!pointer) return at(element, "{}: {}", field, pointer.error().message);
    if (std::find(pointers.begin(), pointers.end(), *pointer) != pointers.end())
      return at(element, "{}: '{}' is given twice", field, *text);
    pointers.push_back(*std::move(pointer));
  }
  return pointers;
}

Result<domain::DedupWindow> window_of(const Node& node) {
  const Result<std::string> text = text_of(node, "identity.dedup_window");
  if (!text) return pass_on(text.error());
  using Kind = domain::DedupWindow::Kind;
  if (*text == "forever") return domain::DedupWindow{Kind::forever, Duration{0}};
  if (*text == "retention") return domain::DedupWindow{Kind::retention, Duration{0}};
  const auto length = parse_duration(*text);
  if (!length)
    return at(node, "identity.dedup_window must be a duration such as \"24h\", \"retention\" or \"forever\"");
  return domain::DedupWindow{Kind::fixed, *length};
}

Result<Duration> period_of(const Node& node) {
  const Result<std::string> text = text_of(node, "identity.period");
  if (!text) return pass_on(text.error());
  const auto period = parse_duration(*text);
  const bool fits = period && *period >= 1s && *period <= period_max && *period % 1s == Duration{0};
  if (!fits) return at(node, "identity.period must be whole seconds from \"1s\" to \"366d\", such as \"1h\"");
  return *period;
}

Result<bool> flag_of(const Node& node, std::string_view field) {
  if (node.IsScalar() && node.Scalar() == "true") return true;
  if (node.IsScalar() && node.Scalar() == "false") return false;
  return at(node, "{} must be true or false", field);
}

/// Stores a value that was read, or passes its refusal on.
template <typename Target, typename T>
Result<void> put(Target& target, Result<T> value) {
  if (!value) return pass_on(value.error());
  target = *std::move(value);
  return {};
}

Result<domain::Strategy> strategy_of(const Node& node, std::string_view field) {
  return choice_of<domain::Strategy>(node, field, domain::parse_strategy, "strict, caller_provided, always_unique");
}

Result<void> read_identity_member(const Node& key, const Node& node, IdentitySettings& identity) {
  const std::string& field = key.Scalar();
  if (node.IsNull()) return no_value(key, "identity." + field);
  if (field == "strategy") return put(identity.strategy, strategy_of(node, "identity.strategy"));
  if (field == "scope") {
    return put(identity.scope, choice_of<domain::Scope>(node, "identity.scope", domain::parse_scope,
                                                        "template, template_version, queue, tenant"));
  }
  if (field == "fields") return put(identity.fields, pointers_of(node, "identity.fields"));
  if (field == "ignore") return put(identity.ignore, pointers_of(node, "identity.ignore"));
  if (field == "period") return put(identity.period, period_of(node));
  if (field == "locked") return put(identity.locked, flag_of(node, "identity.locked"));
  if (field == "reuse") {
    return put(identity.reuse,
               choice_of<domain::Reuse>(node, "identity.reuse", domain::parse_reuse,
                                        "allow_duplicate_failed_only, reject_duplicate, allow_duplicate"));
  }
  if (field == "on_duplicate") {
    return put(identity.on_duplicate,
               choice_of<domain::OnDuplicate>(node, "identity.on_duplicate", domain::parse_on_duplicate,
                                              "reject, describe, return_existing"));
  }
  if (field == "on_payload_mismatch") {
    return put(identity.on_payload_mismatch,
               choice_of<domain::OnMismatch>(node, "identity.on_payload_mismatch", domain::parse_on_mismatch,
                                             "reject, ignore"));
  }
  if (field == "dedup_window") return put(identity.dedup_window, window_of(node));
  return at(
      key,
      "unknown field 'identity.{}'; known are strategy, scope, fields, ignore, period, locked, reuse, on_duplicate, "
      "on_payload_mismatch, dedup_window",
      field);
}

Result<void> check_identity(const Node& node, const IdentitySettings& identity) {
  const bool refined = !identity.fields.empty() || !identity.ignore.empty() || identity.period;
  if (!identity.fields.empty() && !identity.ignore.empty())
    return at(node, "identity.fields and identity.ignore exclude each other");
  if (refined && identity.strategy != domain::Strategy::strict) {
    return at(node, "identity.fields, ignore and period refine the strategy strict only");
  }
  for (const json::Pointer& pointer : identity.ignore) {
    if (pointer.tokens().empty()) return at(node, "identity.ignore: \"\" would ignore everything");
  }
  return {};
}

Result<void> read_identity(const Node& node, IdentitySettings& identity) {
  if (!node.IsMap()) return at(node, "identity must be a map such as {{strategy: strict}}");
  for (const auto& member : node) {
    if (Result<void> read = read_identity_member(member.first, member.second, identity); !read) return read;
  }
  return check_identity(node, identity);
}

Result<std::string> handler_of(const Node& node) {
  if (node.IsScalar()) return name_of_field(node, "handler");
  if (!node.IsMap() || !node["callable"]) return at(node, "handler must be a name, or a map with callable");
  for (const auto& member : node) {
    if (member.first.Scalar() != "callable") return later(member.first, "handler." + member.first.Scalar());
  }
  return name_of_field(node["callable"], "handler.callable");
}

Result<int> attempts_of(const Node& node, std::string_view field, int more) {
  const Result<std::string> text = text_of(node, field);
  if (!text) return pass_on(text.error());
  int count = -1;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
  const bool is_number = error == std::errc{} && end == text->data() + text->size();
  if (!is_number || count + more < 1 || count + more > domain::limits::attempts_max)
    return at(node, "{} must be from {} to {}", field, 1 - more, domain::limits::attempts_max - more);
  return count + more;
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
  if (name == "max_attempts") return put(retry.max_attempts, attempts_of(node, field, 0));
  return at(key, "unknown field '{}'; known are backoff, base, cap, jitter, max_attempts", field);
}

Result<void> read_retry(const Node& node, const std::string& field, domain::RetrySettings& retry) {
  if (!node.IsMap()) return at(node, "{} must be a map such as {{backoff: exponential, base: 1s}}", field);
  for (const auto& member : node) {
    if (Result<void> read = read_retry_member(member.first, member.second, field, retry); !read) return read;
  }
  if (Result<void> fits = domain::check(retry); !fits) return at(node, "{}: {}", field, fits.error().message);
  return {};
}

bool is_one_of(std::string_view field, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), field) != names.end();
}

/// The only step of a plain task: its handler and queue are the task's.
Result<void> read_step(const Node& node, Template& template_) {
  if (!node.IsMap()) return at(node, "a step must be a map with a name and a handler");
  bool has_name = false;
  for (const auto& member : node) {
    const std::string& field = member.first.Scalar();
    Result<void> read;
    if (member.second.IsNull()) {
      read = no_value(member.first, "steps[0]." + field);
    } else if (field == "name") {
      has_name = true;
      std::string ignored;
      read = put(ignored, name_of_field(member.second, "steps[0].name"));
    } else if (field == "handler") {
      read = put(template_.handler, handler_of(member.second));
    } else if (field == "queue") {
      read = put(template_.queue, name_of_field(member.second, "steps[0].queue"));
    } else if (field == "retry") {
      read = read_retry(member.second, "steps[0].retry", template_.retry);
    } else if (field == "timeout") {
      read = put(template_.timeout, timeout_of(member.second, "steps[0].timeout"));
    } else if (is_one_of(field, {"idempotency_key", "on_upstream_failure", "when", "for_each", "depends_on"})) {
      if (field == "depends_on" && member.second.IsSequence() && member.second.size() == 0) continue;
      read = later(member.first, "steps[0]." + field);
    } else {
      read = at(member.first, "unknown field 'steps[0].{}'", field);
    }
    if (!read) return read;
  }
  if (!has_name) return at(node, "steps[0].name is required");
  if (!node["handler"]) return at(node, "steps[0].handler is required");
  return {};
}

Result<void> read_steps(const Node& node, Template& template_) {
  if (!node.IsSequence()) return at(node, "steps must be a list");
  if (node.size() > 1) {
    return refuse(ErrorCode::not_supported_yet, "line {}: a template with more than one step is not supported yet",
                  node.Mark().line + 1);
  }
  return node.size() == 0 ? Result<void>{} : read_step(node[0], template_);
}

Result<void> read_version(const Node& node, Template& template_) {
  if (Result<void> read = put(template_.version, text_of(node, "version")); !read) return read;
  if (Result<void> fits = domain::check_version(template_.version); !fits) return at(node, "{}", fits.error().message);
  return {};
}

Result<void> read_member(const Node& key, const Node& node, Template& template_) {
  const std::string& field = key.Scalar();
  if (node.IsNull()) return no_value(key, field);
  if (field == "namespace") return put(template_.namespace_, name_of_field(node, field));
  if (field == "name") return put(template_.name, name_of_field(node, field));
  if (field == "version") return read_version(node, template_);
  if (field == "identity_strategy") return put(template_.identity.strategy, strategy_of(node, field));
  if (field == "queue") return put(template_.queue, name_of_field(node, field));
  if (field == "handler") return put(template_.handler, handler_of(node));
  if (field == "description") return text_of(node, field).map([](const std::string&) {});
  if (is_one_of(field, {"identity", "steps"})) return {};  // read after the others, which they refine
  if (field == "retry") return read_retry(node, field, template_.retry);
  if (field == "timeout") return put(template_.timeout, timeout_of(node, field));
  if (field == "max_attempts") return put(template_.retry.max_attempts, attempts_of(node, field, 0));
  if (field == "max_retries") return put(template_.retry.max_attempts, attempts_of(node, field, 1));
  if (is_one_of(field, {"input_schema", "timeout_ms", "deadline", "concurrency_key", "priority"})) {
    return later(key, field);
  }
  return at(key,
            "unknown field '{}'; known are namespace, name, version, description, identity_strategy, identity, queue, "
            "handler, retry, max_attempts, timeout, steps",
            field);
}

Result<Template> read_template(const Node& root) {
  if (!root.IsMap()) return at(root, "a template must be a map with namespace, name and version");
  Template template_;
  for (const auto& member : root) {
    if (Result<void> read = read_member(member.first, member.second, template_); !read) return pass_on(read.error());
  }
  for (const std::string_view field : {"namespace", "name", "version"}) {
    if (!root[std::string(field)]) return refuse(ErrorCode::invalid_template, "{} is required", field);
  }
  if (root["identity"] && root["identity_strategy"])
    return at(root["identity"], "identity_strategy and identity are both given; use identity.strategy");
  if (root["handler"] && root["steps"] && root["steps"].size() > 0)
    return at(root["handler"], "handler and steps are both given; the step has its own handler");
  if (root["identity"]) {
    if (Result<void> read = read_identity(root["identity"], template_.identity); !read) return pass_on(read.error());
  }
  if (root["steps"]) {
    if (Result<void> read = read_steps(root["steps"], template_); !read) return pass_on(read.error());
  }
  if (template_.handler.empty()) template_.handler = template_.name;
  if (template_.queue.empty()) template_.queue = "default";
  return template_;
}

}  // namespace

Result<Template> decode_template_yaml(std::string_view text) {
  const Result<Node> loaded = load_yaml(text);
  if (!loaded) return pass_on(loaded.error());
  const Node& root = *loaded;
  try {
    const Result<std::string> as_json = yaml_to_json(root);
    if (!as_json) return pass_on(as_json.error());
    Result<std::string> document = json::canonicalize(*as_json);
    if (!document) return refuse(ErrorCode::invalid_template, "{}", document.error().message);
    Result<Template> template_ = read_template(root);
    if (template_) template_->document = *std::move(document);
    return template_;
  } catch (const YAML::Exception& exception) {
    return refuse(ErrorCode::invalid_template, "line {}: {}", exception.mark.line + 1, exception.msg);
  }
}

// Canonical JSON is YAML: its escapes are a subset of YAML's, and its lines are one.
Result<Template> decode_template_json(std::string_view text) {
  const Result<std::string> canonical = json::canonicalize(text);
  if (!canonical) return refuse(ErrorCode::invalid_template, "{}", canonical.error().message);
  return decode_template_yaml(*canonical);
}

}  // namespace semel::codec
