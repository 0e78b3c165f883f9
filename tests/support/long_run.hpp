#pragma once
#include <cstdlib>
#include <string_view>

namespace semel::test {

/// Whether this is a run of script/test --long, which has time for more.
inline bool is_long_run() {
  const char* const said = std::getenv("SEMEL_LONG");
  return said != nullptr && std::string_view(said) == "1";
}

}  // namespace semel::test
