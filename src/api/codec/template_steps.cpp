#include "api/codec/template_steps.hpp"

#include "api/codec/template_condition.hpp"
#include "api/codec/template_nodes.hpp"
#include "domain/workflow/check_steps.hpp"

namespace semel::codec {
namespace {

using domain::Step;
using domain::Template;
using YAML::Node;

Result<std::vector<std::string>> upstreams_of(const Node& node, const std::string& field) {
  if (!node.IsSequence()) return at(node, "{} must be a list of names of steps", field);
  if (node.size() > domain::limits::upstreams_max)
    return at(node, "{}: at most {} steps are allowed", field, domain::limits::upstreams_max);
  std::vector<std::string> names;
  for (const Node& element : node) {
    Result<std::string> name = name_of_field(element, field);
    if (!name) return pass_on(name.error());
    names.push_back(*std::move(name));
  }
  return names;
}

Result<domain::KeyTemplate> key_of(const Node& node, const std::string& field) {
  const Result<std::string> text = text_of(node, field);
  if (!text) return pass_on(text.error());
  Result<domain::KeyTemplate> key = domain::KeyTemplate::parse(*text);
  if (!key) return at(node, "{}: {}", field, key.error().message);
  return key;
}

Result<void> read_step_member(const Node& key, const Node& node, const std::string& prefix, Step& step) {
  const std::string& name = key.Scalar();
  const std::string field = prefix + "." + name;
  if (node.IsNull()) return no_value(key, field);
  if (name == "name") return put(step.name, name_of_field(node, field));
  if (name == "handler") return put(step.handler, handler_of(node, field));
  if (name == "depends_on") return put(step.depends_on, upstreams_of(node, field));
  if (name == "queue") return put(step.queue, name_of_field(node, field));
  if (name == "retry") return read_retry(node, field, step.retry);
  if (name == "timeout") return put(step.timeout, timeout_of(node, field));
  if (name == "idempotency_key") return put(step.idempotency_key, key_of(node, field));
  if (name == "on_upstream_failure") {
    return put(step.on_upstream_failure, choice_of<domain::OnUpstreamFailure>(
                                             node, field, domain::parse_on_upstream_failure, "skip, block, run"));
  }
  if (name == "when") return put(step.when, conditions_of(node, field));
  if (name == "for_each") return put(step.for_each, for_each_of(node, field));
  return unknown_member(key, field,
                        {"name", "handler", "depends_on", "queue", "retry", "timeout", "idempotency_key",
                         "on_upstream_failure", "when", "for_each"});
}

Result<Step> read_step(const Node& node, std::size_t index, const Template& template_) {
  const std::string prefix = fmt::format("steps[{}]", index);
  if (!node.IsMap()) return at(node, "a step must be a map with a name and a handler");
  Step step;
  step.queue = template_.queue;
  step.retry = template_.retry;
  step.timeout = template_.timeout;
  for (const auto& member : node) {
    if (Result<void> read = read_step_member(member.first, member.second, prefix, step); !read)
      return pass_on(read.error());
  }
  if (step.name.empty()) return at(node, "{}.name is required", prefix);
  if (step.handler.empty()) return at(node, "{}.handler is required", prefix);
  return step;
}

/// A plain task is what its only step says.
void take_over(const Step& step, Template& template_) {
  template_.handler = step.handler;
  template_.queue = step.queue;
  template_.retry = step.retry;
  template_.timeout = step.timeout;
}

}  // namespace

Result<void> read_steps(const Node& node, Template& template_) {
  if (!node.IsSequence()) return at(node, "steps must be a list");
  if (node.size() > domain::limits::steps_max)
    return at(node, "steps: {} are given; at most {} are allowed", node.size(), domain::limits::steps_max);
  std::vector<Node> nodes(node.begin(), node.end());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Result<Step> step = read_step(nodes[i], i, template_);
    if (!step) return pass_on(step.error());
    template_.steps.push_back(*std::move(step));
  }
  if (const auto fault = domain::find_fault(template_.steps)) {
    const Node field = nodes[fault->step][fault->field];
    return at(field ? field : nodes[fault->step], "{}", fault->what);
  }
  if (template_.steps.size() == 1 && !template_.is_workflow()) take_over(template_.steps.front(), template_);
  return {};
}

}  // namespace semel::codec
