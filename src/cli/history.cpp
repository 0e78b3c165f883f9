#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

struct HistoryOptions {
  std::string id;
  std::optional<std::string> cursor;
  int limit = 100;
};

int run_history(Client& client, const HistoryOptions& options) {
  Query query;
  query.add("limit", std::to_string(options.limit)).add("cursor", options.cursor);
  const std::string target = "/v1/tasks/" + percent_encode(options.id) + "/history" + query.text();
  return client.finish(client.call({.target = target}), [&](const JsonView& answer) {
    Table table({"SEQ", "AT", "WHAT", "STEP", "DETAIL"});
    for (const JsonView& event : answer["events"].elements()) {
      table.add({event["sequence"].text(), client.time(event["at"]), event["kind"].text(), event["task_key"].text(),
                 shorten(event["detail"].text(), 80)});
    }
    if (table.empty()) print("no events\n");
    else client.print_table(table);
    if (answer["next_cursor"].exists())
      print(fmt::format("more: --cursor {}\n", printable(answer["next_cursor"].text())));
  });
}

}  // namespace

void add_history(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("history", "Show what happened in a run, in order.");
  auto history = std::make_shared<HistoryOptions>();
  command->add_option("id", history->id, "The run's uuid")->required();
  command->add_option("--limit", history->limit, "How many at most")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--cursor", history->cursor, "Where the page before ended");
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel history 019bddae-b818-7d82-b7c5-bd42e5db27fc");
  command->callback([options, history, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_history(client, *history); });
  });
}

}  // namespace semel::cli
