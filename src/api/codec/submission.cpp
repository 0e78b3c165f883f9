#include "api/codec/submission.hpp"

#include "api/codec/fields.hpp"
#include "api/codec/retry.hpp"
#include "api/codec/submission_fields.hpp"
#include "domain/names.hpp"
#include "engine/engine.hpp"

namespace semel::codec {
namespace {

using domain::Submission;
using json::Reader;

Result<void> read_context(Reader& reader, std::string_view field, SubmissionDraft& draft) {
  std::string canonical;
  const Result<std::string_view> context = reader.read_canonical(canonical);
  if (!context) return in_field(field, context.error());
  return draft.set_context(*context, std::move(canonical));
}

Result<void> read_retry_settings(Reader& reader, std::string_view field, SubmissionDraft& draft) {
  return read_retry(reader, field, draft.submission().retry);
}

constexpr FieldTable<SubmissionDraft, 27> fields{{
    {"namespace", text_into<&SubmissionDraft::set_namespace>},
    {"name", text_into<&SubmissionDraft::set_name>},
    {"version", text_into<&SubmissionDraft::set_version>},
    {"handler", text_into<&SubmissionDraft::set_handler>},
    {"context", read_context},
    {"idempotency_key", text_into<&SubmissionDraft::set_idempotency_key>},
    {"task_id", text_into<&SubmissionDraft::set_task_id>},
    {"idempotency_key_ttl_seconds", number_into<&SubmissionDraft::set_ttl_seconds>},
    {"task_uuid", text_into<&SubmissionDraft::set_task_uuid>},
    {"queue", text_into<&SubmissionDraft::set_queue>},
    {"priority", number_into<&SubmissionDraft::set_priority>},
    {"priority_seconds", number_into<&SubmissionDraft::set_priority_seconds>},
    {"run_at", time_into<&Submission::run_at>},
    {"delay", read_delay},
    {"reuse", choice_into<&Submission::reuse, domain::parse_reuse, domain::reuse_names>},
    {"on_duplicate", choice_into<&Submission::on_duplicate, domain::parse_on_duplicate, domain::on_duplicate_names>},
    {"on_payload_mismatch",
     choice_into<&Submission::on_payload_mismatch, domain::parse_on_mismatch, domain::on_mismatch_names>},
    {"requested_at", time_into<&Submission::requested_at>},
    {"traceparent", text_into<&SubmissionDraft::set_traceparent>},
    {"labels", read_labels},
    {"wait", read_result_wait},
    {"max_attempts", number_into<&SubmissionDraft::set_max_attempts>},
    {"max_retries", number_into<&SubmissionDraft::set_max_retries>},
    {"retry", read_retry_settings},
    {"timeout_ms", number_into<&SubmissionDraft::set_timeout_ms>},
    {"deadline", read_deadline},
    {"concurrency_key", text_into<&SubmissionDraft::set_concurrency_key>},
}};

}  // namespace

Result<std::string> decode_key_header(std::string_view value) {
  constexpr std::string_view what = "the Idempotency-Key header";
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  std::string key;
  if (value.empty() || value.front() != '"') {
    key = value;
  } else {
    std::size_t i = 1;
    for (; i < value.size() && value[i] != '"'; ++i) {
      const bool escaped = value[i] == '\\';
      if (escaped && (++i == value.size() || (value[i] != '"' && value[i] != '\\'))) {
        return bad_request("{} is not a valid RFC 8941 string: after \\ only \" or \\ may stand", what);
      }
      if (static_cast<unsigned char>(value[i]) > 0x7E)
        return bad_request("{} is not a valid RFC 8941 string: only ASCII may stand in quotes", what);
      key += value[i];
    }
    if (i + 1 != value.size())
      return bad_request("{} is not a valid RFC 8941 string: it must end with its closing quote", what);
  }
  if (Result<void> fits = domain::check_key(what, key); !fits) return pass_on(fits.error());
  return key;
}

namespace {

bool is_array(std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && body[first] == '[';
}

Result<Submission> read_submission(std::string_view body, const std::optional<std::string>& header_key) {
  SubmissionDraft draft;
  if (Result<void> read = read_body(body, fields, draft); !read) return pass_on(read.error());
  return std::move(draft).finish(header_key);
}

}  // namespace

Result<Submission> decode_submission(std::string_view body, const std::optional<std::string>& header_key) {
  if (is_array(body)) return bad_request("a submission is an object; POST /v1/tasks:batch takes many of them");
  return read_submission(body, header_key);
}

Result<Submission> without_wait(Result<Submission> submission) {
  if (submission && submission->wait) return bad_request("wait is not allowed in a batch; ask for each result instead");
  return submission;
}

Result<void> check_batch_size(std::size_t submissions) {
  if (submissions > engine::limits::batch_max)
    return bad_request("tasks: at most {} submissions are allowed in a batch", engine::limits::batch_max);
  if (submissions == 0) return bad_request("tasks must be an array of 1 to {} submissions", engine::limits::batch_max);
  return {};
}

Result<std::vector<Result<Submission>>> decode_batch(std::string_view body) {
  if (body.empty()) body = "{}";  // as everywhere
  if (Result<void> grammar = json::check_grammar(body); !grammar) return pass_on(grammar.error());
  std::vector<Result<Submission>> submissions;
  constexpr FieldTable<std::vector<Result<Submission>>, 1> table{
      {{"tasks", [](Reader& reader, std::string_view field, auto& into) -> Result<void> {
          return read_elements(reader, field, [&](Reader& each) -> Result<void> {
            if (Result<void> fits = check_batch_size(into.size() + 1); !fits) return fits;
            const Result<std::string_view> element = each.read_raw();
            if (!element) return in_field(field, element.error());
            into.push_back(without_wait(read_submission(*element, std::nullopt)));
            return {};
          });
        }}}};
  if (is_array(body)) return bad_request("a batch is an object with the submissions in it: {{\"tasks\": […]}}");
  if (Result<void> read = read_body(body, table, submissions); !read) return pass_on(read.error());
  if (Result<void> fits = check_batch_size(submissions.size()); !fits) return pass_on(fits.error());
  return submissions;
}

}  // namespace semel::codec
