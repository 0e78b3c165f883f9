#include <CLI/CLI.hpp>
#include <map>

#include "base/json/writer.hpp"
#include "cli/bulk.hpp"
#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "domain/queue_option.hpp"

namespace semel::cli {
namespace {

std::string queue_path(const std::string& name) { return "/v1/queues/" + percent_encode(name); }

/// One word for each thing that is special about it.
std::string limits_of(const JsonView& queue) {
  std::string all;
  for (const char* name : {"rate_limit", "rate_burst", "max_running", "reuse", "dedup_window"}) {
    if (queue[name].exists()) all += fmt::format("{}{}={}", all.empty() ? "" : " ", name, queue[name].text());
  }
  return all;
}

std::string throughput_of(const JsonView& counts) {
  std::string all;
  for (const char* name : {"created", "started", "completed", "failed", "retried"})
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", counts[name].text(), name);
  return all;
}

void show_queue(const Client& client, const JsonView& queue) {
  Table facts;
  facts.add({{"queue", Color::faint}, queue["name"].text()});
  facts.add({{"state", Color::faint}, queue["paused"].text() == "true" ? "paused" : "open"});
  for (const char* name :
       {"retention", "rate_limit", "rate_burst", "max_running", "max_running_per_key", "reuse", "dedup_window",
        "target", "target_timeout", "target_dedup_window", "heartbeat_timeout", "max_in_flight"}) {
    if (queue[name].exists()) facts.add({{name, Color::faint}, queue[name].text()});
  }
  for (const char* name : {"ready", "waiting", "blocked", "running"}) {
    const JsonView count = queue["depth"][name];
    if (count.exists()) facts.add({{name, Color::faint}, count.text()});
  }
  for (const char* span : {"minute", "hour"}) {
    const JsonView counts = queue["rates"][span];
    if (counts.exists()) facts.add({{fmt::format("last {}", span), Color::faint}, throughput_of(counts)});
  }
  client.print_table(facts);
}

void show_queues(const Client& client, const JsonView& answer) {
  Table table({"QUEUE", "STATE", "READY", "WAITING", "BLOCKED", "RUNNING", "RETENTION", "LIMITS"});
  for (const JsonView& queue : answer["queues"].elements()) {
    const JsonView depth = queue["depth"];
    const bool paused = queue["paused"].text() == "true";
    table.add({queue["name"].text(),
               {paused ? "paused" : "open", paused ? Color::yellow : Color::none},
               depth["ready"].text(),
               depth["waiting"].text(),
               depth["blocked"].text(),
               depth["running"].text(),
               queue["retention"].text(),
               limits_of(queue)});
  }
  if (table.empty()) print("no queues\n");
  else client.print_table(table);
}

int list_queues(Client& client) {
  const HttpCall call{.target = "/v1/queues"};
  return client.finish(client.call(call), [&](const JsonView& answer) { show_queues(client, answer); });
}

int show_one_queue(Client& client, const std::string& name) {
  const HttpCall call{.target = queue_path(name)};
  return client.finish(client.call(call), [&](const JsonView& answer) { show_queue(client, answer); });
}

int change_queue(Client& client, const HttpCall& call) {
  return client.finish(client.call(call), [&](const JsonView& answer) { show_queue(client, answer); });
}

using QueueChanges = std::map<std::string, std::string>;  // option → text, or "default"

Result<void> check_changes(const QueueChanges& changes) {
  domain::QueueOptions scratch;
  for (const auto& [option, text] : changes) {
    if (text == "default") continue;
    if (Result<void> fits = domain::set_queue_option(scratch, option, text); !fits) return fits;
  }
  return {};
}

/// What is given goes over what was set before; "default" takes a setting back.
int set_queue(Client& client, const std::string& name, const QueueChanges& changes) {
  if (const Result<void> good = check_changes(changes); !good) return refuse_usage(good.error().message);
  const Result<HttpReply> before = client.call({.target = queue_path(name)});
  if (!before || before->status != 200) return client.fail(before);
  const JsonView said = JsonView::parse(before->body)["set"];
  json::Writer body;
  body.begin_object();
  for (const std::string_view option : domain::queue_option_names) {
    const auto change = changes.find(std::string(option));
    const JsonView old = said[option];
    if (change == changes.end() && old.exists()) body.raw(option, old.raw());
    if (change == changes.end() || change->second == "default") continue;
    const bool is_text = option != "rate_burst" && option != "paused" && !option.starts_with("max_");
    if (is_text) body.string(option, change->second);
    else body.raw(option, change->second);
  }
  return change_queue(client, {.method = "PUT", .target = queue_path(name), .body = body.end_object().take()});
}

/// A subcommand about one queue.
struct QueueCommand {
  CLI::App* app;
  std::shared_ptr<std::string> name = std::make_shared<std::string>();
  std::shared_ptr<ClientOptions> options;

