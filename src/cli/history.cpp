#include "cli/history.hpp"

#include <CLI/CLI.hpp>

#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {

std::shared_ptr<PageOptions> add_page_options(CLI::App& command) {
  auto page = std::make_shared<PageOptions>();
  command.add_option("--limit", page->limit, "How many at most")->check(CLI::Range(1, 1000))->capture_default_str();
  command.add_option("--cursor", page->cursor, "Where the page before ended");
  return page;
}

int show_history(Client& client, const std::string& path, const PageOptions& page) {
  Query query;
  query.add("limit", std::to_string(page.limit)).add("cursor", page.cursor);
  return client.finish(client.call({.target = path + query.text()}), [&](const JsonView& answer) {
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

void add_history(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("history", "Show what happened in a run, in order.");
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "The run's uuid")->required();
  const auto page = add_page_options(*command);
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel history 019bddae-b818-7d82-b7c5-bd42e5db27fc");
  command->callback([options, id, page, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) {
      return show_history(client, "/v1/tasks/" + percent_encode(*id) + "/history", *page);
    });
  });
}

}  // namespace semel::cli
