#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/setting.hpp"

namespace semel::config {

/// One value of a TOML file.
struct TomlValue {
  std::string path;          // "http.connections_max"
  std::optional<Form> form;  // nothing: an array, a fraction, a date, an empty table
  std::string text;          // the value without quotes; of what has no form, what it is
  std::size_t line = 0;
};

/// All values of the file, by line. Refusals name the file and the line.
Result<std::vector<TomlValue>> read_toml(const std::filesystem::path& file);
/// The same of a text; `name` stands for the file.
Result<std::vector<TomlValue>> parse_toml(std::string_view text, std::string_view name);

}  // namespace semel::config
