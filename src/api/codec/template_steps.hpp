#pragma once
#include <yaml-cpp/yaml.h>

#include "base/result.hpp"
#include "domain/template.hpp"

namespace semel::codec {

/// The member `steps` of a template. All else of the template has been read: it holds for each step that says nothing
/// itself. Steps that do not fit together (a circle, a name that is not there) are refused too.
Result<void> read_steps(const YAML::Node& node, domain::Template& template_);

}  // namespace semel::codec
