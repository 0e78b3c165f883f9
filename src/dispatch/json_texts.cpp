#include "dispatch/json_texts.hpp"

#include <optional>

#include "base/json/reader.hpp"

namespace semel::dispatch {
namespace {

/// Nothing when the value cannot be read.
std::optional<std::string> read_text(json::Reader& reader) {
  const Result<json::Type> type = reader.peek();
  if (!type) return std::nullopt;
  if (*type == json::Type::string) {
    Result<std::string> text = reader.read_string();
    return text ? std::optional(*std::move(text)) : std::nullopt;
  }
  const Result<std::string_view> raw = reader.read_raw();
  if (!raw) return std::nullopt;
  return *type == json::Type::number ? std::string(*raw) : std::string();
}

}  // namespace

std::map<std::string, std::string> texts_of(std::string_view json) {
  std::map<std::string, std::string> texts;
  json::Reader reader(json);
  if (!reader.begin_object()) return {};
  while (true) {
    Result<std::optional<std::string>> name = reader.next_member();
    if (!name) return {};
    if (!*name) break;
    std::optional<std::string> text = read_text(reader);
    if (!text) return {};
    texts.insert_or_assign(**std::move(name), *std::move(text));
  }
  return reader.expect_end() ? texts : std::map<std::string, std::string>();
}

}  // namespace semel::dispatch
