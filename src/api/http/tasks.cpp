#include "api/codec/by_hand_request.hpp"
#include "api/codec/query.hpp"
#include "api/codec/submission.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

Result<Duration> wait_from(const Request& request) {
  const std::string* text = request.query_value("wait");
  if (text == nullptr) return Duration{0};
  const std::optional<Duration> wait = parse_duration(*text);
  if (!wait) return bad_request("wait must be a duration such as \"30s\"");
  if (Result<void> fits = codec::check_wait(*wait); !fits) return pass_on(fits.error());
  return *wait;
}

Result<engine::Engine::KeyQuery> key_query_from(const Request& request) {
  if (Result<void> known = check_query(request, {"key", "namespace", "name", "version", "queue"}); !known)
    return pass_on(known.error());
  const auto value = [&](std::string_view name) { return text_from(request, name); };
  const std::optional<std::string> key = value("key");
  if (!key) return bad_request("the query parameter key is required");
  engine::Engine::KeyQuery query{*key, value("namespace"), value("name"), value("version"), value("queue")};
  if (Result<void> fits = codec::check_key_query(query); !fits) return pass_on(fits.error());
  return query;
}

}  // namespace

void submit_task(Call call) {
  const Responder to = call.to;
  Result<domain::Submission> submission = codec::decode_submission(call.request.body, call.request.idempotency_key);
  if (!submission) return to.refuse(submission.error());
  call.engine.submit(call.principal, *std::move(submission),
                     [to](const engine::SubmitAnswer& answer) { to.answer(codec::encode_submit(answer)); });
}

void submit_batch(Call call) {
  const Responder to = call.to;
  if (call.request.idempotency_key) {
    return to.refuse({ErrorCode::bad_request,
                      "an Idempotency-Key header is not allowed with a batch; give each task its own idempotency_key"});
  }
  auto submissions = codec::decode_batch(call.request.body);
  if (!submissions) return to.refuse(submissions.error());
  call.request.body.clear();
  call.engine.submit_batch(
      call.principal, *std::move(submissions),
      [to](const std::vector<engine::SubmitAnswer>& answers) { to.answer(codec::encode_batch(answers)); });
}

void get_task(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  const Result<engine::TaskView> view = call.engine.get(call.principal, *id);
  if (!view) return to.refuse(view.error());
  to.answer(codec::encode_task(*view));
}

void get_task_by_key(Call call) {
  const Responder to = call.to;
  const auto query = key_query_from(call.request);
  if (!query) return to.refuse(query.error());
  const Result<engine::KeyView> view = call.engine.find_by_key(call.principal, *query);
  if (!view) return to.refuse(view.error());
  to.answer(codec::encode_key(*view));
}

void get_result(Call call) {
  const Responder to = call.to;
  if (Result<void> known = check_query(call.request, {"wait"}); !known) return to.refuse(known.error());
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  const Result<Duration> wait = wait_from(call.request);
  if (!wait) return to.refuse(wait.error());
  call.engine.await_result(call.principal, *id, *wait, [to](const Result<engine::ResultView>& view) {
    if (!view) return to.refuse(view.error());
    to.answer(codec::encode_result(*view));
  });
}

void cancel_task(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  const auto body = codec::decode_cancel(call.request.body);
  if (!body) return to.refuse(body.error());
  call.engine.cancel(call.principal, *id, *body, [to, id = *id](const Result<CancelAnswer>& answer) {
    if (!answer) return to.refuse(answer.error());
    to.answer(codec::encode_cancel(id, *answer));
  });
}

void retry_task(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  const auto body = codec::decode_retry(call.request.body);
  if (!body) return to.refuse(body.error());
  call.engine.retry(call.principal, *id, *body, [to, id = *id](const Result<domain::State>& state) {
    if (!state) return to.refuse(state.error());
    to.answer(codec::encode_state(id, *state));
  });
}

}  // namespace semel::http
