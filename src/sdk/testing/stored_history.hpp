#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.hpp"
#include "sdk/workflow/instance.hpp"
#include "semel/testing.hpp"

namespace semel::testkit {

/// A history in a file.
struct StoredHistory {
  sdk::WorkflowIdentity identity{};
  std::string input = "{}";
  std::vector<sdk::Event> events{};
};

Result<StoredHistory> read_history(std::string_view text);

/// Whether the code fits it.
ReplayReport replay(const detail::WorkflowFunction& workflow, const StoredHistory& history);

/// Calls `on_member` for each; it must read the value.
template <typename F>
Result<void> read_object(json::Reader& reader, F&& on_member) {
  if (const Result<void> begun = reader.begin_object(); !begun) return begun;
  while (true) {
    const Result<std::optional<std::string>> key = reader.next_member();
    if (!key) return pass_on(key.error());
    if (!*key) return {};
    if (const Result<void> read = on_member(**key); !read) return read;
  }
}

}  // namespace semel::testkit
