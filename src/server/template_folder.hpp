#pragma once
#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "domain/template.hpp"
#include "engine/engine.hpp"

namespace semel::server {

/// Reads the templates FOLDER/NAMESPACE/NAME.yaml (or .yml, .json). What a document does not say of its namespace and
/// name is taken from its path; what it says must agree with it. Other files are left alone, and so is what begins with
/// a dot. Refuses with a line for each problem, which names the file and, where there is one, the line.
Result<std::vector<domain::Template>> read_template_folder(const std::filesystem::path& folder);

/// Puts them all in the default tenant and waits until they are durable.
Result<void> put_templates(engine::Engine& engine, std::vector<domain::Template> templates);

}  // namespace semel::server
