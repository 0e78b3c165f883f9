#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json/canonical.hpp"
#include "base/json/reader.hpp"
#include "base/json/schema/schema.hpp"

namespace semel::json {
namespace {

Schema schema_of_text(std::string_view text) {
  auto schema = Schema::compile(canonicalize(text).value());
  EXPECT_TRUE(schema) << text << ": " << schema.error().pointer << " " << schema.error().what;
  return schema ? *schema : Schema::compile("true").value();
}

/// "/pointer what; /pointer what", or nothing when it fits.
std::string broken(std::string_view schema, std::string_view value) {
  std::string all;
  for (const Violation& each : schema_of_text(schema).check(canonicalize(value).value(), 20))
    all += (all.empty() ? "" : "; ") + each.pointer + " " + each.what;
  return all;
}

bool fits_schema(std::string_view schema, std::string_view value) { return broken(schema, value).empty(); }

/// "pointer: what"
std::string schema_fault(std::string_view text) {
  const auto schema = Schema::compile(canonicalize(text).value());
  return schema ? "" : schema.error().pointer + ": " + schema.error().what;
}

TEST(JsonSchema, ListsEachViolationByItsPointer) {
  constexpr std::string_view order = R"({
    "type": "object", "required": ["id", "lines"], "additionalProperties": false,
    "properties": {
      "id": {"type": "string", "pattern": "^ORD-[0-9]+$"},
      "note": {"type": ["string", "null"], "maxLength": 3},
      "lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/line"}}},
    "definitions": {"line": {"type": "object", "properties": {"a/b": {"type": "integer", "minimum": 1}}}}})";

  EXPECT_EQ(broken(order, R"({"id": "ORD-7", "lines": [{"a/b": 1.0}], "note": null})"), "");
  EXPECT_EQ(broken(order, R"({"id": "7", "lines": [{}, {"a/b": 0}, {"a/b": 1.5}, 4], "note": "äöüß", "more": 1})"),
            "/id must match ^ORD-[0-9]+$; /lines/1/a~1b must be at least 1; /lines/2/a~1b must be an integer; "
            "/lines/3 must be an object; /more is not allowed; /note must have at most 3 characters");
  EXPECT_EQ(broken(order, "{}"), " must have 'id';  must have 'lines'");
  EXPECT_EQ(broken(order, "[]"), " must be an object");
}

TEST(JsonSchema, TellsOfNoMoreViolationsThanAskedFor) {
  const Schema schema = schema_of_text(R"({"items": {"type": "string"}})");

  EXPECT_EQ(schema.check("[1,2,3,4]", 2),
            (std::vector<Violation>{{"/0", "must be a string"}, {"/1", "must be a string"}}));
}

struct SchemaCase {
  const char* schema;
  const char* good;  // values, one JSON array
  const char* bad;
};

