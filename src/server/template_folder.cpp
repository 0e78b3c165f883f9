#include "server/template_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <tuple>

#include "server/template_file.hpp"

namespace semel::server {
namespace {

namespace fs = std::filesystem;

/// The visible entries of a folder by name, so that every start is alike.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with('.')) entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_template(const fs::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml" || file.extension() == ".json";
}

/// Walks the folder, and collects templates and problems.
class Reading {
 public:
  explicit Reading(fs::path folder) : folder_(std::move(folder)) {}

  Result<std::vector<domain::Template>> read() {
    if (!fs::is_directory(folder_)) return bad_request("{}: is not a folder of templates", folder_.string());
    for (const fs::path& entry : entries_of(folder_)) {
      if (fs::is_directory(entry)) read_namespace(entry);
      else if (is_template(entry)) problem(entry, "put it into a folder that has the name of its namespace");
    }
    if (!problems_.empty()) return bad_request("{}", fmt::join(problems_, "\n"));
    return std::move(templates_);
  }

 private:
  void read_namespace(const fs::path& folder) {
    for (const fs::path& entry : entries_of(folder)) {
      if (fs::is_directory(entry)) problem(entry, "a namespace has no folders in it, only files");
      else if (is_template(entry)) read_file(entry);
    }
  }

  void read_file(const fs::path& file) {
    Result<domain::Template> template_ = read_template_file(file);
    if (!template_) return problem(file, template_.error().message);
    const auto [first, is_new] =
        files_.emplace(std::tuple(template_->namespace_, template_->name, template_->version), file);
    if (!is_new) return problem(file, fmt::format("{} is the same template and version", first->second.string()));
    templates_.push_back(*std::move(template_));
  }

  void problem(const fs::path& file, const std::string& what) {
    problems_.push_back(fmt::format("{}: {}", file.string(), what));
  }

  const fs::path folder_;
  std::map<std::tuple<std::string, std::string, std::string>, fs::path> files_;  // by what is in them
  std::vector<domain::Template> templates_;
  std::vector<std::string> problems_;
};

}  // namespace

Result<std::vector<domain::Template>> read_template_folder(const fs::path& folder) {
  try {
    return Reading(folder).read();
  } catch (const fs::filesystem_error& error) {
    return bad_request("{}: {}", error.path1().string(), error.code().message());
  }
}

Result<void> put_templates(engine::Engine& engine, std::vector<domain::Template> templates) {
  const domain::Principal principal{"default", "templates", domain::all_permissions};
  for (domain::Template& template_ : templates) {
    std::promise<Result<void>> stored;
    engine.put_template(principal, std::move(template_), [&](const Result<engine::Engine::StoredRevision>& revision) {
      if (revision) stored.set_value({});
      else stored.set_value(pass_on(revision.error()));
    });
    if (Result<void> done = stored.get_future().get(); !done) return done;
  }
  return {};
}

}  // namespace semel::server
