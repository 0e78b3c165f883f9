#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/settings.hpp"
#include "server/run.hpp"

namespace semel::cli {

void add_server(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("server", "Run the server, on one SQLite file or a PostgreSQL that many servers share.");
  command->callback([settings = SettingFlags(*command), &exit_code] {
    const Result<config::Loaded> loaded = settings.load();
    exit_code = loaded ? server::run(loaded->options) : server::refuse_to_start(loaded.error().message);
  });
}

}  // namespace semel::cli
