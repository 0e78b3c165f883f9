#include "base/json/schema/schema_compiler.hpp"

#include <fmt/format.h>

#include "base/json/decimal.hpp"
#include "base/json/pointer.hpp"
#include "base/json/schema/values.hpp"
#include "base/nearest.hpp"

namespace semel::json {
namespace {

/// So that a remainder can be taken with ordinary numbers.
constexpr std::int64_t divisor_digits_max = 15;

constexpr std::pair<std::string_view, std::uint8_t> schema_types[] = {
    {"null", type_null},   {"boolean", type_boolean}, {"number", type_number},  {"string", type_string},
    {"array", type_array}, {"object", type_object},   {"integer", type_integer}};

std::uint8_t bit_of(std::string_view name) {
  for (const auto& [known, bit] : schema_types) {
    if (known == name) return bit;
  }
  return 0;
}

}  // namespace

SchemaCompiler::Place SchemaCompiler::Place::at(std::string_view token) const {
  return {find(text, Pointer::parse("/" + escape_token(token)).value()).value(), pointer + "/" + escape_token(token)};
}

const std::map<std::string_view, SchemaCompiler::Keyword>& SchemaCompiler::keywords() {
  using Self = SchemaCompiler;
  using Node = SchemaNode;
  static const std::map<std::string_view, Keyword> known{
      {"$schema", &Self::annotation},
      {"$comment", &Self::annotation},
      {"title", &Self::annotation},
      {"description", &Self::annotation},
      {"default", &Self::annotation},
      {"examples", &Self::annotation},
      {"readOnly", &Self::annotation},
      {"writeOnly", &Self::annotation},
      {"$id", &Self::refuse_id},
      {"contentEncoding", &Self::refuse_content},
      {"contentMediaType", &Self::refuse_content},
      {"definitions", &Self::definitions},
      {"$ref", &Self::ref},
      {"type", &Self::type},
      {"enum", &Self::enumeration},
      {"const", &Self::constant},
      {"minimum", &Self::number<&Node::minimum>},
      {"maximum", &Self::number<&Node::maximum>},
      {"exclusiveMinimum", &Self::number<&Node::exclusive_minimum>},
      {"exclusiveMaximum", &Self::number<&Node::exclusive_maximum>},
      {"multipleOf", &Self::multiple_of},
      {"minLength", &Self::count<&Node::min_length>},
      {"maxLength", &Self::count<&Node::max_length>},
      {"pattern", &Self::pattern},
      {"format", &Self::format},
      {"items", &Self::items},
      {"additionalItems", &Self::subschema<&Node::additional_items>},
      {"contains", &Self::subschema<&Node::contains>},
      {"minItems", &Self::count<&Node::min_items>},
      {"maxItems", &Self::count<&Node::max_items>},
      {"uniqueItems", &Self::unique_items},
      {"required", &Self::required},
      {"properties", &Self::properties},
      {"patternProperties", &Self::pattern_properties},
      {"additionalProperties", &Self::subschema<&Node::additional_properties>},
      {"propertyNames", &Self::subschema<&Node::property_names>},
      {"minProperties", &Self::count<&Node::min_properties>},
      {"maxProperties", &Self::count<&Node::max_properties>},
      {"dependencies", &Self::dependencies},
      {"allOf", &Self::subschemas<&Node::all_of>},
      {"anyOf", &Self::subschemas<&Node::any_of>},
      {"oneOf", &Self::subschemas<&Node::one_of>},
      {"not", &Self::subschema<&Node::not_>},
      {"if", &Self::subschema<&Node::if_>},
      {"then", &Self::subschema<&Node::then_>},
      {"else", &Self::subschema<&Node::else_>},
  };
  return known;
}

tl::expected<std::vector<SchemaNode>, Schema::Fault> SchemaCompiler::compile() {
  if (root_.size() > limits::schema_bytes_max)
    fail("", fmt::format("the schema is {} bytes; at most {} are allowed", root_.size(), limits::schema_bytes_max));
  else if (schema({root_, ""}) && circles_are_absent()) return std::move(nodes_);
  return tl::unexpected(std::move(fault_));
}

bool SchemaCompiler::fail(const std::string& pointer, std::string what) {
  fault_ = {pointer, std::move(what)};
  return false;
}

/// A schema that is referred to from within itself is found by its pointer, and not read again.
std::optional<std::size_t> SchemaCompiler::schema(const Place& place) {
  if (const auto known = by_pointer_.find(place.pointer); known != by_pointer_.end()) return known->second;
  const std::size_t index = nodes_.size();
  by_pointer_.emplace(place.pointer, index);
  nodes_.emplace_back();
  SchemaNode node;
  if (place.text == "false") {
    node.nothing_fits = true;
  } else if (place.text != "true") {
    if (type_of(place.text) != Type::object) {
      fail(place.pointer, "a schema must be an object, true or false");
      return std::nullopt;
    }
    if (!read_keywords(place, node)) return std::nullopt;
  }
  nodes_[index] = std::move(node);
  return index;
}

/// What is meant by a keyword that is none.
std::string SchemaCompiler::advice_for(std::string_view wrong) {
  std::vector<std::string_view> known;
  for (const auto& [name, keyword] : keywords()) known.push_back(name);
  if (const auto meant = nearest(wrong, known)) return fmt::format("; did you mean '{}'?", *meant);
  return "; take it out, or say it with those of draft 7";
}

bool SchemaCompiler::read_keywords(const Place& place, SchemaNode& node) {
  for (const auto& [name, text] : members_of(place.text)) {
    const auto known = keywords().find(name);
    const Place value{text, place.pointer + "/" + escape_token(name)};
    if (known == keywords().end())
      return fail(value.pointer, fmt::format("'{}' is no keyword of draft 7{}", name, advice_for(name)));
    if (!(this->*known->second)(value, node)) return false;
  }
  return !node.ref || stands_alone(place);
}

bool SchemaCompiler::stands_alone(const Place& place) {
  for (const auto& [name, text] : members_of(place.text)) {
    const Keyword read = keywords().at(name);
    if (read == &SchemaCompiler::annotation || read == &SchemaCompiler::definitions || read == &SchemaCompiler::ref)
      continue;
    return fail(place.pointer + "/" + escape_token(name),
                "draft 7 does not look at what stands beside $ref; put both into allOf");
  }
  return true;
}

bool SchemaCompiler::refuse_id(const Place& place, SchemaNode&) {
  return fail(place.pointer, "$id is not supported: references are looked up in this document only");
}

bool SchemaCompiler::refuse_content(const Place& place, SchemaNode&) {
  return fail(place.pointer, "the content of texts is not checked; leave it out");
}

bool SchemaCompiler::definitions(const Place& place, SchemaNode&) {
  if (type_of(place.text) != Type::object) return fail(place.pointer, "definitions must be an object of schemas");
  for (const auto& [name, text] : members_of(place.text)) {
    if (!schema({text, place.pointer + "/" + escape_token(name)})) return false;
  }
  return true;
}

bool SchemaCompiler::ref(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::string)
    return fail(place.pointer, "$ref must be a text such as \"#/definitions/x\"");
  const std::string text = string_of(place.text);
  if (!text.starts_with('#')) return fail(place.pointer, "$ref must begin with '#': only this document is known");
  const Result<Pointer> pointer = Pointer::parse(std::string_view(text).substr(1));
  if (!pointer) return fail(place.pointer, "$ref must be '#' and a JSON Pointer, such as \"#/definitions/x\"");
  const auto found = find(root_, *pointer);
  if (!found) return fail(place.pointer, fmt::format("$ref '{}' leads to nothing", text));
  node.ref = schema({*found, pointer->text()});
  return node.ref.has_value();
}

