#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/workflow/step.hpp"

namespace semel::domain {

/// The steps of a run as they are stored, once for all runs that have the same: JSON, always the same for the same
/// steps, so that its hash names it. What is as usual is left out.
std::string encode_steps(std::span<const Step> steps);

/// Nothing for a text that encode_steps() does not make, and for steps that do not fit together.
std::optional<std::vector<Step>> decode_steps(std::string_view text);

}  // namespace semel::domain
