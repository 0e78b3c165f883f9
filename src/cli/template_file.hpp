#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"
#include "domain/template.hpp"

namespace semel::cli {

/// A template in a file, read and checked as the server does.
struct TemplateFile {
  std::string file;
  std::string text;
  bool is_json = false;  // by the name of the file
  domain::Template template_;
};

/// Refusals begin with "FILE:LINE: " where the line is known, else with "FILE: ".
Result<TemplateFile> read_template_file(const std::string& file);

/// The files that are meant: each file itself, and every .yaml, .yml and .json file in and below each folder, by name.
Result<std::vector<std::string>> find_template_files(const std::vector<std::string>& paths);

}  // namespace semel::cli
