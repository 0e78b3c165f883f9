#include "api/codec/template_document.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "api/codec/template_identity.hpp"
#include "api/codec/template_nodes.hpp"
#include "api/codec/template_steps.hpp"
#include "api/codec/yaml_json.hpp"
#include "base/json/canonical.hpp"

namespace semel::codec {
namespace {

using domain::Template;
using YAML::Node;

bool is_one_of(std::string_view field, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), field) != names.end();
}

/// The part of a tree that a JSON Pointer leads to; where it leads to nothing, the last part on the way.
Node part_of(Node node, const json::Pointer& pointer) {
  for (const std::string& token : pointer.tokens()) {
    std::size_t index = 0;
    const bool is_index = YAML::convert<std::size_t>::decode(Node(token), index);
    const Node next = node.IsSequence() && is_index ? node[index] : node.IsMap() ? node[token] : Node();
    if (!next.IsDefined() || next.Mark().is_null()) break;
    node.reset(next);
  }
  return node;
}

Result<json::Schema> schema_of(const Node& node, const std::string& field) {
  const Result<std::string> text = json_of(node, field);
  if (!text) return pass_on(text.error());
  auto schema = json::Schema::compile(*text);
  if (schema) return *std::move(schema);
  const json::Schema::Fault& fault = schema.error();
  return at(part_of(node, json::Pointer::parse(fault.pointer).value()), "{}{}: {}", field, fault.pointer, fault.what);
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
  if (field == "handler") return put(template_.handler, handler_of(node, field));
  if (field == "description") return text_of(node, field).map([](const std::string&) {});
  if (is_one_of(field, {"identity", "steps"})) return {};  // read after the others, which they refine
  if (field == "retry") return read_retry(node, field, template_.retry);
  if (field == "timeout") return put(template_.timeout, timeout_of(node, field));
  if (field == "max_attempts")
    return put(template_.retry.max_attempts, number_of(node, field, 1, domain::limits::attempts_max));
  if (field == "max_retries") {
    return put(template_.retry.max_attempts,
               number_of(node, field, 0, domain::limits::attempts_max - 1).map([](int n) { return n + 1; }));
  }
  if (field == "input_schema") return put(template_.input_schema, schema_of(node, field));
  if (is_one_of(field, {"timeout_ms", "deadline", "concurrency_key", "priority"})) {
    return later(key, field);
  }
  return unknown_member(key, field,
                        {"namespace", "name", "version", "description", "identity_strategy", "identity", "queue",
                         "handler", "retry", "max_attempts", "timeout", "input_schema", "steps"});
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
  if (template_.queue.empty()) template_.queue = "default";
  if (root["steps"]) {
    if (Result<void> read = read_steps(root["steps"], template_); !read) return pass_on(read.error());
  }
  if (template_.handler.empty()) template_.handler = template_.name;
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

// Canonical JSON is YAML: its escapes are a subset of YAML's. It is one line, so where a fault is found in it, the text
// itself is read as YAML to say in which.
Result<Template> decode_template_json(std::string_view text) {
  const Result<std::string> canonical = json::canonicalize(text);
  if (!canonical) return refuse(ErrorCode::invalid_template, "{}", canonical.error().message);
  Result<Template> template_ = decode_template_yaml(*canonical);
  if (template_) return template_;
  Result<Template> lined = decode_template_yaml(text);
  return lined ? template_ : lined;
}

}  // namespace semel::codec
