#include "store/postgres/archive.hpp"

#include "store/postgres/closed.hpp"

/// How executions are put away. The way out of there is in archive_end.cpp.
namespace semel::store::postgres {
namespace {

constexpr Duration departed_kept_for = 1min;
constexpr std::int64_t day_ms = 24 * 60 * 60 * 1000;
constexpr int partitions_a_class = 32;

#define SEMEL_CANDIDATES(of)                          \
  " FROM executions e WHERE " SEMEL_CLOSED " AND " of \
  " AND e.tenant = $1 AND e.queue = $2"               \
  " AND e.closed_at <= $3"

/// One statement moves executions with their attempts: nobody ever sees one in both places, or in none. What others are
/// just changing is left for another time.
#define SEMEL_PUT_AWAY(of) \
  "WITH picked AS MATERIALIZED (SELECT e.tenant, e.id, (e.closed_at / 86400000)::integer AS day" SEMEL_CANDIDATES(of) \
  " AND e.closed_at < $4 ORDER BY e.closed_at LIMIT $5 FOR UPDATE SKIP LOCKED),"                                      \
  " attempts_out AS (DELETE FROM attempts a USING picked p WHERE a.tenant = p.tenant AND a.execution_id = p.id"       \
  " RETURNING $6::integer, p.day, a.*),"                                                                              \
  " attempts_in AS (INSERT INTO closed_attempts SELECT * FROM attempts_out),"                                         \
  " moved AS (DELETE FROM executions e USING picked p WHERE e.tenant = p.tenant AND e.id = p.id"                      \
  " RETURNING $6::integer, p.day, e.*)"                                                                               \
  " INSERT INTO closed SELECT * FROM moved RETURNING 1"

constexpr std::string_view first_plain =
    "SELECT e.closed_at" SEMEL_CANDIDATES("NOT e.client_made_id") " ORDER BY e.closed_at LIMIT 1";
constexpr std::string_view first_promised =
    "SELECT e.closed_at" SEMEL_CANDIDATES("e.client_made_id") " ORDER BY e.closed_at LIMIT 1";
constexpr std::string_view put_plain_away = SEMEL_PUT_AWAY("NOT e.client_made_id");
constexpr std::string_view put_promised_away = SEMEL_PUT_AWAY("e.client_made_id");

}  // namespace

int keep_days_of(Duration retention) { return static_cast<int>((retention + 24h - 1ms) / 24h); }

ClosedDays days_around(int keep_days, int day) {
  const int span = std::max(1, keep_days / partitions_a_class);
  const int first = day - day % span;
  return {keep_days, first, first + span};
}

/// While this server did not lead, another may have dropped partitions that are remembered here.
bool Archive::run() {
  try {
    return step();
  } catch (...) {
    open_.clear();
    throw;
  }
}

bool Archive::step() {
  if (place_ == TenantAndQueue{}) {
    forget_departed();
    if (let_go()) return true;
  }
  return put_away();
}

void Archive::forget_departed() {
  transact_([](Batch& batch) {
    batch.connection.run("DELETE FROM departed WHERE gone_at <= $1", batch.now - departed_kept_for);
  });
}

/// One batch of the queue that is looked at, or a look at the next queue. False when a round is over.
bool Archive::put_away() {
  bool is_over = false;
  wanted_.reset();
  transact_([&](Batch& batch) {
    wanted_.reset();
    TenantAndQueue place = place_;
    if (place == TenantAndQueue{}) is_over = !next_closed_queue(batch.connection, place);
    if (is_over) return;
    place_ = place;
    const Duration retention = batch.queues.settings(place).retention;
    const int keep_days = keep_days_of(retention);
    const Time plain_until = batch.now - options_.stays_for;
    const Time promised_until = batch.now - std::max(options_.stays_for, domain::client_id_promise);
    const bool is_worth_it = retention >= options_.kept_long;
    if (is_worth_it && put_away(batch, {false, plain_until}, keep_days)) return;
    if (is_worth_it && put_away(batch, {true, promised_until}, keep_days)) return;
    is_over = !next_closed_queue(batch.connection, place);
    place_ = is_over ? TenantAndQueue{} : place;
  });
  if (wanted_) open(*wanted_);
  return !is_over;
}

/// Those of the days in which the oldest of them closed. Whether there may be more, or their days are wanted first.
bool Archive::put_away(Batch& batch, const Candidates& candidates, int keep_days) {
  const Rows first = batch.connection.run(candidates.client_made ? first_promised : first_plain, place_.first,
                                          place_.second, candidates.until);
  if (first.empty()) return false;
  const ClosedDays days = days_around(keep_days, static_cast<int>(first[0].integer(0) / day_ms));
  if (!open_.contains({days.keep_days, days.first})) {
    wanted_ = days;
    return true;
  }
  batch.connection.run(
      "INSERT INTO closed_queues (tenant, queue, keep_days) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", place_.first,
      place_.second, keep_days);
  // However small the table looks now, it is not to be read as a whole.
  batch.connection.execute("SET LOCAL enable_seqscan = off");
  const Rows moved =
      batch.connection.run(candidates.client_made ? put_promised_away : put_plain_away, place_.first, place_.second,
                           candidates.until, std::int64_t{days.end} * day_ms, options_.at_once, keep_days);
  return !moved.empty();
}

void Archive::open(const ClosedDays& days) {
  transact_([&](Batch& batch) {
    batch.connection.run("SELECT open_days($1::integer, $2::integer, $3::integer)", days.keep_days, days.first,
                         days.end);
  });
  open_.emplace(days.keep_days, days.first);
}

}  // namespace semel::store::postgres
