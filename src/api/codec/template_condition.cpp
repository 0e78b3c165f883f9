#include "api/codec/template_condition.hpp"

#include "api/codec/template_nodes.hpp"

namespace semel::codec {
namespace {

using domain::Comparison;
using domain::Condition;
using domain::ForEach;
using YAML::Node;

constexpr std::size_t choices_max = 100;

/// A value that the comparison can be made with, as canonical JSON.
Result<std::string> operand_of(const Node& node, const std::string& field, Comparison comparison) {
  switch (comparison) {
    case Comparison::equals:
    case Comparison::not_equals: break;
    case Comparison::in:
      if (!node.IsSequence() || node.size() == 0 || node.size() > choices_max)
        return at(node, "{} must be a list of 1 to {} values", field, choices_max);
      break;
    case Comparison::exists:
      if (const Result<bool> flag = flag_of(node, field); !flag) return pass_on(flag.error());
      break;
    default:
      if (!node.IsScalar() || node.Scalar() == "true" || node.Scalar() == "false")
        return at(node, "{} must be a number or a text", field);
  }
  return json_of(node, field);
}

/// What has been read of a comparison so far.
struct ConditionDraft {
  Condition condition{};
  bool has_path = false;
  std::string comparison{};  // its name, once there is one
};

Result<void> read_condition_member(const Node& key, const Node& node, const std::string& prefix,
                                   ConditionDraft& draft) {
  const std::string& name = key.Scalar();
  const std::string field = prefix + "." + name;
  const std::optional<Comparison> comparison = domain::parse_comparison(name);
  const bool may_be_null = comparison == Comparison::equals || comparison == Comparison::not_equals;
  if (node.IsNull() && !may_be_null) return no_value(key, field);
  if (name == "step") return put(draft.condition.source.step, name_of_field(node, field));
  if (name == "path") {
    draft.has_path = true;
    return put(draft.condition.source.path, pointer_of(node, field));
  }
  if (!comparison) return at(key, "unknown field '{}'; known are step, path, {}", field, domain::comparison_names());
  if (!draft.comparison.empty())
    return at(key, "{} has {} and {}; write two comparisons, both must hold", prefix, draft.comparison, name);
  draft.comparison = name;
  draft.condition.comparison = *comparison;
  return put(draft.condition.value, operand_of(node, field, *comparison));
}

Result<Condition> condition_of(const Node& node, const std::string& field) {
  if (!node.IsMap()) return at(node, "{} must be a map such as {{path: /amount, at_least: 100}}", field);
  ConditionDraft draft;
  for (const auto& member : node) {
    if (Result<void> read = read_condition_member(member.first, member.second, field, draft); !read)
      return pass_on(read.error());
  }
  if (!draft.has_path) return at(node, "{}.path is required; \"\" is the whole", field);
  if (draft.comparison.empty()) return at(node, "{} needs one of {}", field, domain::comparison_names());
  return std::move(draft.condition);
}

Result<void> read_for_each_member(const Node& key, const Node& node, const std::string& prefix, ForEach& for_each) {
  const std::string& name = key.Scalar();
  const std::string field = prefix + "." + name;
  if (node.IsNull()) return no_value(key, field);
  if (name == "step") return put(for_each.over.step, name_of_field(node, field));
  if (name == "path") return put(for_each.over.path, pointer_of(node, field));
  if (name == "max_parallel") {
    return put(for_each.max_parallel, number_of(node, field, 1, static_cast<int>(domain::limits::fan_out_max)));
  }
  if (name == "join")
    return put(for_each.join, choice_of<domain::Join>(node, field, domain::parse_join, "all, settled"));
  return unknown_member(key, field, {"step", "path", "max_parallel", "join"});
}

}  // namespace

Result<std::vector<Condition>> conditions_of(const Node& node, const std::string& field) {
  if (node.IsMap()) return condition_of(node, field).map([](Condition&& only) { return std::vector{std::move(only)}; });
  if (!node.IsSequence() || node.size() == 0 || node.size() > domain::limits::conditions_max)
    return at(node, "{} must be a comparison such as {{path: /amount, at_least: 100}}, or a list of up to {}", field,
              domain::limits::conditions_max);
  std::vector<Condition> conditions;
  for (const Node& element : node) {
    Result<Condition> condition = condition_of(element, fmt::format("{}[{}]", field, conditions.size()));
    if (!condition) return pass_on(condition.error());
    conditions.push_back(*std::move(condition));
  }
  return conditions;
}

Result<ForEach> for_each_of(const Node& node, const std::string& field) {
  if (!node.IsMap() || (!node["step"] && !node["path"]))
    return at(node, "{} must be a map with the place of an array, such as {{step: list, path: /users}}", field);
  ForEach for_each;
  for (const auto& member : node) {
    if (Result<void> read = read_for_each_member(member.first, member.second, field, for_each); !read)
      return pass_on(read.error());
  }
  return for_each;
}

}  // namespace semel::codec
