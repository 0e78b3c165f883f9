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

namespace {

void write_results(Writer& writer, const std::vector<OutcomeAnswer>& answers) {
  writer.key("results").begin_array();
  for (const OutcomeAnswer& answer : answers) {
    const Encoded each = answer ? encode_attempt(*answer) : encode_refusal(answer.error());
    writer.begin_object().integer("status", each.status).raw("body", each.body).end_object();
  }
  writer.end_array();
}

}  // namespace

Encoded encode_outcomes(const std::vector<OutcomeAnswer>& answers) {
  Writer writer;
  writer.begin_object();
  write_results(writer, answers);
  return {200, writer.end_object().take()};
}

Encoded encode_work(const std::vector<Lease>& leases, const std::vector<OutcomeAnswer>& answers) {
  Writer writer;
  writer.begin_object();
  write_leases(writer, leases);
  write_results(writer, answers);
  return {200, writer.end_object().take()};
}

}  // namespace semel::codec
