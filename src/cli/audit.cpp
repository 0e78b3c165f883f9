#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

struct AuditOptions {
  std::shared_ptr<ClientOptions> client;
  int limit = 50;
  std::optional<std::string> cursor;
};

int run_audit(Client& client, const AuditOptions& options) {
  Query query;
  query.add("limit", std::to_string(options.limit)).add("cursor", options.cursor);
  return client.finish(client.call({.target = "/v1/audit" + query.text()}), [&](const JsonView& answer) {
    Table table({"SEQ", "AT", "ACTOR", "ACTION", "SUBJECT"});
    for (const JsonView& entry : answer["entries"].elements()) {
      table.add({entry["seq"].text(), client.time(entry["at"]), entry["actor"].text(), entry["action"].text(),
                 entry["subject"].text()});
    }
    if (table.empty()) print("no entries\n");
    else client.print_table(table);
    if (answer["next_cursor"].exists())
      print(fmt::format("more: --cursor {}\n", printable(answer["next_cursor"].text())));
  });
}

}  // namespace

void add_audit(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("audit", "Show who did what as an administrator.");
  auto options = std::make_shared<AuditOptions>();
  command->add_option("--limit", options->limit, "How many at most")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--cursor", options->cursor, "Where the list before ended");
  options->client = add_client_options(*command);
  command->footer("Example:\n  semel audit --limit 20");
  command->callback([options, &exit_code] {
    exit_code = run_client(*options->client, [&](Client& client) { return run_audit(client, *options); });
  });
}

}  // namespace semel::cli
