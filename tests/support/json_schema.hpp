#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tests/support/json.hpp"

namespace semel::test {

/// The part of JSON Schema that src/api/http/openapi.json uses. It is stricter in one thing: an object whose schema
/// names properties has no others, so that an undocumented member of an answer is found.
class JsonSchema {
 public:
  using Json = nlohmann::json;

  /// References are looked up in the document.
  explicit JsonSchema(Json document) : document_(std::move(document)) {}

  const Json& document() const { return document_; }

  /// What "#/components/…" names.
  const Json& at(const std::string& reference) const;
  /// The schema with its reference followed and its allOf merged.
  Json resolve(const Json& schema) const;
  /// What is wrong with the value, one line each; nothing when it fits.
  std::vector<std::string> problems(const Json& schema, const Json& value, const std::string& where = "") const;
  /// A value that fits: the schema's own example where it has one, with no members but the required ones.
  Json example(const Json& schema) const;

 private:
  void check_kind(const Json& schema, const Json& value, std::vector<std::string>& found) const;
  void check_alternatives(const Json& schema, const Json& value, std::vector<std::string>& found) const;
  void check_object(const Json& schema, const Json& value, const std::string& where,
                    std::vector<std::string>& found) const;

  Json document_;
};

}  // namespace semel::test
