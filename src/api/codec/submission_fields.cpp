#include "api/codec/submission_fields.hpp"

namespace semel::codec {

Result<void> read_delay(json::Reader& reader, std::string_view field, SubmissionDraft& draft) {
  const Result<Duration> delay = read_duration(reader, field);
  if (!delay) return pass_on(delay.error());
  draft.submission().delay = *delay;
  return {};
}

Result<void> read_labels(json::Reader& reader, std::string_view field, SubmissionDraft& draft) {
  if (Result<void> begun = reader.begin_object(); !begun) return in_field(field, begun.error());
  while (true) {
    Result<std::optional<std::string>> member = reader.next_member();
    if (!member) return in_field(field, member.error());
    if (!*member) return {};
    Result<std::string> value = read_text(reader, field);
    if (!value) return pass_on(value.error());
    if (Result<void> added = draft.add_label(**std::move(member), *std::move(value)); !added) return added;
  }
}

Result<void> read_result_wait(json::Reader& reader, std::string_view field, SubmissionDraft& draft) {
  const Result<Duration> wait = read_duration(reader, field);
  if (!wait) return pass_on(wait.error());
  return draft.set_wait(*wait);
}

Result<void> read_deadline(json::Reader& reader, std::string_view field, SubmissionDraft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  domain::Submission& submission = draft.submission();
  submission.deadline = parse_rfc3339(*text);
  if (submission.deadline) return {};
  submission.deadline_after = parse_duration(*text);
  if (submission.deadline_after && *submission.deadline_after > Duration{0}) return {};
  return bad_request("{} must be a time such as \"2026-01-20T12:30:00Z\", or a duration such as \"2h\"", field);
}

}  // namespace semel::codec
