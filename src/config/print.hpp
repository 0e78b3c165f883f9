#pragma once
#include <string>

#include "config/load.hpp"

namespace semel::config {

/// Every value and where it came from: a TOML file with comments, which can be read again.
std::string to_toml(const Loaded& loaded);
/// The same as one JSON object: {"listen":{"value":"127.0.0.1:7420","from":"default"},…}.
std::string to_json(const Loaded& loaded);
/// The setting's line of the table in docs/reference/configuration.md.
std::string to_markdown(const Setting& setting);

}  // namespace semel::config
