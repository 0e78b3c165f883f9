#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>
#include <string_view>
#include <vector>

#include "cli/client/exit_code.hpp"
#include "cli/commands.hpp"
#include "cli/usage.hpp"

namespace {

constexpr const char* version = "semel " SEMEL_VERSION;

/// Cuts `semel work … -- COMMAND` in two. The parser does not see the command: it would take arguments of it apart.
std::vector<std::string> cut_off_command(int& argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "work") return {};
  char** const end = argv + argc;
  char** const mark = std::find(argv, end, std::string_view("--"));
  if (mark == end) return {};
  argc = static_cast<int>(mark - argv);
  return {mark + 1, end};
}

struct Command {
  std::string_view name;
  std::function<void(CLI::App&, int&)> add;
};

/// In the order in which the help shows them.
std::vector<Command> all_commands(const std::vector<std::string>& handler) {
  using namespace semel::cli;
  const auto add_worker = [&handler](CLI::App& app, int& exit_code) { add_work(app, exit_code, handler); };
  return {{"server", add_server},     {"config", add_config},   {"submit", add_submit},
          {"get", add_get},           {"ls", add_ls},           {"result", add_result},
          {"cancel", add_cancel},     {"retry", add_retry},     {"resolve", add_resolve},
          {"graph", add_graph},       {"history", add_history}, {"workflow", add_workflow},
          {"promise", add_promise},   {"find", add_find},       {"redispatch", add_redispatch},
          {"work", add_worker},       {"explain", add_explain}, {"template", add_template},
          {"bulk", add_bulk},         {"dead", add_dead},       {"queue", add_queue},
          {"schedule", add_schedule}, {"key", add_key},         {"audit", add_audit},
          {"backup", add_backup},     {"restore", add_restore}, {"migrate", add_migrate},
          {"store", add_store},       {"export", add_export},   {"query", add_query},
          {"doctor", add_doctor},     {"bench", add_bench}};
}

/// Only the command that is asked for is made: to make all of them takes longer than what most of them do. The help,
/// the scripts of completion, and the answer to a word that is no command tell of all.
void add_commands(CLI::App& app, int& exit_code, std::string_view word, const std::vector<std::string>& handler) {
  const std::vector<Command> commands = all_commands(handler);
  if (const auto asked_for = std::ranges::find(commands, word, &Command::name); asked_for != commands.end()) {
    asked_for->add(app, exit_code);
    return;
  }
  for (const Command& command : commands) command.add(app, exit_code);
  semel::cli::add_completion(app, exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Semel runs durable tasks, and makes sure that what should happen once happens once."};
  app.name("semel");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.failure_message(semel::cli::explain_usage);
  app.footer("semel COMMAND --help tells more, with examples.");
  int exit_code = 0;
  const std::vector<std::string> handler = cut_off_command(argc, argv);
  add_commands(app, exit_code, argc > 1 ? argv[1] : "", handler);
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
