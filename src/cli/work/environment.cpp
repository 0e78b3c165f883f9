#include "cli/work/environment.hpp"

#include <unistd.h>

#include <string_view>

namespace semel::cli::work {
namespace {

/// The server knows these names too, so that it does not take them for settings (config/load.cpp).
constexpr std::string_view task_prefix = "SEMEL_TASK_";
/// By this name OpenTelemetry's tools take a W3C trace context from the environment.
constexpr std::string_view trace = "TRACEPARENT";

bool has_name(std::string_view variable, std::string_view name) {
  return variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=';
}

}  // namespace

void set_variable(std::vector<std::string>& variables, std::string_view name, std::string_view value) {
  std::erase_if(variables, [&](const std::string& each) { return has_name(each, name); });
  variables.push_back(std::string(name) + "=" + std::string(value));
}

std::vector<std::string> handler_environment(std::span<const std::string> own, const Lease& lease) {
  std::vector<std::string> all;
  for (const std::string& each : own) {
    if (!each.starts_with(task_prefix) && !has_name(each, trace)) all.push_back(each);
  }
  const auto add = [&](std::string_view name, const std::string& value) {
    all.push_back(std::string(task_prefix) + std::string(name) + "=" + value);
  };
  add("UUID", lease.task_uuid);
  add("ID", lease.task_id);
  add("HANDLER", lease.handler);
  add("QUEUE", lease.queue);
  add("LABELS", lease.labels);
  add("ATTEMPT", lease.attempt);
  add("ATTEMPT_ID", lease.attempt_id);
  add("EFFECT_KEY", lease.effect_key);
  add("DISPATCH_ID", lease.dispatch_id);
  add("EXTERNAL_ID", lease.external_id);
  if (!lease.run_id.empty()) add("RUN_ID", lease.run_id);
  if (!lease.task_key.empty()) add("KEY", lease.task_key);
  if (!lease.index.empty()) add("INDEX", lease.index);
  if (!lease.traceparent.empty()) all.push_back(std::string(trace) + "=" + lease.traceparent);
  return all;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
  return variables;
}

}  // namespace semel::cli::work
