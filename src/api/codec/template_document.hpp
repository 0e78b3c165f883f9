#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/template.hpp"

namespace semel::codec {

/// Reads a template as YAML. Refusals (invalid_template) name the line and say what to change. The template's document
/// is the same content as canonical JSON, so that only a real change makes a new revision.
Result<domain::Template> decode_template_yaml(std::string_view text);

/// Reads a template as JSON: checked as strictly as a context, then as above.
Result<domain::Template> decode_template_json(std::string_view text);

}  // namespace semel::codec
