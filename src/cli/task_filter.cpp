#include "cli/task_filter.hpp"

#include <CLI/CLI.hpp>

#include "cli/client/show_time.hpp"

namespace semel::cli {
namespace {

/// A time as the server takes it.
Result<std::optional<std::string>> bound(const char* option, const std::optional<std::string>& text, Time now) {
  if (!text) return std::optional<std::string>();
  const Result<Time> time = read_past_time(option, *text, now);
  if (!time) return pass_on(time.error());
  return to_rfc3339(*time);
}

}  // namespace

std::shared_ptr<TaskFilter> add_task_filter(CLI::App& command) {
  auto filter = std::make_shared<TaskFilter>();
  command.add_option("--namespace", filter->namespace_, "Of the template");
  command.add_option("--name", filter->name, "Of the template");
  command.add_option("--handler", filter->handler, "Only of this handler");
  command.add_option("--parent", filter->parent, "Only what this run or workflow has begun");
  command.add_option("--kind", filter->kind, "Only tasks, only workflows, or only promises")
      ->check(CLI::IsMember({"task", "workflow", "promise"}));
  add_execution_filter(command, *filter);
  return filter;
}

void add_execution_filter(CLI::App& command, TaskFilter& filter) {
  command.add_option("--queue", filter.queue, "Only of this queue");
  command.add_option("--status", filter.states, "Only in this state; may be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"pending", "running", "suspended", "completed", "failed", "cancelled", "timed_out"}));
  command.add_option("--label", filter.labels, "Only with this label: name=value; may be repeated: all must fit")
      ->allow_extra_args(false);
  command.add_option("--created-after", filter.created_after, "2026-01-20T12:30:00Z, or 2h for so long ago");
  command.add_option("--created-before", filter.created_before, "The same");
  command.add_option("--context-text", filter.context_text, "Only with this text in the context");
  command.add_option("--context-path", filter.context_path, "Look for it there only: a JSON Pointer, /customer/name")
      ->needs("--context-text");
}

Result<Query> query_of(const TaskFilter& filter, Time now) {
  const auto after = bound("--created-after", filter.created_after, now);
  if (!after) return pass_on(after.error());
  const auto before = bound("--created-before", filter.created_before, now);
  if (!before) return pass_on(before.error());
  Query query;
  query.add("namespace", filter.namespace_).add("name", filter.name).add("queue", filter.queue);
  query.add("handler", filter.handler).add("parent", filter.parent).add("kind", filter.kind);
  for (const std::string& state : filter.states) query.add("status", state);
  for (const std::string& label : filter.labels) query.add("label", label);
  query.add("created_after", *after).add("created_before", *before);
  query.add("context_path", filter.context_path).add("context_text", filter.context_text);
  return query;
}

}  // namespace semel::cli
