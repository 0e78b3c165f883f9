#include "api/codec/answers.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {

using json::Writer;

Encoded encode_attempt(const AttemptAnswer& answer) {
  Writer writer;
  writer.begin_object().string("task_uuid", answer.execution_id.text()).string("status", name_of(*answer.state));
  if (answer.kind == AttemptAnswer::Kind::already_recorded) writer.boolean("already_recorded", true);
  return {200, writer.end_object().take()};
}

Encoded encode_heartbeat(const AttemptAnswer& answer) {
  Writer writer;
  writer.begin_object().string("lease_expires_at", to_rfc3339(*answer.lease_until));
  writer.boolean("should_cancel", answer.should_cancel);
  return {200, writer.end_object().take()};
}

Encoded encode_outcomes(const std::vector<OutcomeAnswer>& answers) {
  Writer writer;
  writer.begin_object().key("results").begin_array();
  for (const OutcomeAnswer& answer : answers) {
    const Encoded each = answer ? encode_attempt(*answer) : encode_refusal(answer.error());
    writer.begin_object().integer("status", each.status).raw("body", each.body).end_object();
  }
  return {200, writer.end_array().end_object().take()};
}

}  // namespace semel::codec
