#include "api/codec/answers.hpp"
#include "api/codec/error.hpp"
#include "api/codec/refusal.hpp"
#include "api/codec/run_answer.hpp"
#include "api/codec/submitted_members.hpp"
#include "api/codec/view_members.hpp"

namespace semel::codec {

Encoded encode_promised(const engine::SubmitAnswer& answer) {
  const tl::expected<Submitted, Refusal> settled = settle(answer);
  if (!settled) return {http_status(settled.error().code), encode_refused(settled.error())};
  json::Writer writer;
  writer.begin_object().string("promise_id", settled->id.text());
  if (settled->key_used) writer.string("idempotency_key", settled->task_id);
  writer.string("status", name_of(settled->status)).boolean("idempotency_key_new", settled->key_new());
  write_outcome(writer, *settled, "value");
  return {settled->created ? 201 : 200, writer.end_object().take()};
}

Encoded encode_promise(const domain::Execution& promise) {
  const domain::ExecutionSpec& spec = promise.spec;
  json::Writer writer;
  writer.begin_object().string("promise_id", spec.id.text());
  if (spec.key) writer.string("idempotency_key", *spec.key);
  writer.string("status", name_of(promise.state));
  write_step_of(writer, spec);
  writer.string("created_at", to_rfc3339(promise.created_at));
  time_member(writer, "closed_at", promise.closed_at);
  time_member(writer, "deadline", promise.deadline);
  writer.string("created_by", spec.created_by);
  write_labels(writer, spec.labels);
  if (promise.result) writer.raw("value", *promise.result);
  if (promise.error) writer.raw("error", *promise.error);
  if (promise.previous) writer.string("previous_execution_id", promise.previous->text());
  return {200, writer.end_object().take()};
}

Encoded encode_settled(const SettleAnswer& answer) {
  json::Writer writer;
  writer.begin_object().string("promise_id", answer.id.text()).string("status", name_of(*answer.state));
  writer.boolean("already_resolved", answer.kind == SettleAnswer::Kind::already_settled);
  return {200, writer.end_object().take()};
}

}  // namespace semel::codec
