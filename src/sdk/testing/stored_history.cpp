#include "sdk/testing/stored_history.hpp"

#include "base/json/reader.hpp"
#include "base/time.hpp"

namespace semel::testkit {
namespace {

Result<std::string> read_any_string(json::Reader& reader) { return reader.read_string(); }

template <typename T, typename Into>
Result<void> keep(Result<T> read, Into& into) {
  if (!read) return pass_on(read.error());
  into = *std::move(read);
  return {};
}

Result<void> read_event_member(json::Reader& reader, const std::string& key, sdk::Event& event) {
  if (key == "kind") return keep(read_any_string(reader), event.kind);
  if (key == "task_key") return keep(read_any_string(reader), event.task_key);
  if (key == "sequence") {
    std::int64_t sequence = 0;
    const Result<void> read = keep(reader.read_integer(), sequence);
    event.sequence = static_cast<std::uint64_t>(sequence);
    return read;
  }
  if (key == "at") {
    std::string text;
    if (const Result<void> read = keep(read_any_string(reader), text); !read) return read;
    const std::optional<Time> at = parse_rfc3339(text);
    if (!at) return bad_request("event {}: '{}' is no time", event.sequence, text);
    event.at = *at;
    return {};
  }
  const Result<std::string_view> raw = reader.read_raw();
  if (!raw) return pass_on(raw.error());
  if (key == "detail") event.detail = *raw;
  return {};
}

Result<void> read_events(json::Reader& reader, std::vector<sdk::Event>& events) {
  if (const Result<void> begun = reader.begin_array(); !begun) return begun;
  while (true) {
    const Result<bool> more = reader.next_element();
    if (!more) return pass_on(more.error());
    if (!*more) return {};
    sdk::Event event;
    const Result<void> read =
        read_object(reader, [&](const std::string& key) { return read_event_member(reader, key, event); });
    if (!read) return read;
    events.push_back(std::move(event));
  }
}

}  // namespace

Result<StoredHistory> read_history(std::string_view text) {
  StoredHistory history;
  json::Reader reader(text);
  const Result<void> read = read_object(reader, [&](const std::string& key) -> Result<void> {
    if (key == "workflow_execution_id") return keep(read_any_string(reader), history.identity.execution_id);
    if (key == "workflow_id") return keep(read_any_string(reader), history.identity.workflow_id);
    if (key == "kind") return keep(read_any_string(reader), history.identity.kind);
    if (key == "events") return read_events(reader, history.events);
    const Result<std::string_view> raw = reader.read_raw();
    if (!raw) return pass_on(raw.error());
    if (key == "input") history.input = *raw;
    return {};
  });
  if (!read) return pass_on(read.error());
  if (history.events.empty()) return bad_request("it has no events");
  return history;
}

}  // namespace semel::testkit
