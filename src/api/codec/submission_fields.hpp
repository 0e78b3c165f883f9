#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/fields.hpp"
#include "api/codec/submission_draft.hpp"
#include "base/utf8.hpp"

/// The fields that submissions of tasks, workflows and promises share: readers for a FieldTable<SubmissionDraft, …>.
namespace semel::codec {

template <auto Set>
Result<void> text_into(json::Reader& reader, std::string_view field, SubmissionDraft& draft) {
  Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  return (draft.*Set)(*std::move(text));
}

template <auto Set>
Result<void> number_into(json::Reader& reader, std::string_view field, SubmissionDraft& draft) {
  const Result<std::int64_t> number = reader.read_integer();
  if (!number) return in_field(field, number.error());
  return (draft.*Set)(*number);
}

template <auto Member, auto Parse, const std::string_view& Names>
Result<void> choice_into(json::Reader& reader, std::string_view field, SubmissionDraft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  const auto value = Parse(*text);
  if (!value)
    return bad_request("{} has an unknown value '{}'; it must be one of {}", field, utf8_prefix(*text, 40), Names);
  draft.submission().*Member = *value;
  return {};
}

template <auto Member>
Result<void> time_into(json::Reader& reader, std::string_view field, SubmissionDraft& draft) {
  const Result<Time> time = read_time(reader, field);
  if (!time) return pass_on(time.error());
  draft.submission().*Member = *time;
  return {};
}

Result<void> read_delay(json::Reader& reader, std::string_view field, SubmissionDraft& draft);
Result<void> read_labels(json::Reader& reader, std::string_view field, SubmissionDraft& draft);
Result<void> read_result_wait(json::Reader& reader, std::string_view field, SubmissionDraft& draft);
/// A time, or a duration from the submission on.
Result<void> read_deadline(json::Reader& reader, std::string_view field, SubmissionDraft& draft);

}  // namespace semel::codec