bool SchemaCompiler::type(const Place& place, SchemaNode& node) {
  std::vector<std::string> names;
  if (type_of(place.text) == Type::string) names.push_back(string_of(place.text));
  else if (!texts(place, names)) return false;
  for (const std::string& name : names) {
    if (bit_of(name) == 0)
      return fail(place.pointer,
                  fmt::format("type '{}' is none of null, boolean, number, integer, string, array, object", name));
    node.types = static_cast<std::uint8_t>(node.types | bit_of(name));
  }
  return node.types != 0 || fail(place.pointer, "type must name at least one type");
}

bool SchemaCompiler::enumeration(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::array || place.text == "[]")
    return fail(place.pointer, "enum must be a list of at least one value");
  const auto values = elements_of(place.text);
  node.values.emplace(values.begin(), values.end());
  return true;
}

bool SchemaCompiler::constant(const Place& place, SchemaNode& node) {
  node.constant = place.text;
  return true;
}

template <auto Member>
bool SchemaCompiler::number(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::number) return fail(place.pointer, "must be a number");
  node.*Member = std::string(place.text);
  return true;
}

bool SchemaCompiler::multiple_of(const Place& place, SchemaNode& node) {
  if (!number<&SchemaNode::multiple_of>(place, node)) return false;
  const Decimal divisor = Decimal::parse(place.text).value();
  if (divisor.zero() || divisor.negative()) return fail(place.pointer, "must be greater than 0");
  return divisor.digits() <= divisor_digits_max ||
         fail(place.pointer, fmt::format("at most {} digits are allowed", divisor_digits_max));
}

