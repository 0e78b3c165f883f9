#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/schema/schema.hpp"
#include "base/json/schema/schema_node.hpp"

namespace semel::json {

/// Turns a schema's text into nodes; private to this folder. Functions return false after they have stored the fault.
class SchemaCompiler {
 public:
  explicit SchemaCompiler(std::string_view root) : root_(root) {}

  tl::expected<std::vector<SchemaNode>, Schema::Fault> compile();

 private:
  /// The value of a keyword.
  struct Place {
    std::string_view text;
    std::string pointer;

    Place at(std::string_view token) const;
  };
  using Keyword = bool (SchemaCompiler::*)(const Place&, SchemaNode&);
  static const std::map<std::string_view, Keyword>& keywords();
  static std::string advice_for(std::string_view wrong);

  bool fail(const std::string& pointer, std::string what);
  std::optional<std::size_t> schema(const Place& place);
  bool read_keywords(const Place& place, SchemaNode& node);
  /// Refuses rules beside a $ref.
  bool stands_alone(const Place& place);
  bool circles_are_absent();

  bool annotation(const Place&, SchemaNode&) { return true; }
  bool refuse_id(const Place& place, SchemaNode& node);
  bool refuse_content(const Place& place, SchemaNode& node);
  bool definitions(const Place& place, SchemaNode& node);
  bool ref(const Place& place, SchemaNode& node);
  bool type(const Place& place, SchemaNode& node);
  bool enumeration(const Place& place, SchemaNode& node);
  bool constant(const Place& place, SchemaNode& node);
  bool multiple_of(const Place& place, SchemaNode& node);
  bool pattern(const Place& place, SchemaNode& node);
  bool format(const Place& place, SchemaNode& node);
  bool items(const Place& place, SchemaNode& node);
  bool unique_items(const Place& place, SchemaNode& node);
  bool required(const Place& place, SchemaNode& node);
  bool properties(const Place& place, SchemaNode& node);
  bool pattern_properties(const Place& place, SchemaNode& node);
  bool dependencies(const Place& place, SchemaNode& node);
  template <auto Member>
  bool number(const Place& place, SchemaNode& node);
  template <auto Member>
  bool count(const Place& place, SchemaNode& node);
  template <auto Member>
  bool subschema(const Place& place, SchemaNode& node);
  template <auto Member>
  bool subschemas(const Place& place, SchemaNode& node);

  bool texts(const Place& place, std::vector<std::string>& out);
  std::optional<Pattern> pattern_of(const std::string& text, const std::string& pointer);

  const std::string_view root_;
  std::vector<SchemaNode> nodes_;
  std::map<std::string, std::size_t> by_pointer_;  // also those that are just being read
  Schema::Fault fault_;
};

}  // namespace semel::json
