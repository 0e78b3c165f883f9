#include "api/codec/worker_request.hpp"

#include "api/codec/error_field.hpp"
#include "api/codec/fields.hpp"
#include "api/codec/lease_field.hpp"
#include "api/codec/retry.hpp"
#include "api/codec/work_values.hpp"

namespace semel::codec {
namespace {

using json::Reader;

Result<void> read_result(Reader& reader, std::string_view field, CompleteRequest& complete) {
  std::string canonical;  // checked like a context, stored as written
  const Result<std::string_view> result = reader.read_canonical(canonical);
  if (!result) return in_field(field, result.error());
  if (Result<void> fits = check_payload(field, result->size()); !fits) return fits;
  complete.result = *result;
  return {};
}

Result<void> read_failure(Reader& reader, std::string_view field, FailRequest& fail) {
  Result<std::string> error = read_error(reader, field);
  if (!error) return pass_on(error.error());
  fail.error = *std::move(error);
  return {};
}

Result<void> read_retryable(Reader& reader, std::string_view field, FailRequest& fail) {
  const Result<bool> retryable = read_boolean(reader, field);
  if (!retryable) return pass_on(retryable.error());
  fail.retryable = *retryable;
  return {};
}

Result<void> read_retry_after(Reader& reader, std::string_view field, FailRequest& fail) {
  const Result<std::int64_t> ms = reader.read_integer();
  if (!ms) return in_field(field, ms.error());
  const Result<Duration> after = retry_after_of(*ms);
  if (!after) return pass_on(after.error());
  fail.retry_after = *after;
  return {};
}

Result<void> read_progress(Reader& reader, std::string_view field, HeartbeatRequest& heartbeat) {
  const Result<int> millionths = read_fraction(reader, field, 1'000'000);
  if (!millionths) return pass_on(millionths.error());
  if (!heartbeat.progress) heartbeat.progress.emplace();
  heartbeat.progress->millionths = *millionths;
  return {};
}

Result<void> read_message(Reader& reader, std::string_view field, HeartbeatRequest& heartbeat) {
  Result<std::string> message = read_text(reader, field);
  if (!message) return pass_on(message.error());
  if (Result<void> fits = check_progress_message(*message); !fits) return fits;
  if (!heartbeat.progress) heartbeat.progress.emplace();
  heartbeat.progress->message = *std::move(message);
  return {};
}

constexpr FieldTable<CompleteRequest, 1> complete_fields{{{"result", read_result}}};
constexpr FieldTable<FailRequest, 3> fail_fields{
    {{"error", read_failure}, {"retryable", read_retryable}, {"retry_after_ms", read_retry_after}}};
constexpr FieldTable<HeartbeatRequest, 3> heartbeat_fields{
    {{"lease_ms", read_lease<HeartbeatRequest>}, {"progress", read_progress}, {"message", read_message}}};

/// An outcome while its members are read.
struct OutcomeDraft {
  std::optional<domain::AttemptId> attempt_id;
  std::optional<std::variant<CompleteRequest, FailRequest>> outcome;
  bool twice = false;
};

Result<void> read_attempt_id(Reader& reader, std::string_view field, OutcomeDraft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  draft.attempt_id = domain::AttemptId::parse(*text);
  return draft.attempt_id ? Result<void>{} : bad_request("attempt_id must be a UUID");
}

template <typename Request, auto Decode>
Result<void> read_outcome(Reader& reader, std::string_view field, OutcomeDraft& draft) {
  const Result<std::string_view> raw = reader.read_raw();
  if (!raw) return in_field(field, raw.error());
  Result<Request> request = Decode(*raw);
  if (!request) return in_field(field, request.error());
  draft.twice = draft.outcome.has_value();
  draft.outcome = *std::move(request);
  return {};
}

constexpr FieldTable<OutcomeDraft, 3> outcome_fields{{{"attempt_id", read_attempt_id},
                                                      {"complete", read_outcome<CompleteRequest, decode_complete>},
                                                      {"fail", read_outcome<FailRequest, decode_fail>}}};

Result<OutcomeRequest> decode_outcome(std::string_view text) {
  OutcomeDraft draft;
  if (Result<void> read = read_body(text, outcome_fields, draft); !read) return pass_on(read.error());
  if (!draft.attempt_id) return bad_request("attempt_id is required");
  if (!draft.outcome || draft.twice) return bad_request("exactly one of complete and fail is required");
  return OutcomeRequest{*draft.attempt_id, *std::move(draft.outcome)};
}

/// As the engine takes it.
Result<engine::Engine::Ending> ending_of(Result<OutcomeRequest> request) {
  if (!request) return pass_on(request.error());
  if (auto* fail = std::get_if<FailRequest>(&request->outcome))
    return engine::Engine::Ending{request->attempt_id, failure_of(std::move(*fail))};
  auto& complete = std::get<CompleteRequest>(request->outcome);
  return engine::Engine::Ending{request->attempt_id, engine::Engine::Success{std::move(complete.result)}};
}

}  // namespace

engine::Engine::Failure failure_of(FailRequest request) {
  return {std::move(request.error), request.retryable, request.retry_after};
}

Endings endings_of(OutcomeRequests requests) {
  Endings endings;
  endings.reserve(requests.size());
  for (Result<OutcomeRequest>& each : requests) endings.push_back(ending_of(std::move(each)));
  return endings;
}

Result<CompleteRequest> decode_complete(std::string_view body) {
  CompleteRequest complete;
  if (Result<void> read = read_body(body, complete_fields, complete); !read) return pass_on(read.error());
  return complete;
}

Result<FailRequest> decode_fail(std::string_view body) {
  FailRequest fail;
  if (Result<void> read = read_body(body, fail_fields, fail); !read) return pass_on(read.error());
  if (fail.error.empty()) return bad_request("error is required: an object with a type and a message");
  return fail;
}

Result<HeartbeatRequest> decode_heartbeat(std::string_view body) {
  HeartbeatRequest heartbeat;
  if (Result<void> read = read_body(body, heartbeat_fields, heartbeat); !read) return pass_on(read.error());
  return heartbeat;
}

Result<void> read_outcomes(Reader& reader, std::string_view field, OutcomeRequests& into) {
  return read_elements(reader, field, [&](Reader& each) -> Result<void> {
    if (into.size() == engine::limits::batch_max)
      return bad_request("outcomes: at most {} are allowed", engine::limits::batch_max);
    const Result<std::string_view> element = each.read_raw();
    if (!element) return in_field(field, element.error());
    into.push_back(decode_outcome(*element));
    return {};
  });
}

Result<OutcomeRequests> decode_outcomes(std::string_view body) {
  if (body.empty()) body = "{}";  // as everywhere
  if (Result<void> grammar = json::check_grammar(body); !grammar) return pass_on(grammar.error());
  OutcomeRequests outcomes;
  const FieldTable<OutcomeRequests, 1> table{{{"outcomes", read_outcomes}}};
  if (Result<void> read = read_body(body, table, outcomes); !read) return pass_on(read.error());
  if (outcomes.empty()) return bad_request("outcomes must be an array of 1 to {} outcomes", engine::limits::batch_max);
  return outcomes;
}

}  // namespace semel::codec
