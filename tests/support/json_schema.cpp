#include "tests/support/json_schema.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace semel::test {
namespace {

using Json = JsonSchema::Json;

/// Those that are judged, and those that say nothing of a value. Any other would be passed over unseen.
bool is_known(const std::string& keyword) {
  static const std::set<std::string> known{"type",      "properties",    "required",    "additionalProperties",
                                           "items",     "enum",          "const",       "anyOf",
                                           "oneOf",     "pattern",       "minimum",     "maximum",
                                           "minItems",  "maxItems",      "format",      "minLength",
                                           "maxLength", "maxProperties", "description", "examples",
                                           "default",   "example",       "title",       "allOf",
                                           "$ref"};
  return known.contains(keyword) || keyword.starts_with("x-");
}

bool is_of_type(const std::string& type, const Json& value) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "boolean" && value.is_boolean();
}

bool fits_format(const std::string& format, const std::string& text) {
  static const std::map<std::string, std::regex> formats{
      {"uuid", std::regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")},
      {"date-time", std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)")}};
  return std::regex_match(text, formats.at(format));
}

bool is_within(const Json& schema, const char* least, const char* most, auto value) {
  return (!schema.contains(least) || value >= schema[least].get<decltype(value)>()) &&
         (!schema.contains(most) || value <= schema[most].get<decltype(value)>());
}

}  // namespace

const Json& JsonSchema::at(const std::string& reference) const {
  return document_.at(Json::json_pointer(reference.substr(1)));
}

Json JsonSchema::resolve(const Json& schema) const {
  Json whole = schema;
  if (schema.contains("$ref")) {
    whole = resolve(at(schema["$ref"]));
    whole.update(schema);
    whole.erase("$ref");
  }
  if (!whole.contains("allOf")) return whole;
  Json merged = whole;
  merged.erase("allOf");
  for (const Json& part : whole["allOf"]) {
    const Json resolved = resolve(part);
    merged["type"] = "object";
    merged["properties"].update(resolved.value("properties", Json::object()));
    for (const Json& name : resolved.value("required", Json::array())) merged["required"].push_back(name);
  }
  return merged;
}

void JsonSchema::check_kind(const Json& schema, const Json& value, std::vector<std::string>& found) const {
  const auto expect = [&](bool fits, const char* keyword) {
    if (!fits) found.push_back(value.dump() + " breaks " + keyword + " " + schema[keyword].dump());
  };
  if (schema.contains("type")) expect(is_of_type(schema["type"], value), "type");
  if (schema.contains("const")) expect(value == schema["const"], "const");
  if (schema.contains("enum"))
    expect(std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end(), "enum");
  if (value.is_string()) {
    const std::string text = value;
    if (schema.contains("pattern")) expect(std::regex_search(text, std::regex(schema["pattern"])), "pattern");
    if (schema.contains("format")) expect(fits_format(schema["format"], text), "format");
  }
  if (value.is_number_integer() && !is_within(schema, "minimum", "maximum", value.get<std::int64_t>()))
    found.push_back(value.dump() + " is out of range");
  if (value.is_array() && !is_within(schema, "minItems", "maxItems", value.size()))
    found.push_back(std::to_string(value.size()) + " elements are too few or too many");
}

void JsonSchema::check_alternatives(const Json& schema, const Json& value, std::vector<std::string>& found) const {
  for (const char* keyword : {"anyOf", "oneOf"}) {
    if (!schema.contains(keyword)) continue;
    std::size_t fitting = 0;
    for (const Json& each : schema[keyword]) fitting += problems(each, value).empty() ? 1 : 0;
    const bool fits = fitting == 1 || (fitting > 1 && std::string(keyword) == "anyOf");
    if (!fits) found.push_back(value.dump() + " fits " + std::to_string(fitting) + " alternatives of " + keyword);
  }
}

void JsonSchema::check_object(const Json& schema, const Json& value, const std::string& where,
                              std::vector<std::string>& found) const {
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name)) found.push_back(where + ": " + name.get<std::string>() + " is missing");
  }
  const Json properties = schema.value("properties", Json::object());
  const Json more = schema.value("additionalProperties", Json(properties.empty()));
  for (const auto& [name, member] : value.items()) {
    const std::string inner = where + "/" + name;
    const bool is_named = properties.contains(name);
    if (!is_named && more == false) found.push_back(inner + " is not documented");
    else if (is_named || more.is_object())
      for (std::string& each : problems(is_named ? properties[name] : more, member, inner))
        found.push_back(std::move(each));
  }
}

std::vector<std::string> JsonSchema::problems(const Json& given, const Json& value, const std::string& where) const {
  const Json schema = resolve(given);
  std::vector<std::string> found;
  for (const auto& [keyword, unused] : schema.items()) {
    if (!is_known(keyword)) found.push_back("the keyword " + keyword + " is not judged by this checker");
  }
  check_kind(schema, value, found);
  check_alternatives(schema, value, found);
  for (std::string& each : found) each.insert(0, where + ": ");
  if (value.is_object()) check_object(schema, value, where, found);
  if (value.is_array() && schema.contains("items")) {
    for (std::size_t i = 0; i < value.size(); ++i)
      for (std::string& each : problems(schema["items"], value[i], where + "/" + std::to_string(i)))
        found.push_back(std::move(each));
  }
  return found;
}

Json JsonSchema::example(const Json& given) const {
  const Json schema = resolve(given);
  if (schema.contains("examples")) return schema["examples"].front();
  for (const char* keyword : {"const", "default"}) {
    if (schema.contains(keyword)) return schema[keyword];
  }
  if (schema.contains("enum")) return schema["enum"].front();
  const std::string type = schema.value("type", "object");
  if (type == "string") return "a";
  if (type == "integer" || type == "number") return schema.value("minimum", 1);
  if (type == "boolean") return true;
  if (type == "array") return Json::array({example(schema["items"])});
  Json object = Json::object();
  for (const Json& name : schema.value("required", Json::array()))
    object[name.get<std::string>()] = example(schema["properties"][name.get<std::string>()]);
  return object;
}

}  // namespace semel::test
