#include "parquet/outbox.hpp"

#include <array>

namespace semel::parquet {
namespace {

using store::dump::Kind;

constexpr std::array<store::dump::Field, 9> fields{{{"tenant", Kind::text},
                                                    {"execution_id", Kind::uuid},
                                                    {"number", Kind::integer},
                                                    {"dispatch_id", Kind::text},
                                                    {"external_id", Kind::text},
                                                    {"state", Kind::integer},
                                                    {"accepted_at", Kind::integer},
                                                    {"sends", Kind::integer},
                                                    {"due_at", Kind::integer}}};
constexpr store::dump::Table table{"dispatches", fields, 3};  // in the order of attempts

}  // namespace

Outbox::Outbox(Snapshot& snapshot) : rows_(snapshot, table) {}

bool Outbox::find(const AttemptStream& stream) { return find(stream.execution().spec, stream.attempt().number); }

bool Outbox::find(const domain::ExecutionSpec& spec, int wanted) {
  while (rows_.seek(spec.tenant, spec.id.uuid.view()) && rows_.number(number) < wanted) rows_.next();
  return rows_.seek(spec.tenant, spec.id.uuid.view()) && rows_.number(number) == wanted;
}

domain::PushedAttempts Outbox::find_all(const AttemptStream& stream) {
  domain::PushedAttempts pushed;
  for (const domain::Attempt& attempt : stream.attempts()) {
    if (!find(stream.execution().spec, attempt.number)) continue;
    pushed[attempt.number] = {rows_.time(due_at), rows_.has(accepted_at)};
  }
  return pushed;
}

}  // namespace semel::parquet
