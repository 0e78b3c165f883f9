#include "domain/workflow/key_template.hpp"

#include <algorithm>

#include "base/json/reader.hpp"
#include "domain/names.hpp"

namespace semel::domain {
namespace {

constexpr std::string_view place_begin = "{{";
constexpr std::string_view place_end = "}}";
constexpr std::string_view item_word = "item";
constexpr std::size_t template_bytes_max = 1'000;

}  // namespace

Result<KeyTemplate> KeyTemplate::parse(std::string_view text) {
  if (text.empty() || text.size() > template_bytes_max)
    return bad_request("a key must have 1 to {} bytes", template_bytes_max);
  KeyTemplate key;
  key.text_ = text;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find(place_begin), text.size());
    if (begin > 0) key.parts_.push_back({From::text, std::string(text.substr(0, begin)), {}});
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = text.find(place_end);
    if (end == std::string_view::npos) return bad_request("'{{{{' without '}}}}'");
    Result<Part> part = parse_place(text.substr(place_begin.size(), end - place_begin.size()));
    if (!part) return pass_on(part.error());
    key.parts_.push_back(*std::move(part));
    text.remove_prefix(end + place_end.size());
  }
  return key;
}

Result<KeyTemplate::Part> KeyTemplate::parse_place(std::string_view text) {
  const std::string whole(text);
  if (text == "index") return Part{From::index, whole, {}};
  const bool is_item = text == item_word || text.starts_with("item/");
  if (!is_item && !text.starts_with('/'))
    return bad_request(
        "'{{{{{}}}}}' must be a JSON Pointer into the context such as {{{{/order_id}}}}, {{{{item}}}}, "
        "{{{{item/id}}}} or {{{{index}}}}",
        whole);
  if (is_item) text.remove_prefix(item_word.size());
  Result<json::Pointer> pointer = json::Pointer::parse(text);
  if (!pointer) return pass_on(pointer.error());
  return Part{is_item ? From::item : From::context, whole, *std::move(pointer)};
}

bool KeyTemplate::tells_items_apart() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.from == From::item || part.from == From::index; });
}

Result<std::string> KeyTemplate::value_of(const Part& part, const KeyValues& values) {
  if (part.from == From::text) return part.text;
  if (part.from == From::index) return std::to_string(values.index);
  const std::string_view within = part.from == From::item ? values.item.value_or("null") : values.context;
  const std::optional<std::string_view> found = json::find(within, part.pointer);
  if (!found) return bad_request("{{{{{}}}}} leads to nothing", part.text);
  json::Reader reader(*found);
  switch (reader.peek().value()) {
    case json::Type::string: return reader.read_string();
    case json::Type::number:
    case json::Type::boolean: return std::string(*found);
    default: return bad_request("{{{{{}}}}} is no text, number or boolean", part.text);
  }
}

Result<std::string> KeyTemplate::fill_in(const KeyValues& values) const {
  std::string key;
  for (const Part& part : parts_) {
    const Result<std::string> value = value_of(part, values);
    if (!value) return pass_on(value.error());
    key += *value;
  }
  if (Result<void> fits = check_key("the key", key); !fits) return pass_on(fits.error());
  return key;
}

}  // namespace semel::domain
