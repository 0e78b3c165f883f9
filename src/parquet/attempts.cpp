// attempts.parquet: a row for each attempt, with what it was an attempt at.
#include <array>

#include "domain/dispatch_id.hpp"
#include "parquet/outbox.hpp"
#include "parquet/output.hpp"

namespace semel::parquet {
namespace {

constexpr std::array columns_of_attempts{
    Column{"tenant", Type::text},       Column{"attempt_id", Type::text},
    Column{"execution_id", Type::text}, Column{"kind", Type::text},
    Column{"run_id", Type::text},       Column{"task_key", Type::text},
    Column{"attempt", Type::integer},   Column{"queue", Type::text},
    Column{"handler", Type::text},      Column{"worker", Type::text},
    Column{"started_at", Type::time},   Column{"lease_until", Type::time},
    Column{"ended_at", Type::time},     Column{"outcome", Type::text},
    Column{"error", Type::text},        Column{"stale_results", Type::integer},
    Column{"dispatch_id", Type::text},  Column{"cloud_task_id", Type::text},
};

class AttemptsCursor final : public Cursor {
 public:
  AttemptsCursor(Snapshot& snapshot, const Range& range) : range_(range), stream_(snapshot), outbox_(snapshot) {}

  std::optional<Row> next() override {
    do {
      if (!stream_.next()) return std::nullopt;
    } while (!has_attempt(range_, stream_.attempt()));
    write();
    return output_.row();
  }

 private:
  void write() {
    const domain::Attempt& attempt = stream_.attempt();
    const domain::ExecutionSpec& spec = stream_.execution().spec;
    output_.begin();
    output_.add(Value(spec.tenant)).keep(attempt.id.text()).keep(spec.id.text());
    output_.add(Value(domain::name_of(spec.kind))).keep(stream_.run_id()).add(Value(stream_.task_key()));
    output_.add(Value(std::int64_t{attempt.number})).add(Value(spec.queue)).add(Value(spec.handler));
    output_.add(Value(attempt.worker)).add(std::optional(attempt.started_at)).add(std::optional(attempt.lease_until));
    output_.add(attempt.ended_at).add(Value(domain::name_of(attempt.outcome)));
    output_.add(attempt.error ? Value(*attempt.error) : Value()).add(Value(std::int64_t{attempt.stale_results}));
    write_ids();
  }

  void write_ids() {
    if (outbox_.find(stream_)) {
      output_.add(outbox_.value(Outbox::dispatch_id)).add(outbox_.value(Outbox::external_id));
      return;
    }
    domain::DispatchIds ids = domain::dispatch_ids(stream_.run_id(), stream_.task_key(), stream_.attempt().number);
    output_.keep(std::move(ids.internal)).keep(std::move(ids.external));
  }

  const Range range_;
  AttemptStream stream_;
  Outbox outbox_;
  Output output_;
};

std::unique_ptr<Cursor> read_attempts(Snapshot& snapshot, const Range& range) {
  return std::make_unique<AttemptsCursor>(snapshot, range);
}

}  // namespace

File attempts_file() { return {"attempts", columns_of_attempts, store::dump::table_named("attempts"), read_attempts}; }

}  // namespace semel::parquet
