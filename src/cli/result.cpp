#include <CLI/CLI.hpp>

#include "cli/client/query.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "cli/submit.hpp"

namespace semel::cli {
namespace {

struct ResultOptions {
  std::shared_ptr<ClientOptions> client;
  std::string id;
  std::string wait = "0";
};

int run_result(Client& client, const ResultOptions& options, Duration wait) {
  const Result<HttpReply> reply = await_result(client, percent_encode(options.id), wait);
  const int shown = client.finish(reply, [&](const JsonView& answer) {
    const std::string status = answer["status"].text();
    if (status != "completed") print(paint(printable(status), color_of_status(status), client.colored()) + "\n");
    show_outcome(client, answer);
  });
  if (shown != exit_code::ok) return shown;
  return exit_code_of_state(JsonView::parse(reply->body)["status"].text());
}

}  // namespace

void add_result(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("result", "Print the result of a task, and wait for it if asked to.");
  auto options = std::make_shared<ResultOptions>();
  command->add_option("id", options->id, "The task's uuid")->required();
  command->add_option("--wait", options->wait, "How long to wait for the end of the task: 30s");
  options->client = add_client_options(*command);
  command->footer("Example:\n  semel result 019bddae-b818-7d82-b7c5-bd42e5db27fc --wait 5m");
  command->callback([options, &exit_code] {
    const Result<Duration> wait = read_duration("--wait", options->wait);
    if (!wait) exit_code = refuse_usage(wait.error().message);
    else exit_code = run_client(*options->client, [&](Client& client) { return run_result(client, *options, *wait); });
  });
}

}  // namespace semel::cli
