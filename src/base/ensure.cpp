#include "base/ensure.hpp"

#include <cstdio>
#include <cstdlib>

namespace semel {

void ensure(bool holds, std::source_location at) {
  if (holds) return;
  std::fprintf(stderr, "semel: invariant broken at %s:%u in %s\n", at.file_name(), at.line(), at.function_name());
  std::abort();
}

}  // namespace semel
