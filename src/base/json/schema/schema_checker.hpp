#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json/schema/schema.hpp"
#include "base/json/schema/schema_node.hpp"

namespace semel::json {

/// Checks one value; private to this folder.
class SchemaChecker {
 public:
  SchemaChecker(const std::vector<SchemaNode>& nodes, std::size_t max) : nodes_(nodes), max_(max) {}

  std::vector<Violation> check(std::string_view value);

 private:
  bool fits(std::size_t schema, std::string_view value);
  /// Without telling why not.
  bool fits_quietly(std::size_t schema, std::string_view value);
  /// The part of the value that `token` names.
  bool part_fits(std::size_t schema, std::string_view token, std::string_view value);

  bool fits_general(const SchemaNode& node, std::string_view value);
  bool fits_number(const SchemaNode& node, std::string_view value);
  bool fits_string(const SchemaNode& node, std::string_view value);
  bool fits_array(const SchemaNode& node, std::string_view value);
  bool fits_object(const SchemaNode& node, std::string_view value);
  bool fits_property(const SchemaNode& node, const std::string& name, std::string_view value);
  bool fits_combined(const SchemaNode& node, std::string_view value);

  bool wrong(std::string what);

  const std::vector<SchemaNode>& nodes_;
  const std::size_t max_;
  std::vector<Violation> found_{};
  std::string pointer_{};      // of the value being looked at
  int quiet_ = 0;              // in how many parts that are only tried
  int depth_ = 0;              // of schemas within schemas
  std::size_t effort_ = 0;     // schemas tried so far
  bool is_exhausted_ = false;  // the rest is not looked at
};

}  // namespace semel::json
