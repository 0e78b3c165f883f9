#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

/// Mermaid as it came, or the JSON.
int run_graph(Client& client, const std::string& id) {
  const std::string target = "/v1/tasks/" + percent_encode(id) + "/graph";
  const Result<HttpReply> reply = client.call({.target = client.json() ? target : target + "?format=mermaid"});
  if (!reply || reply->status != 200) return client.fail(reply);
  print(client.json() ? reply->body + "\n" : reply->body);
  return exit_code::ok;
}

}  // namespace

void add_graph(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("graph", "Draw the steps of a run, as a flow chart for Mermaid.");
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "The run's uuid")->required();
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel graph 019bddae-b818-7d82-b7c5-bd42e5db27fc > run.mmd");
  command->callback([options, id, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_graph(client, *id); });
  });
}

}  // namespace semel::cli
