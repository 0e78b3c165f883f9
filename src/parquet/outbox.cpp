#include "parquet/outbox.hpp"

#include <array>

namespace semel::parquet {
namespace {

using store::dump::Kind;

constexpr std::array<store::dump::Field, 8> fields{{{"tenant", Kind::text},
                                                    {"execution_id", Kind::uuid},
                                                    {"number", Kind::integer},
                                                    {"dispatch_id", Kind::text},
                                                    {"external_id", Kind::text},
                                                    {"state", Kind::integer},
                                                    {"accepted_at", Kind::integer},
                                                    {"sends", Kind::integer}}};
constexpr store::dump::Table table{"dispatches", fields, 3};  // in the order of attempts

}  // namespace

Outbox::Outbox(Snapshot& snapshot) : rows_(snapshot, table) {}

bool Outbox::find(const AttemptStream& stream) {
  const domain::ExecutionSpec& spec = stream.execution().spec;
  const int wanted = stream.attempt().number;
  while (rows_.seek(spec.tenant, spec.id.uuid.view()) && rows_.number(number) < wanted) rows_.next();
  return rows_.seek(spec.tenant, spec.id.uuid.view()) && rows_.number(number) == wanted;
}

}  // namespace semel::parquet
