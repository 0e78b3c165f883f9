#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "cli/workflow.hpp"

namespace semel::cli {
namespace {

struct SignalOptions {
  std::string name;
  std::optional<std::string> value, key;
};

/// Repeated only with a key: without one, a second try would be a second signal.
int signal_workflow(Client& client, const std::string& id, const SignalOptions& options) {
  json::Writer body;
  body.begin_object().string("name", options.name);
  if (options.value) {
    const Result<std::string> value = read_json_option("--value", *options.value);
    if (!value) return refuse_usage(value.error().message);
    body.raw("value", *value);
  }
  if (options.key) body.string("key", *options.key);
  const HttpCall call{.method = "POST", .target = workflow_path(id) + "/signal", .body = body.end_object().take()};
  return client.finish(client.call(call, options.key ? Repeat::safe : Repeat::never), [](const JsonView& answer) {
    print(answer["already_received"].text() == "true" ? "received before\n" : "received\n");
  });
}

}  // namespace

void add_workflow_signal(CLI::App& group, int& exit_code) {
  const WorkflowCommand command(group, "signal", "Tell a workflow something.");
  auto signal = std::make_shared<SignalOptions>();
  command.app->add_option("--name", signal->name, "Which signal its code asks for")->required();
  command.app->add_option("--value", signal->value, "What is told, as JSON; - reads it, null if absent");
  command.app->add_option("--signal-key", signal->key, "With one, the same is told once");
  command.app->footer("Example:\n  semel workflow signal --workflow-id order-7 --name note --value '\"ring twice\"'");
  command.app->callback([command, signal, &exit_code] {
    exit_code =
        command.run([&](Client& client, const std::string& id) { return signal_workflow(client, id, *signal); });
  });
}

}  // namespace semel::cli
