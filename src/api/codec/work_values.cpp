#include "api/codec/work_values.hpp"

#include <algorithm>

#include "api/codec/fields.hpp"
#include "base/json/canonical.hpp"
#include "base/json/writer.hpp"
#include "base/utf8.hpp"
#include "domain/names.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::codec {
namespace {

constexpr std::size_t names_max = 100;
constexpr std::int64_t lease_ms_max = 3'600'000;

/// Of queues or handlers.
Result<void> check_names(std::string_view field, const std::vector<std::string>& names) {
  if (names.empty()) return bad_request("{} must not be empty", field);
  if (names.size() > names_max) return bad_request("{}: at most {} are allowed", field, names_max);
  for (const std::string& name : names) {
    if (Result<void> fits = domain::check_name(field, name); !fits) return fits;
  }
  return {};
}

Result<std::vector<int>> weights_of(const PollDraft& draft) {
  std::vector<int> weights;
  for (const auto& [queue, weight] : draft.weights) {
    if (std::find(draft.queues->begin(), draft.queues->end(), queue) == draft.queues->end())
      return bad_request("weights names '{}', which is none of the queues", utf8_prefix(queue, 100));
  }
  if (draft.weights.empty()) return weights;
  for (const std::string& queue : *draft.queues) {
    const auto given = draft.weights.find(queue);
    weights.push_back(given == draft.weights.end() ? 1 : given->second);
  }
  return weights;
}

}  // namespace

Result<std::string_view> read_value(std::string_view field, std::string_view text, std::string& canonical) {
  json::Reader reader(text);
  const Result<std::string_view> value = reader.read_canonical(canonical);
  if (!value) return in_field(field, value.error());
  if (Result<void> end = reader.expect_end(); !end) return in_field(field, end.error());
  return *value;
}

Result<void> check_payload(std::string_view field, std::size_t bytes) {
  if (bytes <= domain::limits::context_bytes_max) return {};
  return refuse(ErrorCode::payload_too_large, "{} is {} bytes long; at most {} are allowed", field, bytes,
                domain::limits::context_bytes_max);
}

Result<std::string> make_failure(std::string_view type, std::string_view message,
                                 std::optional<std::string_view> details) {
  json::Writer writer;
  writer.begin_object();
  if (details) {
    std::string canonical;
    if (Result<std::string_view> read = read_value("details", *details, canonical); !read) return pass_on(read.error());
    writer.raw("details", canonical);
  }
  const std::string text = writer.string("message", message).string("type", type).end_object().take();
  if (Result<void> fits = check_payload("error", text.size()); !fits) return pass_on(fits.error());
  return json::canonicalize(text);
}

Result<Duration> retry_after_of(std::int64_t ms) {
  if (Result<void> fits = check_range("retry_after_ms", ms, 0, domain::limits::backoff_max.count()); !fits)
    return pass_on(fits.error());
  return Duration{ms};
}

Result<Duration> lease_of(std::int64_t ms) {
  if (Result<void> fits = check_range("lease_ms", ms, 1, lease_ms_max); !fits) return pass_on(fits.error());
  return Duration{ms};
}

Result<void> check_progress_message(std::string_view message) {
  if (message.size() <= progress_message_bytes_max) return {};
  return bad_request("message is {} bytes long; at most {} are allowed", message.size(), progress_message_bytes_max);
}

Result<void> check_weight(std::int64_t weight) { return check_range("weights", weight, 1, domain::limits::weight_max); }

Result<engine::Engine::PollRequest> finish_poll(PollDraft draft) {
  if (!draft.worker) return bad_request("worker_id is required");
  if (Result<void> fits = domain::check_key("worker_id", *draft.worker); !fits) return pass_on(fits.error());
  if (!draft.queues) return bad_request("queues is required");
  if (Result<void> fits = check_names("queues", *draft.queues); !fits) return pass_on(fits.error());
  if (draft.handlers) {
    if (Result<void> fits = check_names("handlers", *draft.handlers); !fits) return pass_on(fits.error());
  }
  if (draft.workflows) {
    if (Result<void> fits = check_names("workflows", *draft.workflows); !fits) return pass_on(fits.error());
    if (!draft.handlers) draft.handlers.emplace();
    for (const std::string& kind : *draft.workflows) draft.handlers->push_back(domain::code::handler_of_workflow(kind));
  }
  Result<std::vector<int>> weights = weights_of(draft);
  if (!weights) return pass_on(weights.error());
  engine::Engine::PollRequest request;
  request.worker = *std::move(draft.worker);
  request.queues = *std::move(draft.queues);
  request.weights = *std::move(weights);
  request.handlers = std::move(draft.handlers);
  request.lease = draft.lease;
  return request;
}

}  // namespace semel::codec
