#pragma once
#include <filesystem>

#include "base/result.hpp"
#include "domain/template.hpp"

namespace semel::server {

/// Reads NAMESPACE/NAME.yaml (or .yml, .json), the last two parts of the path, as a template. A document without
/// `namespace` or `name` gets those of its path; others must have them. Refusals name the line where they can.
Result<domain::Template> read_template_file(const std::filesystem::path& file);

}  // namespace semel::server
