#include "api/codec/submission_draft.hpp"

#include "api/codec/fields.hpp"
#include "api/codec/query.hpp"
#include "api/codec/submission.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

constexpr std::int64_t ttl_seconds_max = 3650LL * 24 * 3600;
constexpr std::int64_t head_start_seconds_max = 366LL * 24 * 3600;

/// Puts what has been checked in its place.
template <typename Member, typename Value>
Result<void> keep(const Result<void>& checked, Member& member, Value&& value) {
  if (checked) member = std::forward<Value>(value);
  return checked;
}

bool is_traceparent(std::string_view text) {
  const auto is_lower_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  bool fits = text.size() == 55;
  for (std::size_t i = 0; fits && i < text.size(); ++i) {
    const bool dash = i == 2 || i == 35 || i == 52;
    fits = dash ? text[i] == '-' : is_lower_hex(text[i]);
  }
  return fits;
}

}  // namespace

Result<void> SubmissionDraft::set_namespace(std::string text) {
  has_namespace_ = true;
  return keep(domain::check_name("namespace", text), submission_.namespace_, std::move(text));
}

Result<void> SubmissionDraft::set_name(std::string text) {
  return keep(domain::check_name("name", text), submission_.name, std::move(text));
}

Result<void> SubmissionDraft::set_version(std::string text) {
  return keep(domain::check_version(text), submission_.version, std::move(text));
}

Result<void> SubmissionDraft::set_handler(std::string text) {
  return keep(domain::check_name("handler", text), submission_.handler, std::move(text));
}

Result<void> SubmissionDraft::set_queue(std::string text) {
  return keep(domain::check_name("queue", text), submission_.queue, std::move(text));
}

Result<void> SubmissionDraft::set_context(std::string_view text, std::string canonical) {
  if (text.size() > domain::limits::context_bytes_max) {
    return refuse(ErrorCode::payload_too_large, "context is {} bytes long; at most {} are allowed", text.size(),
                  domain::limits::context_bytes_max);
  }
  submission_.context = text;
  submission_.canonical_context = std::move(canonical);
  return {};
}

Result<void> SubmissionDraft::set_idempotency_key(std::string text) {
  return keep(domain::check_key("idempotency_key", text), submission_.key, std::move(text));
}

Result<void> SubmissionDraft::set_task_id(std::string text) {
  return keep(domain::check_key("task_id", text), task_id_, std::move(text));
}

Result<void> SubmissionDraft::set_workflow_id(std::string text) {
  return keep(domain::check_key("workflow_id", text), workflow_id_, std::move(text));
}

Result<void> SubmissionDraft::set_ttl_seconds(std::int64_t seconds) {
  return keep(check_range("idempotency_key_ttl_seconds", seconds, 1, ttl_seconds_max), submission_.ttl,
              std::chrono::seconds{seconds});
}

Result<void> SubmissionDraft::set_task_uuid(std::string text) {
  const auto id = domain::ExecutionId::parse(text);
  if (!id || id->uuid.version() != 7 || !id->uuid.is_rfc_variant()) {
    return bad_request("task_uuid must be a UUIDv7 such as \"019bddae-b818-7d82-b7c5-bd42e5db27fc\"");
  }
  submission_.task_uuid = id;
  return {};
}

Result<void> SubmissionDraft::set_priority(std::int64_t priority) {
  return keep(check_range("priority", priority, -100, 100), submission_.priority, static_cast<int>(priority));
}

Result<void> SubmissionDraft::set_priority_seconds(std::int64_t seconds) {
  return keep(check_range("priority_seconds", seconds, -head_start_seconds_max, head_start_seconds_max),
              submission_.head_start, std::chrono::seconds{seconds});
}

Result<void> SubmissionDraft::set_max_attempts(std::int64_t count) {
  if (Result<void> fits = check_range("max_attempts", count, 1, domain::limits::attempts_max); !fits) return fits;
  return set_attempts(count);
}

