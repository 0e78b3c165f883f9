#include "api/codec/by_hand_request.hpp"

#include "api/codec/fields.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

using engine::Engine;
using json::Reader;

constexpr std::size_t why_bytes_max = 1'000;

template <typename Request>
Result<void> read_why(Reader& reader, std::string_view field, Request& request) {
  Result<std::string> why = read_text(reader, field);
  if (!why) return pass_on(why.error());
  if (Result<void> fits = check_why(*why); !fits) return fits;
  request.why = *std::move(why);
  return {};
}

Result<void> read_force(Reader& reader, std::string_view field, Engine::CancelRequest& cancel) {
  const Result<bool> force = read_boolean(reader, field);
  if (!force) return pass_on(force.error());
  cancel.force = *force;
  return {};
}

Result<void> read_step_names(Reader& reader, std::string_view field, Engine::RetryRequest& retry) {
  Result<void> read = read_elements(reader, field, [&](Reader& each) -> Result<void> {
    Result<std::string> name = read_text(each, field);
    if (!name) return pass_on(name.error());
    retry.steps.push_back(*std::move(name));
    return {};
  });
  if (!read) return read;
  if (retry.steps.empty())
    return bad_request("{} must name at least one step; leave it out to retry all that did not succeed", field);
  return check_step_names(retry.steps);
}

struct ResolveDraft {
  std::optional<std::string> result{};
  std::string why{};
};

/// Checked like a context, stored as written.
Result<void> read_given_result(Reader& reader, std::string_view field, ResolveDraft& draft) {
  std::string canonical;
  const Result<std::string_view> result = reader.read_canonical(canonical);
  if (!result) return in_field(field, result.error());
  if (result->size() > domain::limits::context_bytes_max)
    return refuse(ErrorCode::payload_too_large, "result is {} bytes long; at most {} are allowed", result->size(),
                  domain::limits::context_bytes_max);
  draft.result = *result;
  return {};
}

constexpr FieldTable<Engine::CancelRequest, 2> cancel_request_fields{
    {{"force", read_force}, {"why", read_why<Engine::CancelRequest>}}};
constexpr FieldTable<Engine::RetryRequest, 2> retry_request_fields{
    {{"steps", read_step_names}, {"why", read_why<Engine::RetryRequest>}}};
constexpr FieldTable<ResolveDraft, 2> resolve_request_fields{
    {{"result", read_given_result}, {"why", read_why<ResolveDraft>}}};

}  // namespace

Result<void> check_why(std::string_view why) {
  if (why.size() <= why_bytes_max) return {};
  return bad_request("why is {} bytes long; at most {} are allowed", why.size(), why_bytes_max);
}

Result<void> check_step_names(const std::vector<std::string>& names) {
  if (names.size() > domain::limits::steps_max)
    return bad_request("steps: at most {} are allowed", domain::limits::steps_max);
  for (const std::string& name : names) {
    if (Result<void> fits = domain::check_name("steps", name); !fits) return fits;
  }
  return {};
}

Result<Engine::CancelRequest> decode_cancel(std::string_view body) {
  Engine::CancelRequest cancel;
  if (Result<void> read = read_body(body, cancel_request_fields, cancel); !read) return pass_on(read.error());
  return cancel;
}

Result<Engine::RetryRequest> decode_retry(std::string_view body) {
  Engine::RetryRequest retry;
  if (Result<void> read = read_body(body, retry_request_fields, retry); !read) return pass_on(read.error());
  return retry;
}

Result<Engine::ResolveRequest> decode_resolve(std::string_view body) {
  ResolveDraft draft;
  if (Result<void> read = read_body(body, resolve_request_fields, draft); !read) return pass_on(read.error());
  if (!draft.result) return bad_request("result is required: what the step would have returned, or null");
  return Engine::ResolveRequest{{}, *std::move(draft.result), std::move(draft.why)};
}

}  // namespace semel::codec
