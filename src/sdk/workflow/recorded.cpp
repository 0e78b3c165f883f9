#include "sdk/workflow/recorded.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/json/reader.hpp"
#include "base/json/writer.hpp"

namespace semel::sdk {
namespace {

using What = Recorded::What;

struct EventKind {
  std::string_view name;
  What what;
  Asked asked = Asked::task;
  Status status = Status::completed;
};

constexpr std::array event_kinds{
    EventKind{"run_started", What::began},
    EventKind{"continued", What::continued},
    EventKind{"task_scheduled", What::asked, Asked::task},
    EventKind{"timer_started", What::asked, Asked::timer},
    EventKind{"child_started", What::asked, Asked::child},
    EventKind{"promise_created", What::asked, Asked::promise},
    EventKind{"marker", What::asked, Asked::marker},
    EventKind{"timer_cancelled", What::asked, Asked::cancel},
    EventKind{"task_cancel_requested", What::asked, Asked::cancel},
    EventKind{"task_completed", What::closed, Asked::task, Status::completed},
    EventKind{"task_failed", What::closed, Asked::task, Status::failed},
    EventKind{"task_cancelled", What::closed, Asked::task, Status::cancelled},
    EventKind{"task_timed_out", What::closed, Asked::task, Status::timed_out},
    EventKind{"timer_fired", What::closed, Asked::timer, Status::completed},
    EventKind{"signal_received", What::signal},
};

/// The members of an event's detail that matter; numbers stay as they were written.
struct Detail {
  std::optional<std::int64_t> command{};
  std::optional<std::int64_t> target{};
  std::string name{};
  std::string handler{};
  std::string kind{};
  std::string key{};
  std::string value{};
  std::optional<std::string> result{};
  std::string error{};
};

Result<void> read_text(json::Reader& reader, std::string& into) {
  const Result<json::Type> type = reader.peek();
  if (!type) return pass_on(type.error());
  if (*type == json::Type::string) {
    Result<std::string> text = reader.read_string();
    if (!text) return pass_on(text.error());
    into = *std::move(text);
    return {};
  }
  const Result<std::string_view> skipped = reader.read_raw();
  if (!skipped) return pass_on(skipped.error());
  return {};
}

Result<void> read_number(json::Reader& reader, std::optional<std::int64_t>& into) {
  const Result<std::int64_t> number = reader.read_integer();
  if (!number) return pass_on(number.error());
  if (*number < 0) return bad_request("a number is negative");
  into = *number;
  return {};
}

Result<void> read_member(json::Reader& reader, const std::string& key, Detail& detail) {
  if (key == "command") return read_number(reader, detail.command);
  if (key == "target") return read_number(reader, detail.target);
  if (key == "name") return read_text(reader, detail.name);
  if (key == "handler") return read_text(reader, detail.handler);
  if (key == "kind") return read_text(reader, detail.kind);
  if (key == "key") return read_text(reader, detail.key);
  const Result<std::string_view> raw = reader.read_raw();
  if (!raw) return pass_on(raw.error());
  if (key == "value") detail.value = *raw;
  if (key == "result") detail.result.emplace(*raw);
  if (key == "error") detail.error = *raw;
  return {};
}

Result<Detail> read_detail(std::string_view text) {
  Detail detail;
  if (text.empty()) return detail;
  json::Reader reader(text);
  if (const Result<void> begun = reader.begin_object(); !begun) return pass_on(begun.error());
  while (true) {
    const Result<std::optional<std::string>> key = reader.next_member();
    if (!key) return pass_on(key.error());
    if (!*key) return detail;
    if (const Result<void> read = read_member(reader, **key, detail); !read) return pass_on(read.error());
  }
}

/// "charge#3" → 3: what names a command's execution ends with its number.
std::optional<std::int64_t> number_in(std::string_view task_key) {
  const std::size_t mark = task_key.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = task_key.data() + task_key.size();
  const auto [read, error] = std::from_chars(task_key.data() + mark + 1, end, number);
  return error == std::errc{} && read == end ? std::optional(number) : std::nullopt;
}

std::string name_in(Asked asked, const Detail& detail, std::string_view task_key) {
  switch (asked) {
    case Asked::task:
      return detail.handler.empty() ? std::string(task_key.substr(0, task_key.rfind('#'))) : detail.handler;
    case Asked::child: return detail.kind;
    case Asked::marker: return detail.name;
    case Asked::promise: return detail.key;
    case Asked::timer:
    case Asked::cancel: return {};
  }
  return {};
}

}  // namespace

Result<Recorded> read_event(const Event& event) {
  const auto kind = std::find_if(event_kinds.begin(), event_kinds.end(),
                                 [&](const EventKind& each) { return each.name == event.kind; });
  if (kind == event_kinds.end()) return Recorded{};
  Result<Detail> detail = read_detail(event.detail);
  if (!detail) return bad_request("event {}, {}: {}", event.sequence, event.kind, detail.error().message);

  Recorded recorded{kind->what, 0, kind->asked, {}, std::move(detail->value), {}};
  const std::optional<std::int64_t> number = detail->command ? detail->command : number_in(event.task_key);
  const bool has_number = recorded.what == What::asked || recorded.what == What::closed;
  if (has_number && (!number || *number < 1)) {
    return bad_request("event {}, {}: it does not say of which command it is", event.sequence, event.kind);
  }
  recorded.number = static_cast<std::uint64_t>(number.value_or(0));
  if (recorded.what == What::asked) recorded.name = name_in(recorded.asked, *detail, event.task_key);
  if (recorded.what == What::signal) recorded.name = detail->name;
  if (recorded.what == What::closed) {
    recorded.closing = {kind->status, std::move(detail->result), std::move(detail->error)};
    if (kind->status != Status::completed && recorded.closing.error.empty()) {
      recorded.closing.error = error_text(name_of(kind->status), "it did not complete");
    }
  }
  return recorded;
}

std::string describe(Asked asked, std::string_view name) {
  switch (asked) {
    case Asked::task: return fmt::format("task '{}'", name);
    case Asked::timer: return "a timer";
    case Asked::child: return fmt::format("child workflow '{}'", name);
    case Asked::promise: return name.empty() ? "a promise" : fmt::format("promise '{}'", name);
    case Asked::marker: return fmt::format("marker '{}'", name);
    case Asked::cancel: return "a cancellation";
  }
  return {};
}

std::string error_text(std::string_view type, std::string_view message) {
  return json::Writer().begin_object().string("type", type).string("message", message).end_object().take();
}

}  // namespace semel::sdk