TEST(JsonSchema, KeepsEveryKeyword) {
  const std::vector<SchemaCase> cases{
      {R"(true)", R"([1, null])", R"([])"},
      {R"(false)", R"([])", R"([1, null])"},
      {R"({"type": "null"})", R"([null])", R"([0, false, ""])"},
      {R"({"type": "boolean"})", R"([true, false])", R"([0, "true"])"},
      {R"({"type": "integer"})", R"([1, 1.0, 1e3, 12345678901234567890123])", R"([1.5, "1", 1e-1])"},
      {R"({"type": ["integer", "string"]})", R"([1, "x"])", R"([1.5, null])"},
      {R"({"enum": [1, "a", [2.0], null]})", R"([1.0, "a", [2], null])", R"(["1", [2, 2], false])"},
      {R"({"const": {"a": 1, "b": 2}})", R"([{"b": 2.0, "a": 1}])", R"([{"a": 1}, null])"},
      {R"({"minimum": 1.5})", R"([1.5, 2, "x"])", R"([1.49999999999999999999])"},
      {R"({"maximum": 9007199254740992})", R"([9007199254740992, -1])", R"([9007199254740993])"},
      {R"({"exclusiveMinimum": 0})", R"([1e-400])", R"([0, -1])"},
      {R"({"exclusiveMaximum": 1})", R"([0.99999999999999999999])", R"([1, 1.0])"},
      {R"({"multipleOf": 0.01})", R"([4.35, 0, 19.99, -7, 1e300])", R"([0.005, 1.001])"},
      {R"({"multipleOf": 3})", R"([9, 3e5, 111111111111111111111111111])", R"([10, 1e5, 0.3])"},
      {R"({"multipleOf": 30})", R"([60, 3e1, 0])", R"([3, 45])"},
      {R"({"minLength": 2})", R"(["äö", "😀😀", 1])", R"(["ä", "😀", ""])"},
      {R"({"maxLength": 1})", R"(["😀", ""])", R"(["ab"])"},
      {R"({"pattern": "b+"})", R"(["abc", 7])", R"(["ac", ""])"},
      {R"({"format": "date-time"})", R"(["2026-01-20T12:30:00Z", 5])", R"(["2026-01-20", "soon"])"},
      {R"({"format": "date"})", R"(["2026-02-28"])", R"(["2026-02-30", "2026-1-1", ""])"},
      {R"({"format": "uuid"})", R"(["019bddae-b818-7d82-b7c5-bd42e5db27fc"])", R"(["019bddae"])"},
      {R"({"items": {"type": "string"}})", R"([[], ["a"], 5])", R"([[1], ["a", 1]])"},
      {R"({"items": [{"type": "string"}], "additionalItems": false})", R"([["a"], []])", R"([["a", 1], [1]])"},
      {R"({"items": [true], "additionalItems": {"type": "null"}})", R"([[1, null], [1]])", R"([[1, 1]])"},
      {R"({"additionalItems": false})", R"([[1, 2]])", R"([])"},
      {R"({"contains": {"const": 1}})", R"([[0, 1.0], {}])", R"([[], [2]])"},
      {R"({"minItems": 1, "maxItems": 2})", R"([[1], [1, 2]])", R"([[], [1, 2, 3]])"},
      {R"({"uniqueItems": true})", R"([[1, "1", [1]], []])", R"([[1, 1.0], [{"a": 1, "b": 2}, {"b": 2, "a": 1}]])"},
      {R"({"uniqueItems": false})", R"([[1, 1]])", R"([])"},
      {R"({"required": ["a"]})", R"([{"a": null}, []])", R"([{}, {"A": 1}])"},
      {R"({"patternProperties": {"^n_": {"type": "number"}}, "additionalProperties": false})", R"([{"n_a": 1}])",
       R"([{"n_a": "x"}, {"m": 1}])"},
      {R"({"properties": {"n_a": {"minimum": 5}}, "patternProperties": {"^n_": {"type": "number"}}})",
       R"([{"n_a": 5}])", R"([{"n_a": 4}, {"n_b": "x"}])"},
      {R"({"propertyNames": {"maxLength": 2}})", R"([{"ab": 1}, {}])", R"([{"abc": 1}])"},
      {R"({"minProperties": 1, "maxProperties": 1})", R"([{"a": 1}])", R"([{}, {"a": 1, "b": 2}])"},
      {R"({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}})", R"([{}, {"a": 1, "b": 1}, {"c": 1, "d": 1}])",
       R"([{"a": 1}, {"c": 1}])"},
      {R"({"allOf": [{"minimum": 1}, {"maximum": 2}]})", R"([1, 2])", R"([0, 3])"},
      {R"({"anyOf": [{"type": "string"}, {"minimum": 5}]})", R"(["x", 5])", R"([4])"},
      {R"({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]})", R"([2, 3, 4])", R"([6, 5])"},
      {R"({"not": {"type": "null"}})", R"([1])", R"([null])"},
      {R"({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}})",
       R"([{"a": 1, "b": 1}, {"c": 1}])", R"([{"a": 1}, {}])"},
      {R"({"then": false})", R"([1])", R"([])"},
      {R"({"$ref": "#/definitions/a~1b", "definitions": {"a/b": {"type": "string"}}})", R"(["x"])", R"([1])"},
      {R"({"properties": {"child": {"$ref": "#"}, "v": {"type": "integer"}}})", R"([{"child": {"child": {"v": 1}}}])",
       R"([{"child": {"child": {"v": "x"}}}])"},
      {R"({"title": "t", "description": "d", "default": 1, "examples": [1], "$comment": "c", "readOnly": true,
           "writeOnly": false, "$schema": "http://json-schema.org/draft-07/schema#"})",
       R"([1])", R"([])"},
  };
  const auto elements = [](std::string_view array) {
    std::vector<std::string> values;
    Reader reader(array);
    static_cast<void>(reader.begin_array());
    while (reader.next_element().value()) values.emplace_back(reader.read_raw().value());
    return values;
  };
  for (const SchemaCase& each : cases) {
    for (const std::string& value : elements(each.good))
      EXPECT_TRUE(fits_schema(each.schema, value)) << each.schema << value;
    for (const std::string& value : elements(each.bad))
      EXPECT_FALSE(fits_schema(each.schema, value)) << each.schema << value;
  }
}

