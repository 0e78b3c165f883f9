#pragma once
#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel::codec {

/// The only document of a text; an empty one is null. Refuses (invalid_template) what is not printable UTF-8, since the
/// parser would take it for another encoding or never come to its end, what is no YAML, and a second document.
Result<YAML::Node> load_yaml(std::string_view text);

/// A YAML tree as JSON text (not yet canonical). Plain scalars become null, booleans or numbers where YAML's core
/// schema and JSON agree on them, else strings; what is quoted is a string. Keys must be scalars and different; depth
/// is bounded; an alias counts as what it stands for, so that a small document cannot unfold into a huge one.
Result<std::string> yaml_to_json(const YAML::Node& root);

}  // namespace semel::codec
