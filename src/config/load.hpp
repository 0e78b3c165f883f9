#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "config/setting.hpp"

namespace semel::config {

/// Where values come from; what comes later wins.
struct Sources {
  std::optional<std::filesystem::path> file;
  std::map<std::string, std::string> environment;             // all of it
  std::vector<std::pair<const Setting*, std::string>> flags;  // and their values
};

/// What the file says about a queue: "queues.mail.rate_limit".
struct QueueValue {
  std::string path;
  std::string toml;  // the value as it is written there
  std::string origin;
};

/// A good configuration, and where each value came from.
struct Loaded {
  server::Options options;
  std::vector<std::string> origins;  // of settings(): "default", "semel.toml:3", "SEMEL_LISTEN" or "--listen"
  std::vector<QueueValue> queues{};
};

/// Refuses with a line for each problem, which names the file and line, the variable or the flag.
Result<Loaded> load(const Sources& sources);

/// Variables that begin with SEMEL_ and are no settings of the server, its secrets among them; so are all that begin
/// with SEMEL_TASK_.
std::span<const std::string_view> foreign_variables();

}  // namespace semel::config
