#include "cli/usage.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "base/nearest.hpp"

namespace semel::cli {
namespace {

std::string with_guess(std::string message, std::string_view wrong, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (const auto meant = nearest(wrong, known)) message += fmt::format("; did you mean {}?", *meant);
  return message;
}

std::string unknown_command(const CLI::App& app, const std::string& wrong) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return with_guess(fmt::format("there is no command '{}'", wrong), wrong, names);
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// Whether this command or one below it takes the option.
bool takes(const CLI::App& command, const std::string& option) {
  const std::vector<std::string> names = options_of(command);
  if (std::ranges::find(names, option) != names.end()) return true;
  const auto below = command.get_subcommands([](const CLI::App*) { return true; });
  return std::ranges::any_of(below, [&](const CLI::App* each) { return takes(*each, option); });
}

std::string unknown_option(const CLI::App& command, const std::string& wrong) {
  const std::string name = wrong.substr(0, wrong.find('='));
  if (takes(command, name)) return fmt::format("{} must come after the command", name);
  return with_guess(fmt::format("there is no option {}", name), name, options_of(command));
}

bool is_option(const std::string& argument) { return argument.size() > 1 && argument.front() == '-'; }

/// A word where a command is missing comes first: what follows it was for that. Then an option that is not known: its
/// value was taken for something else, and what the parser says of that leads astray.
std::string what_is_wrong(const CLI::App& app, const CLI::App& command, const CLI::Error& error) {
  const std::vector<std::string> left = app.remaining(true);
  const bool lacks_command = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (lacks_command && !left.empty() && !is_option(left.front())) return unknown_command(command, left.front());
  const auto option = std::ranges::find_if(left, is_option);
  if (option != left.end()) return unknown_option(command, *option);
  if (!app.remaining().empty()) return unknown_command(app, app.remaining().front());
  return error.what();
}

}  // namespace

std::string explain_usage(const CLI::App* app, const CLI::Error& error) {
  const CLI::App* command = app;
  std::string path = app->get_name();
  for (auto chosen = app->get_subcommands(); !chosen.empty(); chosen = command->get_subcommands()) {
    command = chosen.front();
    path += " " + command->get_name();
  }
  const bool has_nothing = command == app && app->remaining().empty();
  const std::string text = "semel: " + what_is_wrong(*app, *command, error) + "\n";
  if (has_nothing) return text + app->help();
  return text + "Try: " + (app->remaining().empty() || command != app ? path : app->get_name()) + " --help\n";
}

}  // namespace semel::cli
