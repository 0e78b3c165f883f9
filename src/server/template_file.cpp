#include "server/template_file.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/template_document.hpp"
#include "api/codec/yaml_json.hpp"
#include "base/json/canonical.hpp"
#include "base/json/text.hpp"

namespace semel::server {
namespace {

using domain::Template;
using Members = std::vector<std::pair<std::string, std::string>>;

/// "line 7: …" → "…"
std::string_view without_line(std::string_view message) {
  if (!message.starts_with("line ")) return message;
  const std::size_t colon = message.find(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

/// "… at byte 57" → "line 3: … at byte 57"
std::string with_line_of_byte(const std::string& message, std::string_view text) {
  const std::size_t found = message.rfind("byte ");
  if (found == std::string::npos) return message;
  std::size_t byte = 0;
  std::from_chars(message.data() + found + 5, message.data() + message.size(), byte);
  const std::string_view before = text.substr(0, byte);
  return fmt::format("line {}: {}", std::count(before.begin(), before.end(), '\n') + 1, message);
}

/// The refusal of a document that was read as one line, with the line that the same refusal has in `lined`: a text with
/// the same content in its own layout.
Error with_line(const Error& refusal, std::string_view lined) {
  const Result<Template> again = codec::decode_template_yaml(lined);
  const std::string_view message = without_line(refusal.message);
  if (!again && without_line(again.error().message) == message) return again.error();
  return {refusal.code, std::string(message)};
}

/// What the path says and the document (in canonical JSON, which is YAML too) does not.
Members missing_in(const std::string& document, const std::filesystem::path& file) {
  const YAML::Node root = YAML::Load(document);
  Members missing;
  if (!root.IsMap()) return missing;
  if (!root["namespace"]) missing.emplace_back("namespace", file.parent_path().filename().string());
  if (!root["name"]) missing.emplace_back("name", file.stem().string());
  return missing;
}

/// The document with the members put in front of its own.
std::string filled(std::string json, const Members& members) {
  std::string added;
  for (const auto& [name, value] : members) added += fmt::format("{}:{},", json::quote(name), json::quote(value));
  const std::size_t begin = json.find('{') + 1;
  if (json.find_first_not_of(" \t\r\n", begin) == json.find('}', begin) && !added.empty()) added.pop_back();
  return json.insert(begin, added);
}

Result<Template> decode_json(const std::string& text, const std::filesystem::path& file) {
  const Result<std::string> document = json::canonicalize(text);
  if (!document) return refuse(ErrorCode::invalid_template, "{}", with_line_of_byte(document.error().message, text));
  const Members missing = missing_in(*document, file);
  Result<Template> template_ = codec::decode_template_json(filled(*document, missing));
  if (!template_) return pass_on(with_line(template_.error(), filled(text, missing)));
  return template_;
}

Result<Template> decode_yaml(const std::string& text, const std::filesystem::path& file) {
  Result<Template> template_ = codec::decode_template_yaml(text);
  if (template_) return template_;
  const Result<YAML::Node> root = codec::load_yaml(text);
  if (!root) return template_;
  const Result<std::string> as_json = codec::yaml_to_json(*root);
  if (!as_json) return template_;
  const Result<std::string> document = json::canonicalize(*as_json);
  if (!document) return template_;
  const Members missing = missing_in(*document, file);
  if (missing.empty()) return template_;
  template_ = codec::decode_template_json(filled(*document, missing));
  std::string lined = text;
  for (const auto& [name, value] : missing) lined += fmt::format("\n{}: {}", name, json::quote(value));
  if (!template_) return pass_on(with_line(template_.error(), lined));
  return template_;
}

Result<void> check_path(const Template& template_, const std::filesystem::path& file) {
  const std::string folder = file.parent_path().filename().string();
  if (template_.namespace_ != folder) {
    return bad_request("its namespace is '{}', and its folder '{}': make them agree", template_.namespace_, folder);
  }
  if (template_.name != file.stem().string()) {
    return bad_request("its name is '{}', and its file is '{}': make them agree", template_.name,
                       file.filename().string());
  }
  return {};
}

}  // namespace

Result<Template> read_template_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) return bad_request("cannot read the file");
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  try {
    Result<Template> template_ = file.extension() == ".json" ? decode_json(text, file) : decode_yaml(text, file);
    if (!template_) return template_;
    if (Result<void> fits = check_path(*template_, file); !fits) return pass_on(fits.error());
    return template_;
  } catch (const YAML::Exception& exception) {
    return refuse(ErrorCode::invalid_template, "line {}: {}", exception.mark.line + 1, exception.msg);
  }
}

}  // namespace semel::server
