#include "cli/client/json_view.hpp"

#include "base/json/reader.hpp"

namespace semel::cli {

JsonView JsonView::parse(std::string_view text) {
  if (!json::check_grammar(text)) return {};
  const auto value = json::Reader(text).read_raw();
  return value ? JsonView(*value) : JsonView();
}

std::string JsonView::text() const {
  if (!raw_.starts_with('"')) return std::string(raw_);
  Result<std::string> text = json::Reader(raw_).read_string();
  return text ? *std::move(text) : std::string(raw_);
}

JsonView JsonView::operator[](std::string_view name) const {
  for (const auto& [key, value] : members()) {
    if (key == name) return value;
  }
  return {};
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  std::vector<std::pair<std::string, JsonView>> found;
  json::Reader reader(raw_);
  if (!reader.begin_object()) return found;
  while (true) {
    Result<std::optional<std::string>> key = reader.next_member();
    if (!key || !*key) return found;
    const Result<std::string_view> value = reader.read_raw();
    if (!value) return found;
    found.emplace_back(**std::move(key), JsonView(*value));
  }
}

std::vector<JsonView> JsonView::elements() const {
  std::vector<JsonView> found;
  json::Reader reader(raw_);
  if (!reader.begin_array()) return found;
  while (true) {
    const Result<bool> more = reader.next_element();
    if (!more || !*more) return found;
    const Result<std::string_view> value = reader.read_raw();
    if (!value) return found;
    found.push_back(JsonView(*value));
  }
}

}  // namespace semel::cli