Result<void> SubmissionDraft::set_max_retries(std::int64_t count) {
  if (Result<void> fits = check_range("max_retries", count, 0, domain::limits::attempts_max - 1); !fits) return fits;
  return set_attempts(count + 1);
}

Result<void> SubmissionDraft::set_attempts(std::int64_t attempts) {
  const std::optional<int>& known = submission_.retry.max_attempts;
  if (known && *known != attempts) return bad_request("max_attempts and max_retries are both given and differ");
  submission_.retry.max_attempts = static_cast<int>(attempts);
  return {};
}

Result<void> SubmissionDraft::set_timeout_ms(std::int64_t ms) {
  return keep(check_range("timeout_ms", ms, 1, domain::limits::timeout_max.count()), submission_.timeout, Duration{ms});
}

Result<void> SubmissionDraft::set_concurrency_key(std::string text) {
  return keep(domain::check_key("concurrency_key", text), submission_.concurrency_key, std::move(text));
}

Result<void> SubmissionDraft::set_traceparent(std::string text) {
  if (!is_traceparent(text))
    return bad_request("traceparent must be a W3C trace context: 00-<32 hex>-<16 hex>-<2 hex>, in lower case");
  submission_.traceparent = std::move(text);
  return {};
}

Result<void> SubmissionDraft::add_label(std::string name, std::string value) {
  if (Result<void> fits = domain::check_key("a label's name", name); !fits) return fits;
  if (submission_.labels.size() == domain::limits::labels_max)
    return bad_request("labels: at most {} are allowed", domain::limits::labels_max);
  for (const auto& [known, of_known] : submission_.labels) {
    if (known == name) return bad_request("labels: '{}' is given twice", name);
  }
  if (value.size() > domain::limits::label_bytes_max)
    return bad_request("labels: the value of '{}' is over {} bytes", name, domain::limits::label_bytes_max);
  submission_.labels.emplace_back(std::move(name), std::move(value));
  return {};
}

Result<void> SubmissionDraft::set_wait(Duration wait) { return keep(check_wait(wait), submission_.wait, wait); }

/// One key by up to three names.
Result<void> SubmissionDraft::merge_keys(const std::optional<std::string>& header_key) {
  std::optional<std::string>& key = submission_.key;
  if (key && task_id_ && *key != *task_id_)
    return bad_request("task_id is another name for idempotency_key; both are given and differ");
  if (!key) key = task_id_;
  if (key && workflow_id_ && *key != *workflow_id_)
    return bad_request("workflow_id is the idempotency_key of a workflow; both are given and differ");
  if (!key) key = workflow_id_;
  if (!header_key) return {};
  Result<std::string> from_header = decode_key_header(*header_key);
  if (!from_header) return pass_on(from_header.error());
  if (key && *key != *from_header)
    return bad_request("the Idempotency-Key header and the key in the body differ; send one of them");
  key = *std::move(from_header);
  return {};
}

Result<void> SubmissionDraft::check_together() const {
  if (submission_.name && submission_.handler)
    return bad_request("name and handler are both given; name submits a template's task, handler an ad-hoc task");
  if (!submission_.name && !submission_.handler)
    return bad_request("name (of a registered template) or handler (for an ad-hoc task) is required");
  if (!submission_.name && has_namespace_) return bad_request("namespace needs a name");
  if (!submission_.name && submission_.version) return bad_request("version needs a name");
  if (submission_.run_at && submission_.delay) return bad_request("run_at and delay are both given; send one of them");
  return {};
}

Result<domain::Submission> SubmissionDraft::finish(const std::optional<std::string>& header_key) && {
  if (Result<void> merged = merge_keys(header_key); !merged) return pass_on(merged.error());
  if (Result<void> fits = check_together(); !fits) return pass_on(fits.error());
  return std::move(submission_);
}

}  // namespace semel::codec
