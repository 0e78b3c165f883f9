#pragma once
#include <source_location>

namespace semel {

/// Always on, in release builds too: a broken invariant stops the process before it can reach the disk.
void ensure(bool holds, std::source_location at = std::source_location::current());

}  // namespace semel
