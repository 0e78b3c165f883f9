#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

/// Not repeated: what a first try has cancelled is refused to a second one.
int run_cancel(Client& client, const std::string& id, bool force) {
  const std::string body = force ? R"({"force":true})" : "{}";
  const HttpCall call{.method = "POST", .target = "/v1/tasks/" + percent_encode(id) + "/cancel", .body = body};
  return client.finish(client.call(call, Repeat::never), [](const JsonView& answer) {
    if (answer["cancel_requested"].exists()) print("asked its worker to stop; the task is open until that answers\n");
    else print(fmt::format("{}\n", printable(answer["status"].text())));
  });
}

}  // namespace

void add_cancel(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("cancel", "Cancel a task, or ask its worker to stop.");
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "The task's uuid")->required();
  auto force = std::make_shared<bool>(false);
  command->add_flag("--force", *force, "End it at once, without waiting for its worker; for administrators");
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel cancel 019bddae-b818-7d82-b7c5-bd42e5db27fc");
  command->callback([options, id, force, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_cancel(client, *id, *force); });
  });
}

}  // namespace semel::cli
