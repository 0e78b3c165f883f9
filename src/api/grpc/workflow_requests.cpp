#include "api/grpc/workflow_requests.hpp"

#include "api/codec/code_values.hpp"
#include "api/codec/query.hpp"
#include "api/codec/work_values.hpp"
#include "api/grpc/fields.hpp"
#include "domain/names.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::rpc {
namespace {

using codec::SubmissionDraft;
using engine::Engine;

Result<void> read_start_identity(const v1::StartWorkflowRequest& request, SubmissionDraft& draft) {
  domain::Submission& submission = draft.submission();
  if (request.workflow_id().empty()) return bad_request("workflow_id is required: what identifies the workflow");
  if (request.kind().empty()) return bad_request("kind is required: which workflow it is");
  if (Result<void> fits = domain::check_key("workflow_id", request.workflow_id()); !fits) return fits;
  if (Result<void> fits = domain::check_name("kind", request.kind()); !fits) return fits;
  submission.key = request.workflow_id();
  submission.handler = domain::code::handler_of_workflow(request.kind());
  return Fields()
      .field(request.has_input(), [&] { return set_context("input", request.input(), draft); })
      .field(request.has_task_uuid(), [&] { return draft.set_task_uuid(request.task_uuid()); })
      .field(request.has_idempotency_key_ttl_seconds(),
             [&] { return draft.set_ttl_seconds(request.idempotency_key_ttl_seconds()); })
      .choice("reuse", request.reuse(), v1::Reuse_MAX, submission.reuse)
      .choice("on_duplicate", request.on_duplicate(), v1::OnDuplicate_MAX, submission.on_duplicate)
      .choice("on_payload_mismatch", request.on_payload_mismatch(), v1::OnPayloadMismatch_MAX,
              submission.on_payload_mismatch)
      .moment(request.has_requested_at(), "requested_at", request.requested_at(), submission.requested_at)
      .fits();
}

Result<void> read_start_course(const v1::StartWorkflowRequest& request, SubmissionDraft& draft) {
  domain::Submission& submission = draft.submission();
  return Fields()
      .field(request.has_queue(), [&] { return draft.set_queue(request.queue()); })
      .field(request.has_priority(), [&] { return draft.set_priority(request.priority()); })
      .field(request.has_priority_seconds(), [&] { return draft.set_priority_seconds(request.priority_seconds()); })
      .moment(request.has_run_at(), "run_at", request.run_at(), submission.run_at)
      .moment(request.has_delay(), "delay", request.delay(), submission.delay)
      .moment(request.has_deadline(), "deadline", request.deadline(), submission.deadline)
      .moment(request.has_deadline_after(), "deadline_after", request.deadline_after(), submission.deadline_after)
      .field(request.has_traceparent(), [&] { return draft.set_traceparent(request.traceparent()); })
      .field(true, [&] { return add_labels(request.labels(), draft); })
      .field(true, [&] { return check_deadline(submission); })
      .fits();
}

}  // namespace

Result<domain::Submission> read_start(const v1::StartWorkflowRequest& request) {
  SubmissionDraft draft;
  draft.submission().kind = domain::Kind::workflow;
  if (Result<void> fits = read_start_identity(request, draft); !fits) return pass_on(fits.error());
  if (Result<void> fits = read_start_course(request, draft); !fits) return pass_on(fits.error());
  return std::move(draft).finish(std::nullopt);
}

Result<Engine::SignalRequest> read_signal(const v1::SignalWorkflowRequest& request) {
  if (request.name().empty()) return bad_request("name is required: which signal it is");
  Result<domain::code::Signal> read =
      codec::read_signal(request.name(), request.has_value() ? request.value() : "null");
  if (!read) return pass_on(read.error());
  Engine::SignalRequest signal{*std::move(read), std::nullopt};
  if (!request.has_key()) return signal;
  if (Result<void> fits = domain::check_key("key", request.key()); !fits) return pass_on(fits.error());
  signal.key = request.key();
  return signal;
}

