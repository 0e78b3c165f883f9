#include <CLI/CLI.hpp>
#include <exception>

#include "cli/commands.hpp"

namespace {

constexpr const char* version = "semel " SEMEL_VERSION;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Semel runs durable tasks, and makes sure that what should happen once happens once."};
  app.name("semel");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  int exit_code = 0;
  semel::cli::add_server(app, exit_code);
  semel::cli::add_config(app, exit_code);
  semel::cli::add_bench(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "semel: %s\n", error.what());
    return 1;
  }
  return exit_code;
}
