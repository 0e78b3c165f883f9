#pragma once
#include <cstdint>

#include "domain/workflow/code/facts.hpp"

namespace semel::domain::code {

/// So many open children were cut loose (Decision::cancel_all): an open workflow does not count them any more. How many
/// they are is known only then: those that the same answer has made are among them, but for the ones that a held key
/// has failed. A workflow that is being cancelled has left them out before, to know whether anything is left.
void cut_loose(Facts& facts, std::int64_t children);

}  // namespace semel::domain::code
