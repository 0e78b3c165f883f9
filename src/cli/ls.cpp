#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "cli/task_filter.hpp"
#include "cli/workflow.hpp"

namespace semel::cli {
namespace {

using ShowList = void (*)(const Client&, const JsonView&);

struct LsOptions {
  std::shared_ptr<TaskFilter> filter;
  std::shared_ptr<ClientOptions> client{};
  ShowList show = nullptr;
  std::vector<std::string> usual_states{};  // where the filter names none
  std::optional<std::string> cursor{};
  int limit = 50;
};

std::string name_of(const JsonView& task) {
  if (task["task_key"].exists()) return task["task_key"].text();
  if (!task["name"].exists()) return task["handler"].text();
  return fmt::format("{}/{} {}", task["namespace"].text(), task["name"].text(), task["version"].text());
}

void end_list(const Client& client, const Table& table, const char* nothing, const JsonView& answer) {
  if (table.empty()) print(nothing);
  else client.print_table(table);
  if (answer["next_cursor"].exists())
    print(fmt::format("more: --cursor {}\n", printable(answer["next_cursor"].text())));
}

void show_tasks(const Client& client, const JsonView& answer) {
  Table table({"TASK", "STATUS", "NAME", "QUEUE", "KEY", "ATTEMPT", "CREATED", "CLOSED"});
  for (const JsonView& task : answer["tasks"].elements()) {
    const bool has_key = task["task_id"].text() != task["task_uuid"].text();
    table.add({task["task_uuid"].text(), Client::status(task["status"]), name_of(task), task["queue"].text(),
               has_key ? shorten(task["task_id"].text(), 40) : "", task["attempt"].text(),
               client.age(task["created_at"]), client.age(task["closed_at"])});
  }
  end_list(client, table, "no tasks\n", answer);
}

/// Those that are written as code by their kind, runs of templates by the name of their template.
void show_workflows(const Client& client, const JsonView& answer) {
  Table table({"WORKFLOW", "STATUS", "KIND", "WORKFLOW ID", "QUEUE", "CREATED", "CLOSED"});
  for (const JsonView& workflow : answer["tasks"].elements()) {
    const std::string kind = workflow["name"].exists() ? name_of(workflow) : workflow["handler"].text();
    table.add({workflow["task_uuid"].text(), Client::status(workflow["status"]), kind,
               shorten(workflow["idempotency_key"].text(), 40), workflow["queue"].text(),
               client.age(workflow["created_at"]), client.age(workflow["closed_at"])});
  }
  end_list(client, table, "no workflows\n", answer);
}

int run_ls(Client& client, const LsOptions& options) {
  if (options.filter->states.empty()) options.filter->states = options.usual_states;
  Result<Query> query = query_of(*options.filter, client.now());
  if (!query) return refuse_usage(query.error().message);
  query->add("limit", std::to_string(options.limit)).add("cursor", options.cursor);
  return client.finish(client.call({.target = "/v1/tasks" + query->text()}),
                       [&](const JsonView& answer) { options.show(client, answer); });
}

/// A command that lists what the filter says.
void add_list_of(CLI::App& command, LsOptions list, int& exit_code) {
  auto options = std::make_shared<LsOptions>(std::move(list));
  command.add_option("--limit", options->limit, "How many at most")->check(CLI::Range(1, 1000))->capture_default_str();
  command.add_option("--cursor", options->cursor, "Where the list before ended");
  options->client = add_client_options(command);
  command.callback([options, &exit_code] {
    exit_code = run_client(*options->client, [&](Client& client) { return run_ls(client, *options); });
  });
}

}  // namespace

void add_ls(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("ls", "List tasks.");
  add_list_of(*command, {.filter = add_task_filter(*command), .show = show_tasks}, exit_code);
  command->footer("Example:\n  semel ls --status failed --queue paperwork --created-after 2h");
}

void add_dead_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("ls", "List them.");
  add_list_of(*command,
              {.filter = add_task_filter(*command), .show = show_tasks, .usual_states = {"failed", "timed_out"}},
              exit_code);
  command->footer("Example:\n  semel dead ls --queue paperwork");
}

void add_workflow_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("ls", "List workflows: written as code, and runs of templates with steps.");
  auto filter = std::make_shared<TaskFilter>();
  filter->kind = "workflow";
  command->add_option("--kind", filter->handler, "Only of this kind, which are written as code");
  command->add_option("--parent", filter->parent, "Only children of this workflow");
  add_execution_filter(*command, *filter);
  add_list_of(*command, {.filter = filter, .show = show_workflows}, exit_code);
  command->footer("Example:\n  semel workflow ls --kind process_order --status suspended");
}

}  // namespace semel::cli
