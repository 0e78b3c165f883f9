#include "api/codec/by_hand_request.hpp"
#include "api/codec/query.hpp"
#include "api/codec/workflow_request.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"
#include "domain/workflow/code/names.hpp"

/// Workflows that are written as code.
namespace semel::http {
namespace {

Result<engine::Engine::KeyQuery> workflow_id_from(const Request& request) {
  if (Result<void> known = check_query(request, {"workflow_id"}); !known) return pass_on(known.error());
  const std::optional<std::string> key = text_from(request, "workflow_id");
  if (!key) return bad_request("the query parameter workflow_id is required; GET /v1/tasks?kind=workflow lists all");
  engine::Engine::KeyQuery query{*key, {}, {}, {}, {}};
  if (Result<void> fits = codec::check_key_query(query); !fits) return pass_on(fits.error());
  return query;
}

bool is_workflow(const domain::Holder& holder) {
  return holder.kind == domain::Kind::workflow && domain::code::is_workflow_handler(holder.handler);
}

}  // namespace

void start_workflow(Call call) {
  const Responder to = call.to;
  Result<domain::Submission> workflow = codec::decode_workflow(call.request.body, call.request.idempotency_key);
  if (!workflow) return to.refuse(workflow.error());
  call.engine.submit(call.principal, *std::move(workflow),
                     [to](const engine::SubmitAnswer& answer) { to.answer(codec::encode_started(answer)); });
}

void find_workflow(Call call) {
  const Result<engine::Engine::KeyQuery> query = workflow_id_from(call.request);
  if (!query) return call.to.refuse(query.error());
  const Result<engine::KeyView> found = call.engine.find_by_key(call.principal, *query);
  if (!found || !is_workflow(found->held.holder))
    return call.to.refuse({ErrorCode::not_found, "there is no workflow with the workflow_id '" + query->key + "'"});
  if (!found->held.execution) return call.to.answer(codec::encode_found_workflow(*found, nullptr));
  const Result<engine::WorkflowView> view = call.engine.workflow(call.principal, found->held.holder.id);
  if (!view) return call.to.refuse(view.error());
  call.to.answer(codec::encode_found_workflow(*found, &*view));
}

void get_workflow(Call call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return call.to.refuse(id.error());
  const Result<engine::WorkflowView> view = call.engine.workflow(call.principal, *id);
  if (!view) return call.to.refuse(view.error());
  call.to.answer(codec::encode_workflow(*view));
}

void get_workflow_events(Call call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return call.to.refuse(id.error());
  const Result<HistoryQuery> query = history_query_from(call.request);
  if (!query) return call.to.refuse(query.error());
  if (const auto workflow = call.engine.workflow(call.principal, *id); !workflow)
    return call.to.refuse(workflow.error());
  const Result<engine::HistoryView> view = call.engine.history(call.principal, *id, query->after, query->limit);
  if (!view) return call.to.refuse(view.error());
  call.to.answer(codec::encode_history(*view));
}

void cancel_workflow(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  Result<engine::Engine::CancelRequest> body = codec::decode_cancel(call.request.body);
  if (!body) return to.refuse(body.error());
  body->of_code = true;
  call.engine.cancel(call.principal, *id, *body, [to, id = *id](const Result<CancelAnswer>& answer) {
    if (!answer) return to.refuse(answer.error());
    to.answer(codec::encode_cancel(id, *answer, "workflow_execution_id"));
  });
}

void signal_workflow(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  Result<engine::Engine::SignalRequest> body = codec::decode_signal(call.request.body);
  if (!body) return to.refuse(body.error());
  call.engine.signal(call.principal, *id, *std::move(body), [to](const Result<bool>& received) {
    if (!received) return to.refuse(received.error());
    to.answer(codec::encode_signalled(*received));
  });
}

}  // namespace semel::http
