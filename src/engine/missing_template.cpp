#include "engine/missing_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/nearest.hpp"

namespace semel::engine {
namespace {

constexpr std::size_t compared_max = 1'000;  // so that a wrong name costs little, however many templates there are

/// "namespace/name" of what was probably meant, of templates that are there under other names. The same name in another
/// namespace comes first: `namespace` is easily forgotten.
std::optional<std::string> meant_by(const std::string& namespace_, const std::string& name, const Templates& seen) {
  std::vector<std::string> paths;
  for (const auto& each : seen) {
    if (each->name == name && each->namespace_ != namespace_) return each->namespace_ + "/" + name;
    if (paths.size() < compared_max) paths.push_back(each->namespace_ + "/" + each->name);
  }
  const std::vector<std::string_view> known(paths.begin(), paths.end());
  const auto path = nearest(namespace_ + "/" + name, known);
  return path ? std::optional<std::string>(*path) : std::nullopt;
}

}  // namespace

Error missing_template(const domain::Submission& submission, const Templates& seen) {
  const std::string path = submission.namespace_ + "/" + *submission.name;
  const auto is_the_same = [&](const auto& each) {
    return each->namespace_ == submission.namespace_ && each->name == *submission.name;
  };
  const auto newest = std::ranges::find_if(seen, is_the_same);
  const std::string version = submission.version ? " version " + *submission.version : std::string();
  std::string message = fmt::format("no template {}{} is registered; ", path, version);
  if (newest != seen.end()) {
    message += fmt::format("the newest is {}", (*newest)->version);
  } else if (const auto meant = meant_by(submission.namespace_, *submission.name, seen)) {
    message += fmt::format("did you mean {}?", *meant);
  } else {
    message += "PUT it to /v1/templates first";
  }
  return {ErrorCode::not_found, std::move(message)};
}

}  // namespace semel::engine
