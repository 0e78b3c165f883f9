#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace semel::store::postgres {

/// An index that a script makes, by CREATE INDEX or for a constraint.
struct MadeIndex {
  std::string name;
  std::string table;
  std::string remedy;  // the statement that makes it again; empty for those of constraints

  bool operator==(const MadeIndex&) const = default;
};

/// What is there after these scripts have run one after the other. Reads the forms that our migrations are written in:
/// a test compares it with what PostgreSQL has made of them.
std::vector<MadeIndex> indexes_made_by(std::span<const std::string_view> scripts);

/// The same of all migrations that this binary has.
std::vector<MadeIndex> indexes_of_schema();

}  // namespace semel::store::postgres
