#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

struct CancelOptions {
  std::string id;
  std::string why;
  bool force = false;
};

/// Not repeated: what a first try has cancelled is refused to a second one.
int run_cancel(Client& client, const CancelOptions& options) {
  json::Writer body;
  body.begin_object();
  if (options.force) body.boolean("force", true);
  if (!options.why.empty()) body.string("why", options.why);
  const HttpCall call{.method = "POST",
                      .target = "/v1/tasks/" + percent_encode(options.id) + "/cancel",
                      .body = body.end_object().take()};
  return client.finish(client.call(call, Repeat::never), [](const JsonView& answer) {
    if (answer["cancel_requested"].exists()) print("asked its worker to stop; it is open until that answers\n");
    else print(fmt::format("{}\n", printable(answer["status"].text())));
  });
}

}  // namespace

void add_cancel(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("cancel", "Cancel a task or a run, or ask its workers to stop.");
  auto cancel = std::make_shared<CancelOptions>();
  command->add_option("id", cancel->id, "The task's uuid")->required();
  command->add_flag("--force", cancel->force, "End it at once, without waiting for its worker; for administrators");
  command->add_option("--why", cancel->why, "For the history of a run");
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel cancel 019bddae-b818-7d82-b7c5-bd42e5db27fc");
  command->callback([options, cancel, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_cancel(client, *cancel); });
  });
}

}  // namespace semel::cli
