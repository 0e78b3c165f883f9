#include "semel/replayer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>
#include <sstream>

#include "sdk/testing/stored_history.hpp"

namespace semel::testkit {
namespace {

/// An error as people read it, "type: message"; other texts as they are.
std::string in_words(const std::string& problem) {
  const auto parsed = nlohmann::json::parse(problem, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("type") || !parsed.contains("message")) return problem;
  return parsed["type"].get<std::string>() + ": " + parsed["message"].get<std::string>();
}

}  // namespace

Replayer::Line Replayer::replay_file(const std::string& file) const {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!(text << stream.rdbuf())) return {some_not_replayed, "it cannot be read"};
  const Result<StoredHistory> history = read_history(text.view());
  if (!history) return {some_not_replayed, "it is no history: " + history.error().message};
  const sdk::WorkflowIdentity& identity = history->identity;
  const std::string name = fmt::format("{} {}", identity.kind, identity.workflow_id);
  const auto found = workflows_.find(identity.kind);
  if (found == workflows_.end())
    return {some_not_replayed, fmt::format("{}: this program has no such workflow, but {}", name,
                                           fmt::join(std::views::keys(workflows_), ", "))};
  const ReplayReport report = replay(found->second, *history);
  if (report.fits()) return {all_fit, name + ": fits"};
  return {some_do_not_fit, fmt::format("{}: does not fit: {}", name, in_words(report.problem()))};
}

int Replayer::run(int argc, const char* const* argv) const {
  if (argc < 2) {
    std::fputs("usage: PROGRAM HISTORY.json…\n", stderr);
    return some_not_replayed;
  }
  int worst = all_fit;
  for (int i = 1; i < argc; ++i) {
    const Line line = replay_file(argv[i]);
    fmt::print("{}: {}\n", argv[i], line.text);
    worst = std::max(worst, line.code);
  }
  return worst;
}

}  // namespace semel::testkit
