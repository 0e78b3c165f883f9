#include <algorithm>
#include <utility>

#include "store/postgres/answer_set.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How answers are written: one statement for all of a kind. Executions are locked in their order, and only those that
/// are still as they were seen; a row that changed while the statement waited is looked at again under its lock. The
/// attempts follow their executions.
namespace semel::store::postgres {

#define SEMEL_BATCH_OF_ENDED                                                                                     \
  "WITH batch AS MATERIALIZED (SELECT * FROM unnest($2::text[], $3::uuid[], $4::uuid[], $5::bigint[],"           \
  " $6::boolean[], $7::bigint[], $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bigint[],"           \
  " $13::bigint[])"                                                                                              \
  " AS b (tenant, execution_id, attempt_id, number, cancel_seen, outcome, result, error, state, phase, run_at,"  \
  " uncounted)),"                                                                                                \
  " locked AS MATERIALIZED (SELECT b.attempt_id FROM batch b JOIN executions e ON e.tenant = b.tenant"           \
  " AND e.id = b.execution_id WHERE e.state = 1 AND e.attempt = b.number AND e.cancel_requested = b.cancel_seen" \
  " ORDER BY e.tenant, e.id FOR UPDATE OF e),"                                                                   \
  " ended AS (UPDATE attempts a SET ended_at = $1, outcome = b.outcome, error = b.error"                         \
  " FROM batch b JOIN locked l ON l.attempt_id = b.attempt_id"                                                   \
  " WHERE a.tenant = b.tenant AND a.id = b.attempt_id RETURNING 1)"
#define SEMEL_END_THEM                                                                                          \
  " UPDATE executions e SET state = b.state, phase = b.phase, uncounted_attempts = b.uncounted,"                \
  " closed_at = CASE WHEN b.run_at IS NULL THEN $1 END, result = CASE WHEN b.run_at IS NULL THEN b.result END," \
  " error = CASE WHEN b.run_at IS NULL THEN b.error END,"                                                       \
  " order_at = e.order_at + coalesce(b.run_at - e.run_at, 0), run_at = coalesce(b.run_at, e.run_at)"            \
  " FROM batch b JOIN locked l ON l.attempt_id = b.attempt_id"                                                  \
  " WHERE e.tenant = b.tenant AND e.id = b.execution_id RETURNING e.tenant, e.id, e.awaited"

/// One that has closed, and concerns nobody else: the same, at half the price.
void AnswerSet::write_one(const Ended& ended) {
  batch_.connection.run_later(
      "WITH written AS (UPDATE executions SET state = $8, phase = $9, uncounted_attempts = $10, closed_at = $1,"
      " result = $11, error = $12 WHERE tenant = $2 AND id = $3 AND state = 1 AND attempt = $5"
      " AND cancel_requested = $6 AND NOT awaited RETURNING 1),"
      " ended AS (UPDATE attempts SET ended_at = $1, outcome = $7, error = $12 WHERE tenant = $2 AND id = $4"
      " AND EXISTS (SELECT FROM written))"
      " SELECT must(EXISTS (SELECT FROM written))",
      Parameters(batch_.now, ended.execution.first, ended.execution.second, ended.attempt, ended.number,
                 ended.cancel_seen, ended.outcome, ended.state, ended.phase, ended.uncounted, ended.outputs.result,
                 ended.outputs.error));
}

void AnswerSet::write_ended() {
  if (ended_.empty()) return;
  write_beats();  // while the attempts run
  if (const Ended& first = ended_.front(); ended_.size() == 1 && !first.run_at && !concerns_others(first)) {
    write_one(first);
    check_names();
    ended_.clear();
    return;
  }
  Array tenants(Type::text), executions(Type::uuid), attempts(Type::uuid), numbers(Type::integer),
      cancels(Type::boolean), outcomes(Type::integer), results(Type::text), errors(Type::text), states(Type::integer),
      phases(Type::integer), run_ats(Type::integer), uncounted(Type::integer);
  for (const Ended& each : ended_) {
    tenants.add(each.execution.first);
    executions.add(each.execution.second);
    attempts.add(each.attempt);
    numbers.add(each.number);
    cancels.add(each.cancel_seen);
    outcomes.add(each.outcome);
    results.add(each.outputs.result);
    errors.add(each.outputs.error);
    states.add(each.state);
    phases.add(each.phase);
    run_ats.add(each.run_at);
    uncounted.add(each.uncounted);
  }
  const Parameters parameters(batch_.now, tenants, executions, attempts, numbers, cancels, outcomes, results, errors,
                              states, phases, run_ats, uncounted);
  if (std::none_of(ended_.begin(), ended_.end(), [this](const Ended& each) { return concerns_others(each); })) {
    // It checks itself, so that nobody waits for what it says: it may go together with the commit.
    batch_.connection.run_later(SEMEL_BATCH_OF_ENDED ", written AS (" SEMEL_END_THEM
                                                     ") SELECT must(count(*) = cardinality($2) AND NOT"
                                                     " coalesce(bool_or(awaited), false)) FROM written",
                                parameters);
    check_names();
    ended_.clear();
    return;
  }
  const Rows written = batch_.connection.run(SEMEL_BATCH_OF_ENDED SEMEL_END_THEM, parameters);
  if (std::cmp_not_equal(written.count(), ended_.size())) throw Contention("an attempt has changed meanwhile");
  for (const Ended& each : ended_) {
    if (!each.key) continue;
    const bool enters = each.phase == Phase::blocked;
    const bool got_one = fill_places(batch_, *each.key, enters ? std::optional(each.execution.second) : std::nullopt);
    if (enters) batch_.changes[each.change].is_ready = got_one;
  }
  check_names();
  note_closed(written);
  ended_.clear();
  keys_.clear();
}

/// Whoever gives a dispatch a new name has its execution locked, which is locked here by now: what is read is true.
void AnswerSet::check_names() {
  if (refused_.empty()) return;
  Array tenants(Type::text), attempts(Type::uuid), repairs(Type::integer);
  for (const auto& [id, repair] : refused_) {
    tenants.add(id.first);
    attempts.add(id.second);
    repairs.add(repair);
  }
  const Rows renamed = batch_.connection.run(
      "SELECT 1 FROM unnest($1::text[], $2::uuid[], $3::bigint[]) AS b (tenant, id, repair)"
      " JOIN dispatches d ON d.tenant = b.tenant AND d.attempt_id = b.id WHERE d.repair <> b.repair",
      tenants, attempts, repairs);
  if (!renamed.empty()) throw Contention("a dispatch has a new name");
  refused_.clear();
}

/// Whether its end is to be told to another, or makes room for one. If not, nobody needs to wait until it is written.
bool AnswerSet::concerns_others(const Ended& ended) const {
  const AttemptedExecution& of = executions_.at(ended.execution);
  return ended.key || of.execution.spec.step || of.awaited;
}

/// Whether somebody waits for it is known for sure now that it is locked.
void AnswerSet::note_closed(const Rows& written) {
  std::set<TenantAndId> awaited;
  for (const Row row : written) {
    if (row.boolean(2)) awaited.insert({row.text(0), {row.uuid(1)}});
  }
  for (const Ended& each : ended_) {
    if (each.run_at) continue;
    const bool is_awaited = awaited.contains(each.execution);
    const auto& step = executions_.at(each.execution).execution.spec.step;
    if (!step && !is_awaited) continue;
    ClosedTask& closed = batch_.runs.closed.emplace_back(ClosedTask{each.execution, step, {each.state}, is_awaited});
    if (!step || !is_of_code(*step)) continue;
    if (each.outputs.result) closed.outcome.result = std::string(*each.outputs.result);
    if (each.outputs.error) closed.outcome.error = std::string(*each.outputs.error);
  }
}

/// Their workflows are held: nobody else has ended them.
void AnswerSet::write_lost() {
  if (lost_.empty()) return;
  write_beats();  // while the attempts run
  Array tenants(Type::text), attempts(Type::uuid), outcomes(Type::integer), errors(Type::text);
  for (const Lost& each : lost_) {
    tenants.add(each.execution.first);
    attempts.add(each.attempt);
    outcomes.add(each.outcome);
    errors.add(each.error);
  }
  const Rows written = batch_.connection.run(
      "UPDATE attempts a SET ended_at = $1, outcome = b.outcome, error = b.error"
      " FROM unnest($2::text[], $3::uuid[], $4::bigint[], $5::text[]) AS b (tenant, id, outcome, error)"
      " WHERE a.tenant = b.tenant AND a.id = b.id AND a.outcome = 0 RETURNING 1",
      batch_.now, tenants, attempts, outcomes, errors);
  if (std::cmp_not_equal(written.count(), lost_.size())) throw Contention("an attempt has changed meanwhile");
  lost_.clear();
}

void AnswerSet::write_beats() {
  if (beats_.empty()) return;
  Array tenants(Type::text), executions(Type::uuid), attempts(Type::uuid), numbers(Type::integer),
      leases(Type::integer), progress(Type::integer), messages(Type::text);
  for (const auto& [id, beat] : beats_) {
    tenants.add(id.first);
    executions.add(beat.execution.second);
    attempts.add(id.second);
    numbers.add(beat.number);
    leases.add(beat.lease_until);
    if (beat.progress) progress.add(beat.progress->millionths);
    else progress.add_null();
    if (beat.progress) messages.add(beat.progress->message);
    else messages.add_null();
  }
  const Rows written = batch_.connection.run(
      "WITH batch AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[],"
      " $6::bigint[], $7::text[]) AS b (tenant, execution_id, attempt_id, number, lease_until, progress, message)),"
      " locked AS MATERIALIZED (SELECT b.attempt_id FROM batch b JOIN executions e ON e.tenant = b.tenant"
      " AND e.id = b.execution_id WHERE e.state = 1 AND e.attempt = b.number ORDER BY e.tenant, e.id FOR UPDATE OF e),"
      " told AS (UPDATE executions e SET progress = b.progress, progress_message = b.message"
      " FROM batch b JOIN locked l ON l.attempt_id = b.attempt_id"
      " WHERE b.progress IS NOT NULL AND e.tenant = b.tenant AND e.id = b.execution_id)"
      " UPDATE attempts a SET lease_until = b.lease_until, last_heartbeat_at = $8"
      " FROM batch b JOIN locked l ON l.attempt_id = b.attempt_id"
      " WHERE a.tenant = b.tenant AND a.id = b.attempt_id RETURNING 1",
      tenants, executions, attempts, numbers, leases, progress, messages, batch_.now);
  if (std::cmp_not_equal(written.count(), beats_.size())) throw Contention("an attempt has changed meanwhile");
  write_accepted();
  beats_.clear();
}

/// What is heard of has arrived.
void AnswerSet::write_accepted() {
  Array tenants(Type::text), attempts(Type::uuid), repairs(Type::integer), answers(Type::text);
  for (const auto& [id, beat] : beats_) {
    if (!beat.repair) continue;
    tenants.add(id.first);
    attempts.add(id.second);
    repairs.add(*beat.repair);
    answers.add(beat.accepted);
  }
  if (tenants.size() == 0) return;
  const Rows written = batch_.connection.run(
      "UPDATE dispatches d SET state = 2, next_send_at = NULL, accepted_at = coalesce(d.accepted_at, $1),"
      " answer = coalesce(b.answer, d.answer)"
      " FROM unnest($2::text[], $3::uuid[], $4::bigint[], $5::text[]) AS b (tenant, id, repair, answer)"
      " WHERE d.tenant = b.tenant AND d.attempt_id = b.id AND d.repair = b.repair RETURNING 1",
      batch_.now, tenants, attempts, repairs, answers);
  if (std::cmp_not_equal(written.count(), tenants.size())) throw Contention("a dispatch has a new name");
}

void AnswerSet::write_stale() {
  if (stale_.empty()) return;
  Array tenants(Type::text), attempts(Type::uuid), counts(Type::integer);
  for (const auto& [id, count] : stale_) {
    tenants.add(id.first);
    attempts.add(id.second);
    counts.add(count);
  }
  const Rows written = batch_.connection.run(
      "UPDATE attempts a SET stale_results = a.stale_results + b.count"
      " FROM unnest($1::text[], $2::uuid[], $3::bigint[]) AS b (tenant, id, count)"
      " WHERE a.tenant = b.tenant AND a.id = b.id RETURNING 1",
      tenants, attempts, counts);
  if (std::cmp_less(written.count(), stale_.size())) {  // the others were put away
    batch_.connection.run(
        "UPDATE closed_attempts a SET stale_results = a.stale_results + b.count"
        " FROM unnest($1::text[], $2::uuid[], $3::bigint[]) AS b (tenant, id, count)"
        " WHERE a.tenant = b.tenant AND a.id = b.id",
        tenants, attempts, counts);
  }
  stale_.clear();
}

}  // namespace semel::store::postgres
