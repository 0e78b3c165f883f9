// timers.parquet: a row for each timer of each attempt (domain/attempt_timer.hpp), by both its identifiers (DESIGN §5).
#include <array>
#include <utility>
#include <vector>

#include "domain/attempt_timer.hpp"
#include "domain/dispatch_id.hpp"
#include "parquet/attempt_stream.hpp"
#include "parquet/output.hpp"

namespace semel::parquet {
namespace {

using domain::AttemptTimer;

constexpr std::array columns_of_timers{
    Column{"tenant", Type::text},     Column{"timer_id", Type::text},   Column{"cloud_task_id", Type::text},
    Column{"timer_type", Type::text}, Column{"run_id", Type::text},     Column{"task_key", Type::text},
    Column{"attempt", Type::integer}, Column{"attempt_id", Type::text}, Column{"execution_id", Type::text},
    Column{"queue", Type::text},      Column{"fire_at", Type::time},    Column{"state", Type::text},
    Column{"created_at", Type::time},
};

std::int64_t epoch_of(Time time) { return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count(); }

class TimersCursor final : public Cursor {
 public:
  TimersCursor(Snapshot& snapshot, const Range& range) : range_(range), stream_(snapshot) {}

  std::optional<Row> next() override {
    while (next_timer_ == timers_.size()) {
      if (!stream_.next()) return std::nullopt;
      read_timers();
    }
    write(timers_[next_timer_++]);
    return output_.row();
  }

 private:
  void read_timers() {
    const domain::Attempt& attempt = stream_.attempt();
    timers_.clear();
    next_timer_ = 0;
    add_in_range(domain::heartbeat_timer(attempt));
    if (const auto retry = domain::retry_timer(stream_.execution(), attempt, stream_.next_began()))
      add_in_range(*retry);
  }

  void add_in_range(const AttemptTimer& timer) {
    const bool is_in = !range_.since || timer.fire_at >= *range_.since || has_attempt(range_, stream_.attempt());
    if (is_in) timers_.push_back(timer);
  }

  domain::DispatchIds ids_of(const AttemptTimer& timer) const {
    const std::int64_t epoch = epoch_of(timer.fire_at);
    if (timer.type == AttemptTimer::Type::heartbeat)
      return domain::heartbeat_timer_ids(stream_.run_id(), stream_.task_key(), epoch);
    return domain::retry_timer_ids(stream_.run_id(), stream_.task_key(), stream_.attempt().number, epoch);
  }

  void write(const AttemptTimer& timer) {
    const domain::Attempt& attempt = stream_.attempt();
    const domain::ExecutionSpec& spec = stream_.execution().spec;
    const bool is_retry = timer.type == AttemptTimer::Type::retry;
    domain::DispatchIds ids = ids_of(timer);
    output_.begin();
    output_.add(Value(spec.tenant)).keep(std::move(ids.internal)).keep(std::move(ids.external));
    output_.add(Value(domain::name_of(timer.type))).keep(stream_.run_id()).add(Value(stream_.task_key()));
    output_.add(Value(std::int64_t{attempt.number})).keep(attempt.id.text()).keep(spec.id.text());
    output_.add(Value(spec.queue)).add(std::optional(timer.fire_at)).add(Value(domain::name_of(timer.state)));
    output_.add(is_retry ? attempt.ended_at : std::optional(attempt.started_at));
  }

  const Range range_;
  AttemptStream stream_;
  std::vector<AttemptTimer> timers_;  // of the attempt
  std::size_t next_timer_ = 0;
  Output output_;
};

std::unique_ptr<Cursor> read_timers_of(Snapshot& snapshot, const Range& range) {
  return std::make_unique<TimersCursor>(snapshot, range);
}

}  // namespace

File timers_file() { return {"timers", columns_of_timers, store::dump::table_named("attempts"), read_timers_of}; }

}  // namespace semel::parquet
