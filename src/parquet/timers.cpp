// timers.parquet: a row for each timer of each attempt (domain/attempt_timer.hpp), by both its identifiers (DESIGN §5).
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "domain/attempt_timer.hpp"
#include "parquet/outbox.hpp"
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

std::string_view exported_name_of(AttemptTimer::Type type) {
  return type == AttemptTimer::Type::retry ? "RETRY" : "HEARTBEAT";
}

class TimersCursor final : public Cursor {
 public:
  TimersCursor(Snapshot& snapshot, const Range& range) : range_(range), stream_(snapshot), outbox_(snapshot) {}

  std::optional<Row> next() override {
    do {
      while (next_timer_ == timers_.size()) {
        if (!stream_.next_execution()) return std::nullopt;
        timers_ = timers_of_attempts(stream_.execution(), stream_.attempts(), outbox_.find_all(stream_));
        next_timer_ = 0;
      }
    } while (!is_in_range(timers_[next_timer_++]));
    write(timers_[next_timer_ - 1]);
    return output_.row();
  }

 private:
  std::size_t place_of(const AttemptTimer& timer) const {
    const auto attempts = stream_.attempts();
    const auto found = std::ranges::lower_bound(attempts, timer.attempt, {}, &domain::Attempt::number);
    return static_cast<std::size_t>(found - attempts.begin());
  }

  /// Its attempt is in, it fires later, or what ended it is in: an earlier export may have shown it as scheduled.
  bool is_in_range(const AttemptTimer& timer) const {
    const std::size_t place = place_of(timer);
    if (!range_.since || timer.fire_at >= *range_.since || has_attempt(range_, stream_.attempts()[place])) return true;
    if (timer.type != AttemptTimer::Type::retry) return false;
    const bool has_next = place + 1 < stream_.attempts().size();
    const std::optional<Time> ended =
        has_next ? std::optional(stream_.attempts()[place + 1].started_at) : stream_.execution().closed_at;
    return ended && *ended >= *range_.since;
  }

  void write(const AttemptTimer& timer) {
    const domain::Attempt& attempt = stream_.attempts()[place_of(timer)];
    const domain::ExecutionSpec& spec = stream_.execution().spec;
    const bool is_retry = timer.type == AttemptTimer::Type::retry;
    domain::DispatchIds ids = timer_ids_of(spec, timer);
    output_.begin();
    output_.add(Value(spec.tenant)).keep(std::move(ids.internal)).keep(std::move(ids.external));
    output_.add(Value(exported_name_of(timer.type))).keep(stream_.run_id()).add(Value(stream_.task_key()));
    output_.add(Value(std::int64_t{attempt.number})).keep(attempt.id.text()).keep(spec.id.text());
    output_.add(Value(spec.queue)).add(std::optional(timer.fire_at)).add(Value(domain::name_of(timer.state)));
    output_.add(is_retry ? attempt.ended_at : std::optional(attempt.started_at));
  }

  const Range range_;
  AttemptStream stream_;
  Outbox outbox_;
  std::vector<AttemptTimer> timers_{};  // of the execution
  std::size_t next_timer_ = 0;
  Output output_;
};

std::unique_ptr<Cursor> read_timers_of(Snapshot& snapshot, const Range& range) {
  return std::make_unique<TimersCursor>(snapshot, range);
}

}  // namespace

File timers_file() { return {"timers", columns_of_timers, store::dump::table_named("attempts"), read_timers_of}; }

}  // namespace semel::parquet