template <auto Member>
bool SchemaCompiler::count(const Place& place, SchemaNode& node) {
  const Result<std::int64_t> value = Reader(place.text).read_integer();
  if (!value || *value < 0) return fail(place.pointer, "must be a whole number from 0 on");
  node.*Member = static_cast<std::size_t>(*value);
  return true;
}

std::optional<Pattern> SchemaCompiler::pattern_of(const std::string& text, const std::string& pointer) {
  Result<Pattern> pattern = Pattern::parse(text);
  if (pattern) return *std::move(pattern);
  fail(pointer, pattern.error().message);
  return std::nullopt;
}

bool SchemaCompiler::pattern(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::string) return fail(place.pointer, "must be a text");
  node.pattern = pattern_of(string_of(place.text), place.pointer);
  return node.pattern.has_value();
}

bool SchemaCompiler::format(const Place& place, SchemaNode& node) {
  if (place.text == R"("date-time")") node.format = SchemaFormat::date_time;
  else if (place.text == R"("date")") node.format = SchemaFormat::date;
  else if (place.text == R"("uuid")") node.format = SchemaFormat::uuid;
  else return fail(place.pointer, "only the formats date-time, date and uuid are checked; use pattern for others");
  return true;
}

template <auto Member>
bool SchemaCompiler::subschema(const Place& place, SchemaNode& node) {
  node.*Member = schema(place);
  return (node.*Member).has_value();
}

template <auto Member>
bool SchemaCompiler::subschemas(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::array || place.text == "[]")
    return fail(place.pointer, "must be a list of at least one schema");
  std::vector<std::size_t>& members = node.*Member;
  for (const std::string_view text : elements_of(place.text)) {
    const auto member = schema({text, place.pointer + "/" + std::to_string(members.size())});
    if (!member) return false;
    members.push_back(*member);
  }
  return true;
}

bool SchemaCompiler::items(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::array) return subschema<&SchemaNode::all_items>(place, node);
  node.first_items.emplace();
  for (const std::string_view text : elements_of(place.text)) {
    const auto item = schema({text, place.pointer + "/" + std::to_string(node.first_items->size())});
    if (!item) return false;
    node.first_items->push_back(*item);
  }
  return true;
}

bool SchemaCompiler::unique_items(const Place& place, SchemaNode& node) {
  node.unique_items = place.text == "true";
  return node.unique_items || place.text == "false" || fail(place.pointer, "must be true or false");
}

bool SchemaCompiler::texts(const Place& place, std::vector<std::string>& out) {
  if (type_of(place.text) != Type::array) return fail(place.pointer, "must be a list of texts");
  for (const std::string_view text : elements_of(place.text)) {
    if (type_of(text) != Type::string) return fail(place.pointer, "must be a list of texts");
    out.push_back(string_of(text));
  }
  return true;
}

bool SchemaCompiler::required(const Place& place, SchemaNode& node) { return texts(place, node.required); }

bool SchemaCompiler::properties(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::object) return fail(place.pointer, "must be an object of schemas");
  for (auto& [name, text] : members_of(place.text)) {
    const auto property = schema({text, place.pointer + "/" + escape_token(name)});
    if (!property) return false;
    node.properties.emplace(name, *property);
  }
  return true;
}

bool SchemaCompiler::pattern_properties(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::object) return fail(place.pointer, "must be an object of schemas");
  for (const auto& [name, text] : members_of(place.text)) {
    const std::string pointer = place.pointer + "/" + escape_token(name);
    auto names = pattern_of(name, pointer);
    const auto property = names ? schema({text, pointer}) : std::nullopt;
    if (!property) return false;
    node.pattern_properties.emplace_back(*std::move(names), *property);
  }
  return true;
}

bool SchemaCompiler::dependencies(const Place& place, SchemaNode& node) {
  if (type_of(place.text) != Type::object) return fail(place.pointer, "must be an object of schemas or lists of names");
  for (const auto& [name, text] : members_of(place.text)) {
    const Place each{text, place.pointer + "/" + escape_token(name)};
    if (type_of(text) == Type::array) {
      if (!texts(each, node.needed_with[name])) return false;
      continue;
    }
    const auto with = schema(each);
    if (!with) return false;
    node.fits_with.emplace(name, *with);
  }
  return true;
}

}  // namespace semel::json
