#include "cli/workflow.hpp"

#include <CLI/CLI.hpp>

#include "base/json/canonical.hpp"
#include "base/json/writer.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "cli/submission_options.hpp"

namespace semel::cli {
namespace {

void add_if(Table& facts, const char* name, const std::string& text) {
  if (!text.empty()) facts.add({{name, Color::faint}, text});
}

void show_workflow(const Client& client, const JsonView& workflow) {
  Table facts;
  add_if(facts, "workflow", workflow["workflow_execution_id"].text());
  add_if(facts, "workflow_id", workflow["workflow_id"].text());
  add_if(facts, "kind", workflow["kind"].text());
  if (workflow["status"].exists()) facts.add({{"status", Color::faint}, Client::status(workflow["status"])});
  add_if(facts, "says", std::string(workflow["custom_status"].raw()));
  add_if(facts, "queue", workflow["queue"].text());
  add_if(facts, "parent", workflow["run_id"].text());
  for (const char* time : {"created_at", "run_at", "started_at", "closed_at", "deadline"})
    add_if(facts, time, client.time(workflow[time]));
  if (workflow["cancel_requested"].exists()) add_if(facts, "cancelling", "asked for; what runs has not answered yet");
  add_if(facts, "input", std::string(workflow["input"].raw()));
  for (const JsonView& timer : workflow["timers"].elements())
    add_if(facts, "timer", "#" + timer["command"].text() + " at " + client.time(timer["fire_at"]));
  add_if(facts, "open children", workflow["open_children"].text());
  add_if(facts, "events", workflow["history_length"].text());
  add_if(facts, "result", std::string(workflow["result"].raw()));
  add_if(facts, "error", std::string(workflow["error"].raw()));
  if (workflow["held"].exists()) {
    add_if(facts, "held", workflow["held"].text());
    add_if(facts, "holder", workflow["holder"]["execution_id"].text());
    add_if(facts, "window", workflow["holder"]["window"].text());
  }
  client.print_table(facts);
}

std::string workflow_id_target(const std::string& workflow_id) {
  Query query;
  query.add("workflow_id", workflow_id);
  return "/v1/workflows" + query.text();
}

void add_workflow_get(CLI::App& group, int& exit_code) {
  const WorkflowCommand command(group, "get", "Show a workflow: its state, what its code says, what it waits for.");
  command.app->callback([command, &exit_code] {
    if (command.id->empty() && *command.workflow_id) {
      exit_code = run_client(*command.options, [&](Client& client) {
        return client.finish(client.call({.target = workflow_id_target(**command.workflow_id)}),
                             [&](const JsonView& found) { show_workflow(client, found); });
      });
      return;
    }
    exit_code = command.run([](Client& client, const std::string& id) {
      return client.finish(client.call({.target = workflow_path(id)}),
                           [&](const JsonView& workflow) { show_workflow(client, workflow); });
    });
  });
}

struct WorkflowCancel {
  bool force = false;
  std::string why;
};

/// Not repeated: what a first try has cancelled is refused to a second one.
int cancel_workflow(Client& client, const std::string& id, const WorkflowCancel& cancel) {
  json::Writer body;
  body.begin_object();
  if (cancel.force) body.boolean("force", true);
  if (!cancel.why.empty()) body.string("why", cancel.why);
  const HttpCall call{.method = "POST", .target = workflow_path(id) + "/cancel", .body = body.end_object().take()};
  return client.finish(client.call(call, Repeat::never), [](const JsonView& answer) {
    if (answer["cancel_requested"].exists()) print("asked to stop; it is open until what runs has answered\n");
    else print(fmt::format("{}\n", printable(answer["status"].text())));
  });
}

void add_workflow_cancel(CLI::App& group, int& exit_code) {
  const WorkflowCommand command(group, "cancel", "Cancel a workflow, and what it has begun.");
  auto cancel = std::make_shared<WorkflowCancel>();
  command.app->add_flag("--force", cancel->force, "End it at once, without waiting for workers; for administrators");
  command.app->add_option("--why", cancel->why, "For the history");
  command.app->callback([command, cancel, &exit_code] {
    exit_code =
        command.run([&](Client& client, const std::string& id) { return cancel_workflow(client, id, *cancel); });
  });
}

}  // namespace

WorkflowCommand::WorkflowCommand(CLI::App& group, const char* verb, const char* what)
    : app(group.add_subcommand(verb, what)) {
  CLI::Option* by_id = app->add_option("id", *id, "The workflow's uuid");
  app->add_option("--workflow-id", *workflow_id, "Or the workflow_id that it was started with")->excludes(by_id);
  options = add_client_options(*app);
  app->footer(fmt::format("Example:\n  semel workflow {} --workflow-id order-7", verb));
}

int WorkflowCommand::run(const std::function<int(Client&, const std::string& id)>& act) const {
  if (id->empty() && !*workflow_id) return refuse_usage("give the uuid of a workflow, or --workflow-id");
  return run_client(*options, [&](Client& client) {
    if (!id->empty()) return act(client, *id);
    const Result<HttpReply> found = client.call({.target = workflow_id_target(**workflow_id)});
    if (!found || found->status != 200) return client.fail(found);
    return act(client, JsonView::parse(found->body)["holder"]["execution_id"].text());
  });
}

std::string workflow_path(const std::string& id) { return "/v1/workflows/" + percent_encode(id); }

Result<std::string> read_json_option(std::string_view option, const std::string& text) {
  Result<std::string> value = text == "-" ? read_file("-") : Result<std::string>(text);
  if (!value) return value;
  if (const Result<std::string> canonical = json::canonicalize(*value); !canonical)
    return bad_request("{}: it is not JSON that can be sent: {}", option, canonical.error().message);
  return value;
}

void add_workflow(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("workflow", "Start workflows that are written as code, and talk to them.");
  group->require_subcommand(1);
  add_workflow_start(*group, exit_code);
  add_workflow_get(*group, exit_code);
  add_workflow_list(*group, exit_code);
  add_workflow_history(*group, exit_code);
  add_workflow_signal(*group, exit_code);
  add_workflow_cancel(*group, exit_code);
  add_workflow_replay(*group, exit_code);
  group->footer("Example:\n  semel workflow start process_order --workflow-id order-7 --input '{\"order\": 7}'");
}

}  // namespace semel::cli
