#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/settings.hpp"
#include "config/print.hpp"
#include "server/run.hpp"

namespace semel::cli {
namespace {

int print_settings(const SettingFlags& settings, bool is_json) {
  const Result<config::Loaded> loaded = settings.load();
  if (!loaded) return server::refuse_to_start(loaded.error().message);
  std::fputs((is_json ? config::to_json(*loaded) + "\n" : config::to_toml(*loaded)).c_str(), stdout);
  return 0;
}

int check_settings(const SettingFlags& settings) {
  const Result<config::Loaded> loaded = settings.load();
  if (!loaded) return server::refuse_to_start(loaded.error().message);
  std::puts("the configuration is good");
  return 0;
}

}  // namespace

void add_config(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("config", "Show or check the server's configuration.");
  command->require_subcommand(1);
  CLI::App* printing = command->add_subcommand("print", "Print every setting, its value and where it came from.");
  const auto is_json = std::make_shared<bool>(false);
  printing->add_flag("--json", *is_json, "One JSON object");
  printing->callback(
      [settings = SettingFlags(*printing), is_json, &exit_code] { exit_code = print_settings(settings, *is_json); });
  CLI::App* checking = command->add_subcommand("check", "Say what is wrong with the configuration, if anything.");
  checking->callback([settings = SettingFlags(*checking), &exit_code] { exit_code = check_settings(settings); });
}

}  // namespace semel::cli
