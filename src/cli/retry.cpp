#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

struct RetryOptions {
  std::string id;
  std::vector<std::string> steps;
  std::string why;
};

std::string retry_body(const RetryOptions& options) {
  json::Writer body;
  body.begin_object();
  if (!options.steps.empty()) {
    body.key("steps").begin_array();
    for (const std::string& step : options.steps) body.string(step);
    body.end_array();
  }
  if (!options.why.empty()) body.string("why", options.why);
  return body.end_object().take();
}

/// Not repeated: what a first try has opened is refused to a second one.
int run_retry(Client& client, const RetryOptions& options) {
  const HttpCall call{
      .method = "POST", .target = "/v1/tasks/" + percent_encode(options.id) + "/retry", .body = retry_body(options)};
  return client.finish(client.call(call, Repeat::never),
                       [](const JsonView& answer) { print(fmt::format("{}\n", printable(answer["status"].text()))); });
}

}  // namespace

void add_retry(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("retry", "Try a failed, cancelled or timed out task again, or steps of a run.");
  auto retry = std::make_shared<RetryOptions>();
  command->add_option("id", retry->id, "The uuid of the task or the run")->required();
  command->add_option("--step", retry->steps, "Only this step of the run; may be repeated; all that failed if absent")
      ->allow_extra_args(false);
  command->add_option("--why", retry->why, "For the history of a run");
  const auto options = add_client_options(*command);
  command->footer(
      "Examples:\n"
      "  semel retry 019bddae-b818-7d82-b7c5-bd42e5db27fc\n"
      "  semel retry 019bddae-b818-7d82-b7c5-bd42e5db27fc --step charge --why 'the bank is back'");
  command->callback([options, retry, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_retry(client, *retry); });
  });
}

}  // namespace semel::cli
