#include <CLI/CLI.hpp>
#include <exception>

#include "cli/client/exit_code.hpp"
#include "cli/commands.hpp"

namespace {

constexpr const char* version = "semel " SEMEL_VERSION;

void add_commands(CLI::App& app, int& exit_code) {
  using namespace semel::cli;
  for (const auto add :
       {add_server, add_config, add_submit, add_get, add_ls, add_result, add_cancel, add_retry, add_explain,
        add_template, add_key, add_audit, add_backup, add_restore, add_doctor, add_bench, add_completion}) {
    add(app, exit_code);
  }
}

/// What is wrong, and where the help for it is. Without any command, the help itself.
std::string explain_usage(const CLI::App* app, const CLI::Error& error) {
  const bool has_command = !app->get_subcommands().empty();
  if (!has_command && !app->remaining().empty())
    return "semel: there is no command '" + app->remaining().front() + "'\nTry: semel --help\n";
  if (!has_command) return std::string("semel: ") + error.what() + "\n" + app->help();
  std::string command = app->get_name();
  for (auto chosen = app->get_subcommands(); !chosen.empty(); chosen = chosen.front()->get_subcommands())
    command += " " + chosen.front()->get_name();
  return std::string("semel: ") + error.what() + "\nTry: " + command + " --help\n";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Semel runs durable tasks, and makes sure that what should happen once happens once."};
  app.name("semel");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.failure_message(explain_usage);
  app.footer("semel COMMAND --help tells more, with examples.");
  int exit_code = 0;
  add_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : semel::cli::exit_code::wrong_usage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "semel: %s\n", error.what());
    return semel::cli::exit_code::failed;
  }
  return exit_code;
}
