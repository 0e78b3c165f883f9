#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/submission.hpp"

namespace semel::codec {

/// A submission while its fields are read, whatever it is that they are read from. Each setter checks its value alone,
/// and names the field in what it refuses; finish() looks at all of them together. A field that is set was given.
class SubmissionDraft {
 public:
  Result<void> set_namespace(std::string text);
  Result<void> set_name(std::string text);
  Result<void> set_version(std::string text);
  Result<void> set_handler(std::string text);
  Result<void> set_queue(std::string text);
  /// The text as written, and its canonical form.
  Result<void> set_context(std::string_view text, std::string canonical);
  Result<void> set_idempotency_key(std::string text);
  Result<void> set_task_id(std::string text);
  /// Of a workflow: its key.
  Result<void> set_workflow_id(std::string text);
  bool has_workflow_id() const { return workflow_id_.has_value(); }
  Result<void> set_ttl_seconds(std::int64_t seconds);
  Result<void> set_task_uuid(std::string text);
  Result<void> set_priority(std::int64_t priority);
  Result<void> set_priority_seconds(std::int64_t seconds);
  Result<void> set_max_attempts(std::int64_t count);
  Result<void> set_max_retries(std::int64_t count);
  Result<void> set_timeout_ms(std::int64_t ms);
  Result<void> set_concurrency_key(std::string text);
  Result<void> set_traceparent(std::string text);
  Result<void> add_label(std::string name, std::string value);
  Result<void> set_wait(Duration wait);
  /// Where there is nothing to check of a value alone.
  domain::Submission& submission() { return submission_; }

  /// `header_key` is the raw Idempotency-Key header, where there is one.
  Result<domain::Submission> finish(const std::optional<std::string>& header_key) &&;

 private:
  Result<void> set_attempts(std::int64_t attempts);
  Result<void> merge_keys(const std::optional<std::string>& header_key);
  Result<void> check_together() const;

  domain::Submission submission_;
  std::optional<std::string> task_id_;
  std::optional<std::string> workflow_id_;
  bool has_namespace_ = false;
};

}  // namespace semel::codec
