#include "store/common/schema.hpp"

#include <fmt/format.h>

namespace semel::store {

std::string must_be_migrated(const SchemaState& state, std::string_view store) {
  return fmt::format(
      "the store has schema version {}, this binary needs {}, and the setting migrate is never: run semel migrate "
      "--store {}",
      state.version, state.newest, store);
}

}  // namespace semel::store
