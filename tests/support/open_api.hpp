#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/http_client.hpp"
#include "tests/support/json_schema.hpp"

namespace semel::test {

/// One method of one path, as the document has it.
struct Operation {
  std::string method;  // "GET"
  std::string path;    // "/v1/tasks/{id}"
  Json body;           // the operation itself

  std::string name() const { return method + " " + path; }
};

/// An OpenAPI document, as the tests ask it.
class OpenApi {
 public:
  explicit OpenApi(Json document);

  const JsonSchema& schemas() const { return schemas_; }
  const std::vector<Operation>& operations() const { return operations_; }
  /// The operation of a request; nothing when there is none.
  const Operation* find(const HttpRequest& request) const;

  /// The operation's parameters in "path", "query" or "header".
  std::vector<Json> parameters(const Operation& operation, std::string_view in) const;
  /// The path with an example for each of its {parts}.
  std::string example_path(const Operation& operation) const;
  /// The schema of its JSON body; null when it takes none.
  Json request_schema(const Operation& operation) const;
  /// What is documented for the status, or for "default"; null when it is neither.
  Json response(const Operation& operation, const std::string& status) const;
  /// What the answer has that is not documented, or lacks; nothing when it fits.
  std::vector<std::string> problems(const HttpRequest& request, const HttpAnswer& answer) const;

 private:
  Json follow(const Json& value) const;

  JsonSchema schemas_;
  std::vector<Operation> operations_;
};

}  // namespace semel::test
