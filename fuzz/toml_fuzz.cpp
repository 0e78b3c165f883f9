// Reads the input as a configuration file. Every value must have a name and a line of the file; a refusal must say
// where.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/ensure.hpp"
#include "config/toml_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using semel::ensure;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto values = semel::config::parse_toml(text, "semel.toml");
  if (!values) {
    ensure(values.error().message.starts_with("semel.toml:"));
    return 0;
  }
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const semel::config::TomlValue& value : *values) ensure(value.line >= 1 && value.line <= lines);
  return 0;
}
