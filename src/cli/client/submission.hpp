#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"

namespace semel::cli {

/// What a command line says about a submission. Texts are as given; the server judges most of them.
struct SubmissionText {
  std::optional<std::string> name = {};
  std::optional<std::string> handler = {};
  std::optional<std::string> namespace_ = {};
  std::optional<std::string> version = {};
  std::optional<std::string> context = {};  // JSON
  std::optional<std::string> key = {};
  std::optional<std::string> ttl = {};  // a duration of whole seconds
  std::optional<std::string> queue = {};
  std::optional<int> priority = {};
  std::optional<std::string> delay = {};
  std::optional<std::string> run_at = {};
  std::optional<int> max_attempts = {};
  std::optional<std::string> concurrency_key = {};
  std::optional<std::string> timeout = {};   // a duration
  std::optional<std::string> deadline = {};  // a time or a duration
  std::optional<std::string> reuse = {};
  std::optional<std::string> on_duplicate = {};
  std::optional<std::string> on_payload_mismatch = {};
  std::vector<std::string> labels = {};  // "name=value"
  std::optional<Duration> wait = {};
};

/// What a submission gets before it is sent for the first time, so that sending it again is safe.
struct Stamp {
  std::optional<Uuid> task_uuid = {};
  Time requested_at = {};
};

/// The body of a submission. The context goes in as it was written. Refusals name the option.
Result<std::string> write_submission(const SubmissionText& text, const Stamp& stamp);

/// A line of a batch with what it has not got of the stamp, otherwise as it was written.
Result<std::string> stamp_line(std::string_view line, const Stamp& stamp);

}  // namespace semel::cli
