#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/load.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace semel::cli {

/// The flags of a command that needs the server's configuration: --config, and one for each setting. Copies share what
/// was parsed.
class SettingFlags {
 public:
  explicit SettingFlags(CLI::App& command);

  /// The configuration of these flags, this process's environment, and the file.
  Result<config::Loaded> load() const;

 private:
  std::shared_ptr<std::string> file_ = std::make_shared<std::string>();
  std::vector<std::pair<const config::Setting*, CLI::Option*>> options_;  // the command owns them
};

}  // namespace semel::cli
