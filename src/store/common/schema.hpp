#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace semel::store {

/// What becomes of a store whose schema is older than this binary needs.
enum class Migrate : std::uint8_t { automatically, never };

/// How far the schema of a store is.
struct SchemaState {
  std::int64_t version = 0;          // 0 = there is none yet
  std::int64_t newest = 0;           // that this binary knows
  std::vector<std::string> pending;  // the migrations that lead from one to the other, in their order

  bool is_current() const { return version == newest; }
};

/// `files` are all migrations that this binary has, one a version.
template <std::size_t count>
SchemaState schema_state(std::int64_t version, const std::array<std::string_view, count>& files) {
  SchemaState state{version, static_cast<std::int64_t>(count), {}};
  for (auto next = static_cast<std::size_t>(version); next < count; ++next) state.pending.emplace_back(files[next]);
  return state;
}

/// Why a server does not start that may not migrate. `store` is what --store takes.
std::string must_be_migrated(const SchemaState& state, std::string_view store);

}  // namespace semel::store
