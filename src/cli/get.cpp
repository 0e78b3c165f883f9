#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "cli/show_timers.hpp"

namespace semel::cli {
namespace {

struct GetOptions {
  std::shared_ptr<ClientOptions> client;
  std::string id;
  std::optional<std::string> key, namespace_, name, version, queue;
};

void add_fact(Table& facts, const char* name, std::string value) {
  if (!value.empty()) facts.add({{name, Color::faint}, std::move(value)});
}

/// "shop/invoice 1.2.0 (revision 3)"
std::string template_of(const JsonView& task) {
  if (!task["name"].exists()) return {};
  return fmt::format("{}/{} {} (revision {})", task["namespace"].text(), task["name"].text(), task["version"].text(),
                     task["revision"].text());
}

std::string labels_of(const JsonView& task) {
  std::string all;
  for (const auto& [name, value] : task["labels"].members())
    all += (all.empty() ? "" : ", ") + name + "=" + value.text();
  return all;
}

/// "25 %: a quarter"
std::string progress_of(const JsonView& progress) {
  if (!progress.exists()) return {};
  const std::string message = progress["message"].text();
  const double done = std::strtod(progress["done"].text().c_str(), nullptr);
  return fmt::format("{:.0f} %{}", done * 100, message.empty() ? "" : ": " + message);
}

void add_identity(const Client& client, Table& facts, const JsonView& identity) {
  if (!identity["hash"].exists()) return;
  add_fact(facts, "identity", fmt::format("{} in the scope {}", identity["mode"].text(), identity["scope"].text()));
  add_fact(facts, "hash", identity["hash"].text());
  add_fact(facts, "window", identity["window"].text());
  add_fact(facts, "window end", client.time(identity["window_end"]));
  add_fact(facts, "held", identity["held"].text());
}

void show_attempts(const Client& client, const JsonView& task) {
  Table table({"ATTEMPT", "WORKER", "OUTCOME", "STARTED", "ENDED", "DISPATCH ID", "EXTERNAL ID", "ERROR"});
  for (const JsonView& attempt : task["attempts"].elements()) {
    table.add({attempt["attempt"].text(), attempt["worker_id"].text(), attempt["outcome"].text(),
               client.age(attempt["started_at"]), client.age(attempt["ended_at"]), attempt["dispatch_id"].text(),
               attempt["external_id"].text(), shorten(attempt["error"].text(), 60)});
  }
  if (table.empty()) return;
  print("\n");
  client.print_table(table);
}

/// "3 of 4 completed"
std::string items_of(const JsonView& items) {
  if (!items.exists()) return {};
  const std::string done = items["completed"].text();
  return fmt::format("{} of {} completed", done.empty() ? "0" : done, items["total"].text());
}

void show_steps(const Client& client, const JsonView& task) {
  Table table({"STEP", "STATUS", "WHY", "AFTER", "TASK", "ERROR"});
  for (const JsonView& step : task["steps"].elements()) {
    std::string after;
    for (const JsonView& upstream : step["depends_on"].elements())
      after += (after.empty() ? "" : ", ") + upstream.text();
    const std::string items = items_of(step["items"]);
    table.add({step["name"].text(), Client::status(step["status"]), step["reason"].text(), after,
               items.empty() ? step["task_uuid"].text() : items, shorten(step["error"].text(), 60)});
  }
  if (table.empty()) return;
  print("\n");
  client.print_table(table);
}

Table facts_of(const Client& client, const JsonView& task) {
  Table facts;
  add_fact(facts, "task", task["task_uuid"].text());
  if (task["status"].exists()) facts.add({{"status", Color::faint}, Client::status(task["status"])});
  add_fact(facts, "template", template_of(task));
  add_fact(facts, "handler", task["handler"].text());
  add_fact(facts, "queue", task["queue"].text());
  add_fact(facts, "priority", task["priority"].text());
  add_fact(facts, "concurrency key", task["concurrency_key"].text());
  add_fact(facts, "key", task["idempotency_key"].text());
  add_fact(facts, "run", task["run_id"].text());
  add_fact(facts, "task key", task["task_key"].text());
  add_fact(facts, "item", std::string(task["item"].raw()));
  for (const char* time : {"created_at", "run_at", "started_at", "closed_at"})
    add_fact(facts, time, client.time(task[time]));
  add_fact(facts, "created by", task["created_by"].text());
  add_fact(facts, "labels", labels_of(task));
  add_fact(facts, "deadline", client.time(task["deadline"]));
  add_fact(facts, "progress", progress_of(task["progress"]));
  if (task["cancel_requested"].exists()) add_fact(facts, "cancelling", "asked for; its worker has not answered yet");
  add_fact(facts, "context", std::string(task["context"].raw()));
  add_fact(facts, "result", std::string(task["result"].raw()));
  add_fact(facts, "error", std::string(task["error"].raw()));
  add_fact(facts, "previous", task["previous_execution_id"].text());
  add_identity(client, facts, task["identity"]);
  if (task["duplicates"].exists())
    add_fact(facts, "duplicates", "at least " + task["duplicates"]["at_least"].text() + " prevented");
  return facts;
}

void show_task(const Client& client, const JsonView& task) {
  client.print_table(facts_of(client, task));
  show_steps(client, task);
  show_attempts(client, task);
  show_timers(client, task);
}

void show_holder(const Client& client, const JsonView& found) {
  Table facts = facts_of(client, found);
  const JsonView holder = found["holder"];
  add_fact(facts, "held", found["held"].text());
  add_fact(facts, "holder", holder["execution_id"].text());
  add_fact(facts, "window", holder["window"].text());
  add_fact(facts, "window end", client.time(holder["window_end"]));
  client.print_table(facts);
}

int run_get(Client& client, const GetOptions& options) {
  if (options.key) {
    Query query;
    query.add("key", options.key).add("namespace", options.namespace_).add("name", options.name);
    query.add("version", options.version).add("queue", options.queue);
    return client.finish(client.call({.target = "/v1/tasks/by-key" + query.text()}),
                         [&](const JsonView& found) { show_holder(client, found); });
  }
  return client.finish(client.call({.target = "/v1/tasks/" + percent_encode(options.id)}),
                       [&](const JsonView& task) { show_task(client, task); });
}

}  // namespace

void add_get(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("get", "Show a task: its state, steps, attempts, timers, identity and duplicates.");
  auto options = std::make_shared<GetOptions>();
  CLI::Option* id = command->add_option("id", options->id, "The task's uuid");
  CLI::Option* key =
      command->add_option("--idempotency-key", options->key, "Or the key that it was submitted with")->excludes(id);
  command->add_option("--namespace", options->namespace_, "Of the template whose key it is")->needs(key);
  command->add_option("--name", options->name, "The template whose key it is")->needs(key);
  command->add_option("--version", options->version, "Of the template, where versions are scopes")->needs(key);
  command->add_option("--queue", options->queue, "Where the queue is the key's scope")->needs(key);
  options->client = add_client_options(*command);
  command->footer(
      "Examples:\n"
      "  semel get 019bddae-b818-7d82-b7c5-bd42e5db27fc\n"
      "  semel get --idempotency-key order-1");
  command->callback([options, &exit_code] {
    if (options->id.empty() && !options->key) {
      exit_code = refuse_usage("give the ID of a task, or --idempotency-key");
      return;
    }
    exit_code = run_client(*options->client, [&](Client& client) { return run_get(client, *options); });
  });
}

}  // namespace semel::cli
