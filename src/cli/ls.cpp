#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

struct LsOptions {
  std::shared_ptr<ClientOptions> client;
  std::optional<std::string> namespace_, name, queue, handler, created_after, created_before, cursor;
  std::vector<std::string> states, labels;
  int limit = 50;
};

std::string name_of(const JsonView& task) {
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

/// A time as the server takes it.
Result<std::optional<std::string>> bound(const char* option, const std::optional<std::string>& text, Time now) {
  if (!text) return std::optional<std::string>();
  const Result<Time> time = read_past_time(option, *text, now);
  if (!time) return pass_on(time.error());
  return to_rfc3339(*time);
}

int run_ls(Client& client, const LsOptions& options) {
  const auto after = bound("--created-after", options.created_after, client.now());
  if (!after) return refuse_usage(after.error().message);
  const auto before = bound("--created-before", options.created_before, client.now());
  if (!before) return refuse_usage(before.error().message);
  Query query;
  query.add("namespace", options.namespace_).add("name", options.name).add("queue", options.queue);
  query.add("handler", options.handler);
  for (const std::string& state : options.states) query.add("status", state);
  for (const std::string& label : options.labels) query.add("label", label);
  query.add("created_after", *after).add("created_before", *before);
  query.add("limit", std::to_string(options.limit)).add("cursor", options.cursor);
  return client.finish(client.call({.target = "/v1/tasks" + query.text()}),
                       [&](const JsonView& answer) { show_tasks(client, answer); });
}

}  // namespace

void add_ls(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("ls", "List tasks.");
  auto options = std::make_shared<LsOptions>();
  command->add_option("--namespace", options->namespace_, "Of the template");
  command->add_option("--name", options->name, "Of the template");
  command->add_option("--queue", options->queue, "Only of this queue");
  command->add_option("--handler", options->handler, "Only of this handler");
  command->add_option("--status", options->states, "Only in this state; may be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"pending", "running", "completed", "failed", "cancelled", "timed_out"}));
  command->add_option("--label", options->labels, "Only with this label: name=value; may be repeated: all must fit")
      ->allow_extra_args(false);
  command->add_option("--created-after", options->created_after, "2026-01-20T12:30:00Z, or 2h for so long ago");
  command->add_option("--created-before", options->created_before, "The same");
  command->add_option("--limit", options->limit, "How many at most")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--cursor", options->cursor, "Where the list before ended");
  options->client = add_client_options(*command);
  command->footer("Example:\n  semel ls --status failed --queue paperwork --created-after 2h");
  command->callback([options, &exit_code] {
    exit_code = run_client(*options->client, [&](Client& client) { return run_ls(client, *options); });
  });
}

}  // namespace semel::cli
