#include "api/codec/answers.hpp"
#include "api/codec/error.hpp"
#include "api/codec/refusal.hpp"
#include "api/codec/submitted_members.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

Encoded encode_submitted(const Submitted& submitted) {
  json::Writer writer;
  writer.begin_object().string("task_uuid", submitted.id.text()).string("task_id", submitted.task_id);
  writer.integer("step_count", submitted.step_count);
  writer.string("status", name_of(submitted.status)).string("message", submitted.message);
  writer.boolean("idempotency_key_used", submitted.key_used).boolean("idempotency_key_new", submitted.key_new());
  write_outcome(writer, submitted, "result");
  return {submitted.created ? 201 : 200, writer.end_object().take()};
}

}  // namespace

void write_outcome(json::Writer& writer, const Submitted& submitted, std::string_view result_name) {
  if (submitted.previous) writer.string("previous_execution_id", submitted.previous->text());
  if (submitted.result) writer.raw(result_name, *submitted.result);
  if (submitted.error) writer.raw("error", *submitted.error);
  if (submitted.closed_at) writer.string("closed_at", to_rfc3339(*submitted.closed_at));
  if (submitted.result_expired) writer.boolean("result_expired", true);
}

Encoded encode_refusal(const Error& error) { return {http_status(error.code), encode_error(error)}; }

Encoded encode_submit(const engine::SubmitAnswer& answer) {
  const tl::expected<Submitted, Refusal> settled = settle(answer);
  if (settled) return encode_submitted(*settled);
  return {http_status(settled.error().code), encode_refused(settled.error())};
}

Encoded encode_batch(const std::vector<engine::SubmitAnswer>& answers) {
  json::Writer writer;
  writer.begin_object().key("results").begin_array();
  for (const engine::SubmitAnswer& answer : answers) {
    const Encoded each = encode_submit(answer);
    writer.begin_object().integer("status", each.status).raw("body", each.body).end_object();
  }
  return {200, writer.end_array().end_object().take()};
}

}  // namespace semel::codec
