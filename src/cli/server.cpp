#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "server/run.hpp"

namespace semel::cli {

void add_server(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<server::Options>();
  CLI::App* command = app.add_subcommand("server", "Run the server on one SQLite file.");
  command->add_option("--listen", options->listen, "Address and port for HTTP; port 0 picks a free one")
      ->capture_default_str();
  command->add_option("--grpc-listen", options->grpc_listen, "Address and port for gRPC (not served yet)")
      ->capture_default_str();
  command->add_option("--store", options->store, "Where the state is kept: sqlite:FILE")->capture_default_str();
  command->add_option("--threads", options->threads, "HTTP threads; 0 = one a core")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  const std::map<std::string, log::Level> levels{{"debug", log::Level::debug},
                                                 {"info", log::Level::info},
                                                 {"warn", log::Level::warn},
                                                 {"error", log::Level::error},
                                                 {"off", log::Level::off}};
  command->add_option("--log-level", options->log_level, "debug, info, warn, error or off; info by default")
      ->transform(CLI::CheckedTransformer(levels, CLI::ignore_case));
  const std::map<std::string, log::Format> formats{{"text", log::Format::text}, {"json", log::Format::json}};
  command->add_option("--log-format", options->log_format, "text or json; text by default")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case));
  command->callback([options, &exit_code] { exit_code = server::run(*options); });
}

}  // namespace semel::cli
