#pragma once
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "domain/workflow/step.hpp"

namespace semel::codec {

/// The member `when` of a step: one comparison, or a list of them.
Result<std::vector<domain::Condition>> conditions_of(const YAML::Node& node, const std::string& field);

/// The member `for_each` of a step.
Result<domain::ForEach> for_each_of(const YAML::Node& node, const std::string& field);

}  // namespace semel::codec
