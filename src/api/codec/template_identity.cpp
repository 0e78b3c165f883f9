#include "api/codec/template_identity.hpp"

#include <algorithm>

#include "api/codec/template_nodes.hpp"

namespace semel::codec {
namespace {

using domain::IdentitySettings;
using YAML::Node;

constexpr std::size_t pointers_max = 50;
constexpr Duration period_max = 366 * 24h;

Result<std::vector<json::Pointer>> pointers_of(const Node& node, std::string_view field) {
  if (!node.IsSequence() || node.size() == 0)
    return at(node, "{} must be a list of JSON Pointers such as \"/order_id\"", field);
  if (node.size() > pointers_max) return at(node, "{}: at most {} pointers are allowed", field, pointers_max);
  std::vector<json::Pointer> pointers;
  for (const Node& element : node) {
    Result<json::Pointer> pointer = pointer_of(element, field);
    if (!pointer) return pass_on(pointer.error());
    if (std::find(pointers.begin(), pointers.end(), *pointer) != pointers.end())
      return at(element, "{}: '{}' is given twice", field, pointer->text());
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

Result<void> read_identity_member(const Node& key, const Node& node, IdentitySettings& identity) {
  const std::string& field = key.Scalar();
  if (node.IsNull()) return no_value(key, "identity." + field);
  if (field == "strategy") return put(identity.strategy, strategy_of(node, "identity.strategy"));
  if (field == "scope") {
    return put(identity.scope,
               choice_of<domain::Scope>(node, "identity.scope", domain::parse_scope, domain::scope_names));
  }
  if (field == "fields") return put(identity.fields, pointers_of(node, "identity.fields"));
  if (field == "ignore") return put(identity.ignore, pointers_of(node, "identity.ignore"));
  if (field == "period") return put(identity.period, period_of(node));
  if (field == "locked") return put(identity.locked, flag_of(node, "identity.locked"));
  if (field == "reuse") {
    return put(identity.reuse,
               choice_of<domain::Reuse>(node, "identity.reuse", domain::parse_reuse, domain::reuse_names));
  }
  if (field == "on_duplicate") {
    return put(identity.on_duplicate,
               choice_of<domain::OnDuplicate>(node, "identity.on_duplicate", domain::parse_on_duplicate,
                                              domain::on_duplicate_names));
  }
  if (field == "on_payload_mismatch") {
    return put(identity.on_payload_mismatch,
               choice_of<domain::OnMismatch>(node, "identity.on_payload_mismatch", domain::parse_on_mismatch,
                                             domain::on_mismatch_names));
  }
  if (field == "dedup_window") return put(identity.dedup_window, window_of(node));
  return unknown_member(key, "identity." + field,
                        {"strategy", "scope", "fields", "ignore", "period", "locked", "reuse", "on_duplicate",
                         "on_payload_mismatch", "dedup_window"});
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

}  // namespace

Result<domain::Strategy> strategy_of(const Node& node, std::string_view field) {
  return choice_of<domain::Strategy>(node, field, domain::parse_strategy, domain::strategy_names);
}

Result<void> read_identity(const Node& node, IdentitySettings& identity) {
  if (!node.IsMap()) return at(node, "identity must be a map such as {{strategy: strict}}");
  for (const auto& member : node) {
    if (Result<void> read = read_identity_member(member.first, member.second, identity); !read) return read;
  }
  return check_identity(node, identity);
}

}  // namespace semel::codec
