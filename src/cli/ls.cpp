#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "cli/task_filter.hpp"

namespace semel::cli {
namespace {

struct LsOptions {
  std::shared_ptr<TaskFilter> filter;
  std::shared_ptr<ClientOptions> client;
  std::vector<std::string> usual_states;  // where the filter names none
  std::optional<std::string> cursor;
  int limit = 50;
};

std::string name_of(const JsonView& task) {
  if (task["task_key"].exists()) return task["task_key"].text();
  if (!task["name"].exists()) return task["handler"].text();
  return fmt::format("{}/{} {}", task["namespace"].text(), task["name"].text(), task["version"].text());
}

void show_tasks(const Client& client, const JsonView& answer) {
  Table table({"TASK", "STATUS", "NAME", "QUEUE", "KEY", "ATTEMPT", "CREATED", "CLOSED"});
  for (const JsonView& task : answer["tasks"].elements()) {
    const bool has_key = task["task_id"].text() != task["task_uuid"].text();
    table.add({task["task_uuid"].text(), Client::status(task["status"]), name_of(task), task["queue"].text(),
               has_key ? shorten(task["task_id"].text(), 40) : "", task["attempt"].text(),
               client.age(task["created_at"]), client.age(task["closed_at"])});
  }
  if (table.empty()) print("no tasks\n");
  else client.print_table(table);
  if (answer["next_cursor"].exists())
    print(fmt::format("more: --cursor {}\n", printable(answer["next_cursor"].text())));
}

int run_ls(Client& client, const LsOptions& options) {
  if (options.filter->states.empty()) options.filter->states = options.usual_states;
  Result<Query> query = query_of(*options.filter, client.now());
  if (!query) return refuse_usage(query.error().message);
  query->add("limit", std::to_string(options.limit)).add("cursor", options.cursor);
  return client.finish(client.call({.target = "/v1/tasks" + query->text()}),
                       [&](const JsonView& answer) { show_tasks(client, answer); });
}

/// A command that lists tasks.
void add_list_of(CLI::App& command, std::vector<std::string> usual_states, int& exit_code) {
  auto options = std::make_shared<LsOptions>();
  options->usual_states = std::move(usual_states);
  options->filter = add_task_filter(command);
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
  add_list_of(*command, {}, exit_code);
  command->footer("Example:\n  semel ls --status failed --queue paperwork --created-after 2h");
}

void add_dead_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("ls", "List them.");
  add_list_of(*command, {"failed", "timed_out"}, exit_code);
  command->footer("Example:\n  semel dead ls --queue paperwork");
}

}  // namespace semel::cli
