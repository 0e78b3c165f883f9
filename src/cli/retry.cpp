#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

/// Not repeated: what a first try has opened is refused to a second one.
int run_retry(Client& client, const std::string& id) {
  const HttpCall call{.method = "POST", .target = "/v1/tasks/" + percent_encode(id) + "/retry", .body = "{}"};
  return client.finish(client.call(call, Repeat::never),
                       [](const JsonView& answer) { print(fmt::format("{}\n", printable(answer["status"].text()))); });
}

}  // namespace

void add_retry(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("retry", "Try a failed, cancelled or timed out task again.");
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "The task's uuid")->required();
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel retry 019bddae-b818-7d82-b7c5-bd42e5db27fc");
  command->callback([options, id, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_retry(client, *id); });
  });
}

}  // namespace semel::cli
