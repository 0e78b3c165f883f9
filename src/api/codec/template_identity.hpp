#pragma once
#include <yaml-cpp/yaml.h>

#include <string_view>

#include "base/result.hpp"
#include "domain/template.hpp"

namespace semel::codec {

/// The member `identity` of a template.
Result<void> read_identity(const YAML::Node& node, domain::IdentitySettings& identity);

Result<domain::Strategy> strategy_of(const YAML::Node& node, std::string_view field);

}  // namespace semel::codec
