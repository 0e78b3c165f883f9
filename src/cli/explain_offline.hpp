#pragma once
#include <string>

#include "base/result.hpp"

namespace semel::cli {

/// The identity that a submission (its body, without a name) of the template in `file` has in a tenant, by what the
/// server itself uses: the members of the server's explain that need no store, and `canonical_context`.
Result<std::string> explain_offline(const std::string& file, const std::string& tenant, const std::string& body);

}  // namespace semel::cli
