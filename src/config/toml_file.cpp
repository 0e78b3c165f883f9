#include "config/toml_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace semel::config {
namespace {

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::array: return "an array";
    case toml::node_type::floating_point: return "a fraction";
    case toml::node_type::table: return "a table";
    default: return "a date or time";
  }
}

TomlValue value_of(std::string path, const toml::key& key, const toml::node& node) {
  TomlValue value{std::move(path), std::nullopt, std::string(kind_of(node)), key.source().begin.line};
  if (const auto text = node.value_exact<std::string>()) {
    value.form = Form::text;
    value.text = *text;
  } else if (const auto number = node.value_exact<std::int64_t>()) {
    value.form = Form::number;
    value.text = std::to_string(*number);
  } else if (const auto boolean = node.value_exact<bool>()) {
    value.form = Form::boolean;
    value.text = *boolean ? "true" : "false";
  }
  return value;
}

void flatten(const std::string& prefix, const toml::table& table, std::vector<TomlValue>& values) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix + std::string(key.str());
    const toml::table* inner = node.as_table();
    if (inner != nullptr && !inner->empty()) flatten(path + ".", *inner, values);
    else values.push_back(value_of(path, key, node));
  }
}

}  // namespace

Result<std::vector<TomlValue>> read_toml(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open() || std::filesystem::is_directory(file)) {
    return bad_request("{}: cannot read the file", file.string());
  }
  return parse_toml(std::string(std::istreambuf_iterator<char>(stream), {}), file.string());
}

Result<std::vector<TomlValue>> parse_toml(std::string_view text, std::string_view name) {
  try {
    std::vector<TomlValue> values;
    flatten("", toml::parse(text), values);
    std::ranges::sort(values, {}, &TomlValue::line);
    return values;
  } catch (const toml::parse_error& error) {
    return bad_request("{}:{}: {}", name, error.source().begin.line, error.description());
  }
}

}  // namespace semel::config
