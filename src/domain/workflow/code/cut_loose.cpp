#include "domain/workflow/code/cut_loose.hpp"

namespace semel::domain::code {

void cut_loose(Facts& facts, std::int64_t children) {
  if (facts.phase == RunPhase::open) facts.open_children -= children;
}

}  // namespace semel::domain::code
