#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <initializer_list>
#include <string_view>

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

void add_commands(CLI::App& app, int& exit_code, const std::vector<std::string>& handler) {
  using namespace semel::cli;
  using Add = void (*)(CLI::App&, int&);
  const auto add_all = [&](std::initializer_list<Add> functions) {
    for (const Add add : functions) add(app, exit_code);
  };
  add_all({add_server, add_config, add_submit, add_get, add_ls, add_result, add_cancel, add_retry, add_resolve,
           add_graph, add_history, add_workflow, add_promise, add_find, add_redispatch});
  add_work(app, exit_code, handler);
  add_all({add_explain, add_template, add_bulk, add_dead, add_queue, add_schedule, add_key, add_audit, add_backup,
           add_restore, add_migrate, add_store, add_export, add_query, add_doctor, add_bench});
  add_completion(app, exit_code);
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
  add_commands(app, exit_code, cut_off_command(argc, argv));
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
