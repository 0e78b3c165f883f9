#pragma once
#include <fstream>
#include <string>

#include "config/load.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::config {

/// A folder with one TOML file, and what comes of it.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text) { std::ofstream(path()) << text; }

  std::filesystem::path path() const { return folder_ / "semel.toml"; }
  Sources sources() const { return {path(), {}, {}}; }
  /// The lines of the refusal without the folder, or "" when the file is good.
  std::string problems() const {
    const Result<Loaded> loaded = load(sources());
    if (loaded) return "";
    std::string text = loaded.error().message;
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
      text.erase(at, folder.size());
    }
    return text;
  }

 private:
  test::TempDir folder_;
};

inline std::string origin_of(const Loaded& loaded, std::string_view name) {
  return loaded.origins[static_cast<std::size_t>(find_setting(name) - settings().data())];
}

}  // namespace semel::config
