#pragma once
#include <vector>

#include "base/error.hpp"
#include "domain/submission.hpp"
#include "engine/template_registry.hpp"

namespace semel::engine {

using Templates = std::vector<TemplateRegistry::Shared>;

/// The refusal of a submission whose template is not there: names the one that was probably meant, of those that the
/// caller may see (by namespace and name, newest version first).
Error missing_template(const domain::Submission& submission, const Templates& seen);

}  // namespace semel::engine
