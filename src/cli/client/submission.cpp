#include "cli/client/submission.hpp"

#include <algorithm>

#include "base/json/canonical.hpp"
#include "base/json/reader.hpp"
#include "base/json/writer.hpp"
#include "base/utf8.hpp"
#include "cli/client/show_time.hpp"

namespace semel::cli {
namespace {

using Texts = std::vector<std::pair<std::string_view, const std::optional<std::string>*>>;

Texts plain_members(const SubmissionText& text) {
  return {{"name", &text.name},
          {"handler", &text.handler},
          {"namespace", &text.namespace_},
          {"version", &text.version},
          {"idempotency_key", &text.key},
          {"queue", &text.queue},
          {"delay", &text.delay},
          {"run_at", &text.run_at},
          {"deadline", &text.deadline},
          {"concurrency_key", &text.concurrency_key},
          {"reuse", &text.reuse},
          {"on_duplicate", &text.on_duplicate},
          {"on_payload_mismatch", &text.on_payload_mismatch}};
}

Result<void> check(const SubmissionText& text) {
  for (const auto& [name, value] : plain_members(text)) {
    if (*value && !is_utf8(**value)) return bad_request("{} is not UTF-8", name);
  }
  if (text.delay) {
    if (const auto delay = read_duration("--delay", *text.delay); !delay) return pass_on(delay.error());
  }
  if (text.run_at && !parse_rfc3339(*text.run_at))
    return bad_request("--run-at: '{}' is not a time such as 2026-01-20T12:30:00Z", *text.run_at);
  if (!text.context) return {};
  if (const Result<std::string> canonical = json::canonicalize(*text.context); !canonical)
    return bad_request("the context is not JSON that can be sent: {}", canonical.error().message);
  return {};
}

Result<void> write_ttl(json::Writer& writer, const std::string& text) {
  const Result<Duration> ttl = read_duration("--ttl", text);
  if (!ttl) return pass_on(ttl.error());
  if (*ttl < 1s || *ttl % 1s != Duration{0}) return bad_request("--ttl: {} is not whole seconds, at least 1s", text);
  writer.integer("idempotency_key_ttl_seconds", *ttl / 1s);
  return {};
}

Result<void> write_labels(json::Writer& writer, const std::vector<std::string>& labels) {
  std::vector<std::string_view> names;
  writer.key("labels").begin_object();
  for (const std::string& label : labels) {
    const std::size_t equals = label.find('=');
    if (equals == std::string::npos || equals == 0 || !is_utf8(label))
      return bad_request("--label: '{}' is not name=value", label);
    const std::string_view name = std::string_view(label).substr(0, equals);
    if (std::find(names.begin(), names.end(), name) != names.end())
      return bad_request("--label: '{}' is given twice", name);
    names.push_back(name);
    writer.string(name, std::string_view(label).substr(equals + 1));
  }
  writer.end_object();
  return {};
}

}  // namespace

Result<std::string> write_submission(const SubmissionText& text, const Stamp& stamp) {
  if (Result<void> fits = check(text); !fits) return pass_on(fits.error());
  json::Writer writer;
  writer.begin_object();
  for (const auto& [name, value] : plain_members(text)) {
    if (*value) writer.string(name, **value);
  }
  if (text.priority) writer.integer("priority", *text.priority);
  if (text.max_attempts) writer.integer("max_attempts", *text.max_attempts);
  if (text.timeout) {
    const Result<Duration> timeout = read_duration("--attempt-timeout", *text.timeout);
    if (!timeout) return pass_on(timeout.error());
    writer.integer("timeout_ms", timeout->count());
  }
  if (text.context) writer.raw("context", *text.context);
  if (text.ttl) {
    if (Result<void> written = write_ttl(writer, *text.ttl); !written) return pass_on(written.error());
  }
  if (!text.labels.empty()) {
    if (Result<void> written = write_labels(writer, text.labels); !written) return pass_on(written.error());
  }
  if (text.wait) writer.string("wait", to_text(*text.wait));
  if (stamp.task_uuid) writer.string("task_uuid", stamp.task_uuid->text());
  if (stamp.requested_at != Time{}) writer.string("requested_at", to_rfc3339(stamp.requested_at));
  return writer.end_object().take();
}

Result<std::string> stamp_line(std::string_view line, const Stamp& stamp) {
  if (Result<void> grammar = json::check_grammar(line); !grammar) return pass_on(grammar.error());
  json::Reader reader(line);
  if (!reader.begin_object()) return bad_request("a submission must be a JSON object");
  const std::size_t begin = reader.offset();
  bool has_id = false;
  bool has_time = false;
  bool is_empty = true;
  while (true) {
    const Result<std::optional<std::string>> member = reader.next_member();
    if (!member) return pass_on(member.error());
    if (!*member) break;
    is_empty = false;
    has_id = has_id || **member == "task_uuid";
    has_time = has_time || **member == "requested_at";
    if (const auto value = reader.read_raw(); !value) return pass_on(value.error());
  }
  std::string added;
  if (stamp.task_uuid && !has_id) added += fmt::format(R"("task_uuid":"{}",)", stamp.task_uuid->text());
  if (!has_time) added += fmt::format(R"("requested_at":"{}",)", to_rfc3339(stamp.requested_at));
  if (is_empty && !added.empty()) added.pop_back();
  return std::string(line.substr(0, begin)) + added + std::string(line.substr(begin));
}

}  // namespace semel::cli
