// dispatch_outbox.parquet: a row for each attempt, as what was dispatched: by both its identifiers (DESIGN §5).
//
// The name and the columns are those of an outbox, but the rows are made of attempts: so the history of dispatches is
// there for tasks that workers pull too, and stays when the outbox has let go of its row. While it has one, that one
// knows better what the dispatch is called, and whether its target has it.
#include <array>

#include "domain/dispatch.hpp"
#include "parquet/outbox.hpp"
#include "parquet/output.hpp"

namespace semel::parquet {
namespace {

constexpr std::array columns_of_dispatches{
    Column{"tenant", Type::text},     Column{"dispatch_id", Type::text},  Column{"cloud_task_id", Type::text},
    Column{"run_id", Type::text},     Column{"task_key", Type::text},     Column{"attempt", Type::integer},
    Column{"attempt_id", Type::text}, Column{"execution_id", Type::text}, Column{"queue", Type::text},
    Column{"handler", Type::text},    Column{"status", Type::text},       Column{"outcome", Type::text},
    Column{"created_at", Type::time}, Column{"ended_at", Type::time},     Column{"accepted_at", Type::time},
    Column{"sends", Type::integer},
};

/// An attempt begins when a worker gets it. One that it never got was made for nobody.
std::string_view status_of(const domain::Attempt& attempt) {
  return attempt.outcome == domain::AttemptOutcome::undelivered ? "UNDELIVERED" : "CREATED";
}

/// While its attempt runs: afterwards nobody needs to know any more whether it has arrived.
bool is_pending(const domain::Attempt& attempt, domain::DispatchState state) {
  return attempt.outcome == domain::AttemptOutcome::running && state != domain::DispatchState::sent;
}

class DispatchCursor final : public Cursor {
 public:
  DispatchCursor(Snapshot& snapshot, const Range& range) : range_(range), stream_(snapshot), outbox_(snapshot) {}

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
    const bool is_in_outbox = outbox_.find(stream_);
    output_.begin();
    output_.add(Value(spec.tenant));
    write_ids(is_in_outbox);
    output_.keep(stream_.run_id()).add(Value(stream_.task_key())).add(Value(std::int64_t{attempt.number}));
    output_.keep(attempt.id.text()).keep(spec.id.text()).add(Value(spec.queue)).add(Value(spec.handler));
    const bool is_on_its_way =
        is_in_outbox && is_pending(attempt, static_cast<domain::DispatchState>(outbox_.integer(Outbox::state)));
    output_.add(Value(is_on_its_way ? "PENDING" : status_of(attempt)));
    output_.add(Value(domain::name_of(attempt.outcome)));
    output_.add(std::optional(attempt.started_at)).add(attempt.ended_at);
    for (const Outbox::Field field : {Outbox::accepted_at, Outbox::sends})
      output_.add(is_in_outbox ? outbox_.value(field) : Value());
  }

  void write_ids(bool is_in_outbox) {
    if (is_in_outbox) {
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

std::unique_ptr<Cursor> read_dispatches(Snapshot& snapshot, const Range& range) {
  return std::make_unique<DispatchCursor>(snapshot, range);
}

}  // namespace

File dispatch_file() {
  return {"dispatch_outbox", columns_of_dispatches, store::dump::table_named("attempts"), read_dispatches};
}

}  // namespace semel::parquet
