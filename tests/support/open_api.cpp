#include "tests/support/open_api.hpp"

#include <algorithm>

namespace semel::test {
namespace {

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// A {part} of the pattern stands for whatever has no slash in it, and is something.
bool is_path(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    const bool is_part = pattern.front() == '{';
    if (is_part ? path.front() == '/' : path.front() != pattern.front()) return false;
    path.remove_prefix(is_part ? std::min(path.find('/'), path.size()) : 1);
    pattern.remove_prefix(is_part ? pattern.find('}') + 1 : 1);
  }
  return pattern.empty() && path.empty();
}

}  // namespace

OpenApi::OpenApi(Json document) : schemas_(std::move(document)) {
  for (const auto& [path, item] : schemas_.document().at("paths").items()) {
    for (const auto& [method, operation] : item.items()) operations_.push_back({upper_case(method), path, operation});
  }
}

Json OpenApi::follow(const Json& value) const { return value.contains("$ref") ? schemas_.at(value["$ref"]) : value; }

const Operation* OpenApi::find(const HttpRequest& request) const {
  const std::string path = request.target.substr(0, request.target.find('?'));
  const Operation* found = nullptr;
  for (const Operation& each : operations_) {
    if (each.method != request.method || !is_path(each.path, path)) continue;
    if (found == nullptr || each.path == path) found = &each;  // a fixed path comes before one with a {part}
  }
  return found;
}

std::vector<Json> OpenApi::parameters(const Operation& operation, std::string_view in) const {
  std::vector<Json> found;
  for (const Json& each : operation.body.value("parameters", Json::array())) {
    const Json parameter = follow(each);
    if (parameter["in"] == in) found.push_back(parameter);
  }
  return found;
}

std::string OpenApi::example_path(const Operation& operation) const {
  std::string path = operation.path;
  for (const Json& each : parameters(operation, "path")) {
    const std::string name = "{" + each["name"].get<std::string>() + "}";
    const std::size_t at = path.find(name);
    if (at != std::string::npos) path.replace(at, name.size(), schemas_.example(each["schema"]).get<std::string>());
  }
  return path;
}

Json OpenApi::request_schema(const Operation& operation) const {
  const Json::json_pointer json("/requestBody/content/application~1json/schema");
  return operation.body.contains(json) ? operation.body.at(json) : Json();
}

Json OpenApi::response(const Operation& operation, const std::string& status) const {
  const Json& all = operation.body.at("responses");
  return all.contains(status) ? follow(all[status]) : Json();
}

std::vector<std::string> OpenApi::problems(const HttpRequest& request, const HttpAnswer& answer) const {
  const Operation* operation = find(request);
  if (operation == nullptr) return {request.method + " " + request.target + " is not documented"};
  const Json documented = response(*operation, std::to_string(answer.status));
  if (documented.is_null())
    return {operation->name() + ": the status " + std::to_string(answer.status) + " is not documented"};
  if (!documented.contains("content"))
    return answer.body.empty() ? std::vector<std::string>{} : std::vector<std::string>{"has a body"};
  std::string type = answer.headers.contains("content-type") ? answer.headers.at("content-type") : "";
  type = type.substr(0, type.find(';'));
  if (!documented["content"].contains(type)) return {"the content type " + type + " is not documented"};
  return schemas_.problems(documented["content"][type]["schema"],
                           type == "application/json" ? answer.json() : Json(answer.body));
}

}  // namespace semel::test