TEST(JsonSchema, RefusesWhatItWouldNotKeep) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {R"(7)", ": a schema must be an object, true or false"},
      {R"({"typ": "string"})", "/typ: 'typ' is no keyword of draft 7; did you mean 'type'?"},
      {R"({"properties": {"a": {"unevaluatedItems": false}}})",
       "/properties/a/unevaluatedItems: 'unevaluatedItems' is no keyword of draft 7; take it out, or say it with those "
       "of "
       "draft 7"},
      {R"({"definitions": {"x": {"$defs": {}}}})",
       "/definitions/x/$defs: '$defs' is no keyword of draft 7; did you mean '$ref'?"},
      {R"({"type": "strng"})", "/type: type 'strng' is none of null, boolean, number, integer, string, array, object"},
      {R"({"type": []})", "/type: type must name at least one type"},
      {R"({"enum": []})", "/enum: enum must be a list of at least one value"},
      {R"({"minimum": "1"})", "/minimum: must be a number"},
      {R"({"multipleOf": 0})", "/multipleOf: must be greater than 0"},
      {R"({"multipleOf": 1.234567890123456})", "/multipleOf: at most 15 digits are allowed"},
      {R"({"minLength": -1})", "/minLength: must be a whole number from 0 on"},
      {R"j({"pattern": "(?=a)"})j", "/pattern: the pattern is refused: invalid perl operator: (?="},
      {R"({"patternProperties": {"(": true}})", "/patternProperties/(: the pattern is refused: missing ): ("},
      {R"({"format": "email"})",
       "/format: only the formats date-time, date and uuid are checked; use pattern for others"},
      {R"({"allOf": []})", "/allOf: must be a list of at least one schema"},
      {R"({"required": "a"})", "/required: must be a list of texts"},
      {R"({"uniqueItems": 1})", "/uniqueItems: must be true or false"},
      {R"({"$ref": "http://example.com/x"})", "/$ref: $ref must begin with '#': only this document is known"},
      {R"({"$ref": "#/definitions/x"})", "/$ref: $ref '#/definitions/x' leads to nothing"},
      {R"({"$id": "x"})", "/$id: $id is not supported: references are looked up in this document only"},
      {R"({"$ref": "#/definitions/x", "minimum": 1, "title": "t", "definitions": {"x": {}}})",
       "/minimum: draft 7 does not look at what stands beside $ref; put both into allOf"},
      {R"({"$ref": "#"})", ": the references go round in a circle"},
      {R"({"definitions": {"a": {"anyOf": [{"$ref": "#/definitions/b"}]}, "b": {"not": {"$ref": "#/definitions/a"}}}})",
       "/definitions/a: the references go round in a circle"},
      {R"({"dependencies": {"a": 5}})", "/dependencies/a: a schema must be an object, true or false"},
  };
  for (const auto& [schema, fault] : cases) EXPECT_EQ(schema_fault(schema), fault) << schema;
}

TEST(JsonSchema, EndsThoughSchemasMultiply) {
  std::string definitions = R"("d30": {"type": "string"})";
  for (int i = 0; i < 30; ++i) {
    const std::string next = "{\"$ref\": \"#/definitions/d" + std::to_string(i + 1) + "\"}";
    definitions += ", \"d" + std::to_string(i) + "\": {\"allOf\": [" + next + ", " + next + "]}";
  }

  EXPECT_EQ(broken("{\"$ref\": \"#/definitions/d0\", \"definitions\": {" + definitions + "}}", "\"x\""),
            " takes too long to check against the schema");
}

TEST(JsonSchema, EndsThoughValuesAreLongAndPatternsAmbiguous) {
  const std::string text = "\"" + std::string(1'000'000, 'a') + "\"";

  EXPECT_FALSE(fits_schema(R"({"pattern": "^(a|a)*b$"})", text));
  EXPECT_TRUE(fits_schema(R"({"pattern": "^(a+)+$"})", text));
}

TEST(JsonSchema, FindsRepetitionsAmongManyItems) {
  std::string items = "[0";
  for (int i = 1; i < 100'000; ++i) items += "," + std::to_string(i);

  EXPECT_TRUE(fits_schema(R"({"uniqueItems": true})", items + "]"));
  EXPECT_FALSE(fits_schema(R"({"uniqueItems": true})", items + ",99999]"));
}

}  // namespace
}  // namespace semel::json