/// A promise is never tried: its timeout is when it must be settled.
Result<domain::Submission> read_promise(const v1::CreatePromiseRequest& request) {
  SubmissionDraft draft;
  domain::Submission& submission = draft.submission();
  submission.kind = domain::Kind::promise;
  submission.handler.emplace(domain::code::promise_handler);
  const Result<void> fits =
      Fields()
          .field(request.has_idempotency_key(), [&] { return draft.set_idempotency_key(request.idempotency_key()); })
          .field(request.has_idempotency_key_ttl_seconds(),
                 [&] { return draft.set_ttl_seconds(request.idempotency_key_ttl_seconds()); })
          .field(request.has_task_uuid(), [&] { return draft.set_task_uuid(request.task_uuid()); })
          .field(request.has_timeout_ms(), [&] { return draft.set_timeout_ms(request.timeout_ms()); })
          .field(request.has_queue(), [&] { return draft.set_queue(request.queue()); })
          .choice("reuse", request.reuse(), v1::Reuse_MAX, submission.reuse)
          .choice("on_duplicate", request.on_duplicate(), v1::OnDuplicate_MAX, submission.on_duplicate)
          .moment(request.has_requested_at(), "requested_at", request.requested_at(), submission.requested_at)
          .field(true, [&] { return add_labels(request.labels(), draft); })
          .fits();
  if (!fits) return pass_on(fits.error());
  submission.deadline_after = std::exchange(submission.timeout, std::nullopt);
  return std::move(draft).finish(std::nullopt);
}

Result<Engine::SettleRequest> read_resolve(const v1::ResolvePromiseRequest& request) {
  auto promise = read_named({domain::Kind::promise, "promise_id", request.promise_id(), "key", request.key()});
  if (!promise) return pass_on(promise.error());
  Engine::SettleRequest settle{*std::move(promise)};
  if (!request.has_value()) return settle;
  Result<std::string> value = codec::read_payload("value", request.value());
  if (!value) return pass_on(value.error());
  settle.value = *std::move(value);
  return settle;
}

Result<Engine::SettleRequest> read_reject(const v1::RejectPromiseRequest& request) {
  auto promise = read_named({domain::Kind::promise, "promise_id", request.promise_id(), "key", request.key()});
  if (!promise) return pass_on(promise.error());
  if (request.type().empty()) return bad_request("type is required: why the promise is rejected");
  Result<std::string> error =
      codec::make_failure(request.type(), request.message(),
                          request.has_details() ? std::optional<std::string_view>(request.details()) : std::nullopt);
  if (!error) return pass_on(error.error());
  return Engine::SettleRequest{*std::move(promise), false, *std::move(error)};
}

Result<std::variant<domain::ExecutionId, std::string>> read_named(const Named& named) {
  if (named.id.empty() == named.key.empty())
    return bad_request("exactly one of {} and {} is required", named.id_field, named.key_field);
  if (named.id.empty()) {
    if (Result<void> fits = domain::check_key(named.key_field, named.key); !fits) return pass_on(fits.error());
    return named.key;
  }
  const auto id = codec::parse_id<domain::ExecutionId>(named.id);
  if (!id) return pass_on(id.error());
  return *id;
}

Result<domain::ExecutionId> find_named(Engine& engine, const domain::Principal& principal, const Named& named) {
  const auto read = read_named(named);
  if (!read) return pass_on(read.error());
  if (const auto* id = std::get_if<domain::ExecutionId>(&*read)) return *id;
  Engine::KeyQuery query;
  query.key = std::get<std::string>(*read);
  const Result<engine::KeyView> view = engine.find_by_key(principal, query);
  if (view && view->held.holder.kind == named.kind) return view->held.holder.id;
  return refuse(ErrorCode::not_found, "there is no {} with the {} '{}'", name_of(named.kind), named.key_field,
                query.key);
}

}  // namespace semel::rpc