  QueueCommand(CLI::App& group, const char* verb, const char* what) : app(group.add_subcommand(verb, what)) {
    app->add_option("queue", *name, "The queue's name")->required();
    options = add_client_options(*app);
    app->footer(fmt::format("Example:\n  semel queue {} mail", verb));
  }
};

void add_queue_set(CLI::App& group, int& exit_code) {
  const QueueCommand command(group, "set", "Change settings of a queue; \"default\" takes one back.");
  const auto changes = std::make_shared<QueueChanges>();
  const std::pair<const char*, const char*> options[] = {
      {"retention", "How long closed tasks are kept: 30d; 0 = not at all"},
      {"rate_limit", "How many attempts may begin: 100/sec, 500/min, 20/hour, none"},
      {"rate_burst", "How many of them at once after a rest"},
      {"max_running", "How many may run at once; 0 = no limit"},
      {"max_running_per_key", "How many with the same concurrency_key"},
      {"reuse", "When an identity may be used again: allow_duplicate_failed_only, reject_duplicate, allow_duplicate"},
      {"dedup_window", "How long an identity is held after closing: 24h, retention, forever"},
      {"target", "Where tasks are pushed to: https://…, cloudtasks://projects/…, none"},
      {"target_timeout", "How long one request to the target may take: 30s"},
      {"target_dedup_window", "How long the target remembers names: 24h"},
      {"heartbeat_timeout", "How long nothing may be heard of a task that the target has: 5m"},
      {"max_in_flight", "How many requests may be under way, of each server"}};
  for (const auto& [option, what] : options) {
    std::string flag = std::string("--") + option;
    std::replace(flag.begin(), flag.end(), '_', '-');
    command.app->add_option_function<std::string>(
        flag, [changes, name = std::string(option)](const std::string& text) { (*changes)[name] = text; }, what);
  }
  command.app->footer("Example:\n  semel queue set mail --rate-limit 100/sec --max-running 20");
  command.app->callback([command, changes, &exit_code] {
    if (changes->empty()) exit_code = refuse_usage("nothing to set; semel queue set --help lists the settings");
    else
      exit_code =
          run_client(*command.options, [&](Client& client) { return set_queue(client, *command.name, *changes); });
  });
}

void add_queue_list(CLI::App& group, int& exit_code) {
  CLI::App* command =
      group.add_subcommand("ls", "List the queues with open tasks, with settings, or with something in the last hour.");
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel queue ls");
  command->callback([options, &exit_code] { exit_code = run_client(*options, list_queues); });
}

void add_queue_get(CLI::App& group, int& exit_code) {
  const QueueCommand command(group, "get", "Show a queue's settings, how full it is and how much goes through it.");
  command.app->callback([command, &exit_code] {
    exit_code = run_client(*command.options, [&](Client& client) { return show_one_queue(client, *command.name); });
  });
}

void add_queue_pause(CLI::App& group, int& exit_code, const char* verb, const char* what) {
  const QueueCommand command(group, verb, what);
  command.app->callback([command, verb, &exit_code] {
    exit_code = run_client(*command.options, [&](Client& client) {
      return change_queue(client, {.method = "POST", .target = queue_path(*command.name) + "/" + verb, .body = "{}"});
    });
  });
}

void add_queue_purge(CLI::App& group, int& exit_code) {
  const QueueCommand command(group, "purge", "Cancel all tasks of a queue that nobody has begun.");
  const auto yes = std::make_shared<bool>(false);
  command.app->add_flag("--yes", *yes, "Do it; without it, only count");
  command.app->callback([command, yes, &exit_code] {
    exit_code = run_client(*command.options, [&](Client& client) {
      Query filter;
      filter.add("queue", *command.name).add("status", std::string("pending"));
      return run_bulk(client, {"cancel", "cancelled", "purging", std::move(filter), *yes});
    });
  });
}

}  // namespace

void add_queue(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("queue", "Show, limit, pause, resume and purge queues.");
  group->require_subcommand(1);
  add_queue_list(*group, exit_code);
  add_queue_get(*group, exit_code);
  add_queue_set(*group, exit_code);
  add_queue_pause(*group, exit_code, "pause", "Give out no more tasks of a queue; what runs goes on.");
  add_queue_pause(*group, exit_code, "resume", "Go on with a paused queue.");
  add_queue_purge(*group, exit_code);
  group->footer("Example:\n  semel queue ls");
}

}  // namespace semel::cli
