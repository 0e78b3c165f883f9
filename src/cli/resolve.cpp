#include <CLI/CLI.hpp>

#include "base/json/canonical.hpp"
#include "base/json/writer.hpp"
#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

struct ResolveOptions {
  std::string id;
  std::string step;
  std::string result;
  std::string why;
};

/// Not repeated: what a first try has resolved is refused to a second one.
int run_resolve(Client& client, const ResolveOptions& options) {
  if (const Result<std::string> good = json::canonicalize(options.result); !good)
    return refuse_usage("--result must be JSON: " + good.error().message);
  json::Writer body;
  body.begin_object().raw("result", options.result);
  if (!options.why.empty()) body.string("why", options.why);
  const std::string target =
      "/v1/tasks/" + percent_encode(options.id) + "/steps/" + percent_encode(options.step) + "/resolve";
  return client.finish(
      client.call({.method = "POST", .target = target, .body = body.end_object().take()}, Repeat::never),
      [](const JsonView& answer) { print(fmt::format("{}\n", printable(answer["status"].text()))); });
}

}  // namespace

void add_resolve(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("resolve", "Give a blocked step of a run its result; for administrators.");
  auto resolve = std::make_shared<ResolveOptions>();
  command->add_option("id", resolve->id, "The run's uuid")->required();
  command->add_option("step", resolve->step, "The name of the step")->required();
  command->add_option("--result", resolve->result, "What it would have returned, as JSON")->required();
  command->add_option("--why", resolve->why, "For the history of the run");
  const auto options = add_client_options(*command);
  command->footer(
      "Example:\n"
      "  semel resolve 019bddae-b818-7d82-b7c5-bd42e5db27fc charge --result '{\"paid\": \"in cash\"}' --why 'by "
      "phone'");
  command->callback([options, resolve, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_resolve(client, *resolve); });
  });
}

}  // namespace semel::cli
