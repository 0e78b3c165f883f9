#include "api/codec/promise_request.hpp"

#include "api/codec/error_field.hpp"
#include "api/codec/submission_fields.hpp"
#include "api/codec/value_field.hpp"
#include "domain/names.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::codec {
namespace {

using domain::Submission;
using engine::Engine;
using json::Reader;

/// A promise is never tried: its timeout is when it must be settled.
Result<void> read_promise_timeout(Reader& reader, std::string_view field, SubmissionDraft& draft) {
  const Result<std::int64_t> ms = read_integer(reader, field, 1, domain::limits::timeout_max.count());
  if (!ms) return pass_on(ms.error());
  draft.submission().deadline_after = Duration{*ms};
  return {};
}

constexpr FieldTable<SubmissionDraft, 8> promise_fields{{
    {"idempotency_key", text_into<&SubmissionDraft::set_idempotency_key>},
    {"idempotency_key_ttl_seconds", number_into<&SubmissionDraft::set_ttl_seconds>},
    {"task_uuid", text_into<&SubmissionDraft::set_task_uuid>},
    {"timeout_ms", read_promise_timeout},
    {"queue", text_into<&SubmissionDraft::set_queue>},
    {"reuse", choice_into<&Submission::reuse, domain::parse_reuse, domain::reuse_names>},
    {"on_duplicate", choice_into<&Submission::on_duplicate, domain::parse_on_duplicate, domain::on_duplicate_names>},
    {"labels", read_labels},
}};

struct SettleDraft {
  std::optional<std::string> key{};
  std::optional<std::string> value{};
};

Result<void> read_promise_key(Reader& reader, std::string_view field, SettleDraft& draft) {
  Result<std::string> key = read_text(reader, field);
  if (!key) return pass_on(key.error());
  if (Result<void> fits = domain::check_key(field, *key); !fits) return fits;
  draft.key = *std::move(key);
  return {};
}

template <auto Read>
Result<void> read_settling(Reader& reader, std::string_view field, SettleDraft& draft) {
  Result<std::string> value = Read(reader, field);
  if (!value) return pass_on(value.error());
  draft.value = *std::move(value);
  return {};
}

constexpr FieldTable<SettleDraft, 1> resolve_fields{{{"value", read_settling<read_json_value>}}};
constexpr FieldTable<SettleDraft, 1> reject_fields{{{"error", read_settling<read_error>}}};
constexpr FieldTable<SettleDraft, 2> resolve_by_key_fields{
    {{"key", read_promise_key}, {"value", read_settling<read_json_value>}}};
constexpr FieldTable<SettleDraft, 2> reject_by_key_fields{
    {{"key", read_promise_key}, {"error", read_settling<read_error>}}};

/// Nothing said is null; why a promise is rejected must be said.
Result<Engine::SettleRequest> finish_settling(SettleDraft draft, Settling how,
                                              std::variant<domain::ExecutionId, std::string> promise) {
  if (how == Settling::reject && !draft.value) return bad_request("error is required: why the promise is rejected");
  return Engine::SettleRequest{std::move(promise), how == Settling::resolve, std::move(draft.value).value_or("null")};
}

}  // namespace

Result<Submission> decode_promise(std::string_view body, const std::optional<std::string>& header_key) {
  SubmissionDraft draft;
  draft.submission().kind = domain::Kind::promise;
  draft.submission().handler.emplace(domain::code::promise_handler);
  if (Result<void> read = read_body(body, promise_fields, draft); !read) return pass_on(read.error());
  return std::move(draft).finish(header_key);
}

Result<Engine::SettleRequest> decode_settle(std::string_view body, Settling how, domain::ExecutionId promise) {
  SettleDraft draft;
  const auto& table = how == Settling::resolve ? resolve_fields : reject_fields;
  if (Result<void> read = read_body(body, table, draft); !read) return pass_on(read.error());
  return finish_settling(std::move(draft), how, promise);
}

Result<Engine::SettleRequest> decode_settle_by_key(std::string_view body, Settling how) {
  SettleDraft draft;
  const auto& table = how == Settling::resolve ? resolve_by_key_fields : reject_by_key_fields;
  if (Result<void> read = read_body(body, table, draft); !read) return pass_on(read.error());
  if (!draft.key) return bad_request("key is required: the idempotency_key of the promise");
  std::string key = *draft.key;
  return finish_settling(std::move(draft), how, std::move(key));
}

}  // namespace semel::codec
