#include "cli/settings.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

namespace semel::cli {
namespace {

constexpr const char* default_file = "semel.toml";

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

/// Wrong types are wrong usage; everything else is found when the configuration is loaded.
CLI::Option* add_flag(CLI::App& command, const config::Setting& setting) {
  const std::string description(setting.description);
  CLI::Option* option = nullptr;
  if (setting.form() == config::Form::boolean) {
    option = command.add_flag(setting.flag(), description);
  } else {
    option = command.add_option(setting.flag(), description)->expected(1);
    option->type_name(setting.form() == config::Form::number ? "NUMBER" : "TEXT");
  }
  option->default_str(setting.text_in({}))->check([&setting](const std::string& text) {
    server::Options scratch;
    const Result<void> set = setting.set(scratch, text);
    return set ? std::string() : set.error().message;
  });
  return option;
}

}  // namespace

SettingFlags::SettingFlags(CLI::App& command) {
  command.add_option("--config", *file_, "File of settings; ./semel.toml by default, if it is there");
  for (const config::Setting& setting : config::settings()) {
    options_.emplace_back(&setting, add_flag(command, setting));
  }
}

Result<config::Loaded> SettingFlags::load() const {
  config::Sources sources;
  if (!file_->empty()) sources.file = *file_;
  else if (std::filesystem::exists(default_file)) sources.file = default_file;
  sources.environment = environment();
  for (const auto& [setting, option] : options_) {
    if (option->count() > 0) sources.flags.emplace_back(setting, option->results().back());
  }
  return config::load(sources);
}

}  // namespace semel::cli
