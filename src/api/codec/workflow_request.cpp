#include "api/codec/workflow_request.hpp"

#include "api/codec/submission_fields.hpp"
#include "api/codec/value_field.hpp"
#include "api/codec/work_values.hpp"
#include "domain/names.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::codec {
namespace {

using domain::Submission;
using engine::Engine;
using json::Reader;

Result<void> read_workflow_kind(Reader& reader, std::string_view field, SubmissionDraft& draft) {
  const Result<std::string> kind = read_name(reader, field);
  if (!kind) return pass_on(kind.error());
  draft.submission().handler = domain::code::handler_of_workflow(*kind);
  return {};
}

Result<void> read_workflow_input(Reader& reader, std::string_view field, SubmissionDraft& draft) {
  std::string canonical;
  const Result<std::string_view> input = reader.read_canonical(canonical);
  if (!input) return in_field(field, input.error());
  if (Result<void> fits = check_payload(field, input->size()); !fits) return fits;
  return draft.set_context(*input, std::move(canonical));
}

// What concerns single attempts is not here: an activation that fails is tried again for ever.
constexpr FieldTable<SubmissionDraft, 18> workflow_fields{{
    {"workflow_id", text_into<&SubmissionDraft::set_workflow_id>},
    {"kind", read_workflow_kind},
    {"input", read_workflow_input},
    {"idempotency_key", text_into<&SubmissionDraft::set_idempotency_key>},
    {"idempotency_key_ttl_seconds", number_into<&SubmissionDraft::set_ttl_seconds>},
    {"task_uuid", text_into<&SubmissionDraft::set_task_uuid>},
    {"queue", text_into<&SubmissionDraft::set_queue>},
    {"priority", number_into<&SubmissionDraft::set_priority>},
    {"priority_seconds", number_into<&SubmissionDraft::set_priority_seconds>},
    {"run_at", time_into<&Submission::run_at>},
    {"delay", read_delay},
    {"deadline", read_deadline},
    {"reuse", choice_into<&Submission::reuse, domain::parse_reuse, domain::reuse_names>},
    {"on_duplicate", choice_into<&Submission::on_duplicate, domain::parse_on_duplicate, domain::on_duplicate_names>},
    {"on_payload_mismatch",
     choice_into<&Submission::on_payload_mismatch, domain::parse_on_mismatch, domain::on_mismatch_names>},
    {"traceparent", text_into<&SubmissionDraft::set_traceparent>},
    {"labels", read_labels},
    {"wait", read_result_wait},
}};

Result<void> read_signal_name(Reader& reader, std::string_view field, Engine::SignalRequest& request) {
  Result<std::string> name = read_text(reader, field);
  if (!name) return pass_on(name.error());
  if (Result<void> fits = domain::check_key(field, *name); !fits) return fits;
  request.signal.name = *std::move(name);
  return {};
}

Result<void> read_signal_value(Reader& reader, std::string_view field, Engine::SignalRequest& request) {
  Result<std::string> value = read_json_value(reader, field);
  if (!value) return pass_on(value.error());
  request.signal.value = *std::move(value);
  return {};
}

Result<void> read_signal_key(Reader& reader, std::string_view field, Engine::SignalRequest& request) {
  Result<std::string> key = read_text(reader, field);
  if (!key) return pass_on(key.error());
  if (Result<void> fits = domain::check_key(field, *key); !fits) return fits;
  request.key = *std::move(key);
  return {};
}

constexpr FieldTable<Engine::SignalRequest, 3> signal_fields{
    {{"name", read_signal_name}, {"value", read_signal_value}, {"key", read_signal_key}}};

}  // namespace

Result<Submission> decode_workflow(std::string_view body, const std::optional<std::string>& header_key) {
  SubmissionDraft draft;
  draft.submission().kind = domain::Kind::workflow;
  if (Result<void> read = read_body(body, workflow_fields, draft); !read) return pass_on(read.error());
  if (!draft.has_workflow_id()) return bad_request("workflow_id is required: what identifies the workflow");
  if (!draft.submission().handler) return bad_request("kind is required: which workflow it is");
  return std::move(draft).finish(header_key);
}

Result<Engine::SignalRequest> decode_signal(std::string_view body) {
  Engine::SignalRequest request;
  if (Result<void> read = read_body(body, signal_fields, request); !read) return pass_on(read.error());
  if (request.signal.name.empty()) return bad_request("name is required: which signal it is");
  return request;
}

}  // namespace semel::codec
