#include "cli/template_file.hpp"

#include <algorithm>
#include <filesystem>

#include "api/codec/template_document.hpp"
#include "cli/submission_options.hpp"

namespace semel::cli {
namespace {

/// The codec says "line 3: …"; compilers and editors say "FILE:3: …".
tl::unexpected<Error> at_file(const std::string& file, const Error& error) {
  constexpr std::string_view mark = "line ";
  const std::string& message = error.message;
  const std::size_t colon = message.find(": ");
  const std::string place = message.substr(0, colon);
  const bool has_line = message.starts_with(mark) && colon != std::string::npos &&
                        place.find_first_not_of("0123456789", mark.size()) == std::string::npos;
  if (!has_line) return refuse(error.code, "{}: {}", file, message);
  return refuse(error.code, "{}:{}: {}", file, place.substr(mark.size()), message.substr(colon + 2));
}

/// A fault of the JSON itself names its byte; read as YAML it has a line.
Result<domain::Template> decode_json(const std::string& text) {
  Result<domain::Template> template_ = codec::decode_template_json(text);
  if (template_) return template_;
  const Result<domain::Template> as_yaml = codec::decode_template_yaml(text);
  if (!as_yaml) return pass_on(as_yaml.error());
  return template_;
}

bool is_template_name(const std::filesystem::path& file) {
  const std::string suffix = file.extension().string();
  return suffix == ".yaml" || suffix == ".yml" || suffix == ".json";
}

}  // namespace

Result<TemplateFile> read_template_file(const std::string& file) {
  Result<std::string> text = read_file(file);
  if (!text) return pass_on(text.error());
  TemplateFile read{file, *std::move(text), file.ends_with(".json"), {}};
  Result<domain::Template> template_ = read.is_json ? decode_json(read.text) : codec::decode_template_yaml(read.text);
  if (!template_) return at_file(file, template_.error());
  read.template_ = *std::move(template_);
  return read;
}

Result<std::vector<std::string>> find_template_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    const auto begin = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && is_template_name(entry.path())) files.push_back(entry.path().string());
    }
    std::sort(files.begin() + begin, files.end());
    if (files.begin() + begin == files.end()) return bad_request("{} has no .yaml, .yml or .json file in it", path);
  }
  return files;
}

}  // namespace semel::cli
