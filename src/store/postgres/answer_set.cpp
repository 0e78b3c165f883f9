#include "store/postgres/answer_set.hpp"

#include <algorithm>

#include "store/common/texts.hpp"
#include "store/postgres/given_leases.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

namespace semel::store::postgres {
namespace {

using domain::AttemptOutcome;

#define SEMEL_WANTED_ATTEMPTS "(SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)) u"
#define SEMEL_ATTEMPTED_COLUMNS                                                                                    \
  "a.tenant, a.id, a.number, a.worker, a.started_at, a.lease_until, a.outcome, e.id, e.state, "                    \
  "e.cancel_requested, e.queue, e.handler, e.namespace, e.name, e.attempt, e.uncounted_attempts, e.retry, "        \
  "e.timeout_ms, e.deadline, e.run_at, e.concurrency_key, octet_length(e.context), e.run, e.task_key, e.awaited, " \
  "CASE WHEN a.worker = 'semel:push' THEN (SELECT d.repair FROM dispatches d WHERE d.tenant = a.tenant "           \
  "AND d.attempt_id = a.id) END"
static_assert(domain::push_worker == "semel:push");

constexpr std::string_view attempts_wanted = "SELECT " SEMEL_ATTEMPTED_COLUMNS " FROM " SEMEL_WANTED_ATTEMPTS
                                             " JOIN attempts a ON a.tenant = u.tenant AND a.id = u.id"
                                             " JOIN executions e ON e.tenant = a.tenant AND e.id = a.execution_id";

Parameters parameters_of(std::span<const TenantAndAttempt> wanted) {
  Array tenants(Type::text);
  Array ids(Type::uuid);
  for (const auto& [tenant, id] : wanted) {
    tenants.add(tenant);
    ids.add(id);
  }
  return Parameters(tenants, ids);
}

domain::Execution read_attempted(const Row& row) {
  domain::Execution execution;
  execution.spec.tenant = row.text(0);
  execution.spec.id = {row.uuid(7)};
  execution.state = row.as<domain::State>(8);
  execution.cancel_requested = row.boolean(9);
  execution.spec.queue = row.text(10);
  execution.spec.handler = row.text(11);
  if (!row.is_null(13)) execution.spec.named_task = domain::NamedTask{{}, row.text(12), row.text(13), {}, 1};
  execution.attempt = row.small(14);
  execution.uncounted_attempts = row.small(15);
  if (!row.is_null(16)) execution.spec.retry = read_retry(row.view(16));
  if (!row.is_null(17)) execution.spec.timeout = Duration{row.integer(17)};
  execution.deadline = row.optional_time(18);
  execution.run_at = row.time(19);
  execution.spec.concurrency_key = row.optional_text(20);
  if (!row.is_null(22)) execution.spec.step = domain::StepOf{{row.uuid(22)}, row.text(23), std::nullopt};
  return execution;
}

domain::Attempt read_attempt(const Row& row) {
  domain::Attempt attempt;
  attempt.id = {row.uuid(1)};
  attempt.number = row.small(2);
  attempt.worker = row.text(3);
  attempt.started_at = row.time(4);
  attempt.lease_until = row.time(5);
  attempt.outcome = row.as<AttemptOutcome>(6);
  return attempt;
}

}  // namespace

void AnswerSet::ask_ahead(Connection& connection, std::span<const TenantAndAttempt> wanted, Connection::Check told) {
  connection.run_later(attempts_wanted, parameters_of(wanted), std::move(told));
}

void AnswerSet::recall(std::span<GivenLease> leases) {
  std::set<TenantAndQueue> queues;
  for (GivenLease& each : leases) {
    const TenantAndId id{each.of.execution.spec.tenant, each.of.execution.spec.id};
    queues.emplace(id.first, each.of.execution.spec.queue);
    AttemptedExecution& of = executions_.try_emplace(id, std::move(each.of)).first->second;
    attempts_.try_emplace({id.first, each.attempt.id}, Current{std::move(each.attempt), &of});
  }
  batch_.queues.preload(queues);
}

/// One that was put away has ended, too: only there may it be, when it is not among the others.
void AnswerSet::read(std::span<const TenantAndAttempt> wanted, std::optional<Rows> told_ahead) {
  const auto are_all = [&] {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& id) { return attempts_.contains(id); });
  };
  if (are_all()) return;
  const Parameters parameters = parameters_of(wanted);
  add(told_ahead ? *std::move(told_ahead) : batch_.connection.run(attempts_wanted, parameters));
  if (are_all()) return;
  add(batch_.connection.run(
      "SELECT " SEMEL_ATTEMPTED_COLUMNS " FROM " SEMEL_WANTED_ATTEMPTS
      " JOIN closed_attempts a ON a.tenant = u.tenant AND a.id = u.id"
      " JOIN closed e ON e.tenant = a.tenant AND e.id = a.execution_id AND e.keep_days = a.keep_days"
      " AND e.closed_day = a.closed_day WHERE NOT is_leaving(e.keep_days, e.closed_day)",
      parameters));
}

void AnswerSet::add(const Rows& rows) {
  std::set<TenantAndQueue> queues;
  for (const Row row : rows) {
    domain::Execution execution = read_attempted(row);
    const TenantAndId id{execution.spec.tenant, execution.spec.id};
    queues.emplace(execution.spec.tenant, execution.spec.queue);
    const auto bytes = static_cast<std::uint64_t>(row.integer(21));
    if (attempts_.contains({id.first, {row.uuid(1)}})) continue;
    AttemptedExecution read{std::move(execution), bytes, row.boolean(24)};
    AttemptedExecution& of = executions_.try_emplace(id, std::move(read)).first->second;
    domain::Attempt attempt = read_attempt(row);
    attempt.execution_id = id.second;
    const std::optional<int> repair = row.is_null(25) ? std::nullopt : std::optional(row.small(25));
    attempts_[{id.first, attempt.id}] = Current{std::move(attempt), &of, repair};
  }
  batch_.queues.preload(queues);
}

/// Those of the tasks, and of those that are attached to them; and workflows whose activations end.
Owners AnswerSet::owners_to_tell() {
  Owners owners = std::move(owners_);
  std::vector<TenantAndId> awaited;
  for (const auto& [id, each] : executions_) {
    if (each.execution.spec.step) owners.add(id.first, *each.execution.spec.step);
    if (is_code(each.execution.spec)) owners.workflows.insert(id);
    if (each.awaited) awaited.push_back(id);
  }
  Owners attached = owners_attached_to(batch_, awaited);
  owners.runs.merge(attached.runs);
  owners.workflows.merge(attached.workflows);
  in_order_ = in_order_ || !awaited.empty();
  return owners;
}

/// A run with a concurrency_key may let tasks enter any of its queues.
std::set<TenantAndQueue> AnswerSet::queues() {
  owners_ = owners_to_tell();
  const bool any_keyed = std::any_of(executions_.begin(), executions_.end(), [](const auto& each) {
    return each.second.execution.spec.step && each.second.execution.spec.concurrency_key;
  });
  std::set<TenantAndQueue> queues = std::move(queues_);
  if (any_keyed || in_order_)
    queues.merge(queues_of(batch_, std::vector<TenantAndId>(owners_.runs.begin(), owners_.runs.end())));
  for (const auto& [id, each] : executions_) {
    if (each.execution.spec.concurrency_key) queues.emplace(each.execution.spec.tenant, each.execution.spec.queue);
  }
  return queues;
}

void AnswerSet::lock_runs() {
  hold_owners(batch_, owners_);
  for (const TenantAndId& id : owners_.runs) {
    const auto run = batch_.runs.held.find(id);
    if (run == batch_.runs.held.end()) continue;
    in_order_ = in_order_ || run->second.loaded.spec.concurrency_key || keeps_nothing(batch_, run->second);
  }
}

/// A run that has ended, and is not kept, has gone with all its tasks.
void AnswerSet::settle_in_order() {
  write_beats();
  write_ended();
  write_lost();
  settle_runs(batch_);
  for (auto& [id, each] : executions_) {
    if (!each.execution.spec.step) continue;
    const auto run = batch_.runs.held.find({id.first, each.execution.spec.step->run});
    if (run == batch_.runs.held.end()) continue;
    each.gone = each.gone || (domain::is_closed(run->second.state) && keeps_nothing(batch_, run->second));
  }
}

void AnswerSet::lock_all() {
  std::vector<TenantAndId> ids;
  for (const auto& [id, each] : executions_) ids.push_back(id);
  lock_executions(batch_.connection, ids);
}

Current* AnswerSet::find(const std::string& tenant, domain::AttemptId id) {
  const auto found = attempts_.find({tenant, id});
  return found == attempts_.end() || found->second.of->gone ? nullptr : &found->second;
}

/// Only the current attempt ends its task; saying the same again is told so; anything else is stale, and counted.
Outcome AnswerSet::answer_ended(const TenantAndAttempt& id, const domain::Ending& ending, const Outputs& outputs) {
  AttemptAnswer answered;
  Current* const current = find(id.first, id.second);
  if (current == nullptr) return answered;
  answered.execution_id = current->attempt.execution_id;
  if (current->attempt.outcome == AttemptOutcome::running) {
    answered.kind = AttemptAnswer::Kind::recorded;
    batch_.command_began = batch_.changes.size();
    end(*current, ending, outputs);
    if (in_order_) settle_in_order();
  } else if (current->attempt.outcome == ending.outcome) {
    answered.kind = AttemptAnswer::Kind::already_recorded;
  } else {
    stale_[id] += 1;
  }
  answered.state = current->of->execution.state;
  return answered;
}

Outcome AnswerSet::answer(const Complete& command) {
  Outputs outputs;
  if (Current* const current = find(command.tenant, command.attempt_id);
      current && is_code(current->of->execution.spec))
    return Rejected{{ErrorCode::bad_request, domain::code::answered_by_commands}};
  if (command.result) outputs.result = *command.result;
  return answer_ended({command.tenant, command.attempt_id}, {AttemptOutcome::completed}, outputs);
}

Outcome AnswerSet::answer(const Fail& command) {
  const Current* const current = find(command.tenant, command.attempt_id);
  const bool is_fenced =
      command.repair && current != nullptr && current->repair && current->attempt.outcome == AttemptOutcome::running;
  if (is_fenced && *current->repair != *command.repair) {
    AttemptAnswer stale;
    stale.execution_id = current->attempt.execution_id;
    stale.state = current->of->execution.state;
    return stale;
  }
  if (is_fenced) refused_[{command.tenant, command.attempt_id}] = *command.repair;
  return answer_ended({command.tenant, command.attempt_id},
                      {AttemptOutcome::failed, command.retryable, command.retry_after}, {std::nullopt, command.error});
}

Outcome AnswerSet::answer(const Heartbeat& command) {
  AttemptAnswer answered;
  Current* const current = find(command.tenant, command.attempt_id);
  if (current == nullptr) return answered;
  domain::Execution& execution = current->of->execution;
  domain::Attempt& attempt = current->attempt;
  answered.execution_id = attempt.execution_id;
  answered.state = execution.state;
  if (attempt.outcome != AttemptOutcome::running) return answered;
  if (command.accepted && current->repair && *current->repair != command.repair) return answered;
  answered.kind = AttemptAnswer::Kind::recorded;
  attempt.lease_until = lease_after_beat(execution, attempt, batch_.now, command.lease, command.by());
  answered.lease_until = attempt.lease_until;
  answered.should_cancel = execution.cancel_requested;
  Beat& beat = beats_[{command.tenant, command.attempt_id}];
  beat.execution = {command.tenant, attempt.execution_id};
  beat.number = attempt.number;
  beat.lease_until = attempt.lease_until;
  if (command.progress) beat.progress = command.progress;
  beat.repair = current->repair;
  if (command.accepted) beat.accepted = command.accepted;
  return answered;
}

void AnswerSet::end(Current& current, const domain::Ending& ending, const Outputs& outputs) {
  const domain::Execution& execution = current.of->execution;
  if (is_code(execution.spec)) return lose(current, ending, outputs.error);
  const domain::Aftermath after = aftermath(execution, current.attempt, ending, batch_.now);
  Ended ended;
  ended.outcome = ending.outcome;
  ended.outputs = outputs;
  ended.uncounted = execution.uncounted_attempts;
  ended.state = after.state;
  if (after.run_at) queue_again(current, std::move(ended), *after.run_at);
  else close(current, std::move(ended));
}

void AnswerSet::give_back(Current& current) {
  const domain::Execution& execution = current.of->execution;
  if (is_code(execution.spec)) return lose(current, {AttemptOutcome::undelivered}, std::nullopt);
  const domain::State pending = *next(execution.state, domain::Event::retried);
  Ended ended;
  ended.outcome = AttemptOutcome::undelivered;
  ended.uncounted = execution.uncounted_attempts;
  if (execution.cancel_requested) {
    ended.state = *next(pending, domain::Event::cancelled);
    close(current, std::move(ended));
    return;
  }
  ended.uncounted += 1;
  ended.state = pending;
  queue_again(current, std::move(ended), execution.run_at);
}

void AnswerSet::close(Current& current, Ended ended) {
  domain::Execution& execution = current.of->execution;
  add(current, std::move(ended));
  tell(batch_, execution, execution.state);
  batch_.usages.closed(execution.spec.tenant, current.of->context_bytes);
  if (execution.spec.step) return;  // it goes with its run
  current.of->gone = batch_.queues.settings({execution.spec.tenant, execution.spec.queue}).retention <= Duration{0};
}

/// Back into the queue, now or later.
void AnswerSet::queue_again(Current& current, Ended ended, Time run_at) {
  domain::Execution& execution = current.of->execution;
  ended.run_at = run_at;
  ended.phase = run_at > batch_.now ? Phase::waiting : execution.spec.concurrency_key ? Phase::blocked : Phase::ready;
  const Phase phase = ended.phase;
  add(current, std::move(ended));
  execution.run_at = run_at;
  Change& change = tell(batch_, execution, execution.state);
  change.is_ready = phase == Phase::ready;  // of a blocked one, write() will know
  change.timer = pending_timer(phase != Phase::waiting, run_at, execution.deadline);
}

/// Of two tasks with one concurrency_key, the first must have made room before the second is looked at.
void AnswerSet::add(Current& current, Ended ended) {
  domain::Execution& execution = current.of->execution;
  ended.execution = {execution.spec.tenant, execution.spec.id};
  ended.attempt = current.attempt.id;
  ended.number = current.attempt.number;
  ended.cancel_seen = execution.cancel_requested;
  if (execution.spec.concurrency_key) {
    ended.key = key_place(execution.spec);
    if (keys_.contains(*ended.key)) write_ended();
    keys_.insert(*ended.key);
  }
  ended.change = batch_.changes.size();
  current.attempt.outcome = ended.outcome;
  execution.state = ended.state;
  execution.uncounted_attempts = ended.uncounted;
  may_make_ready_ = may_make_ready_ || ended.run_at || concerns_others(ended);
  ended_.push_back(std::move(ended));
}

void AnswerSet::write() {
  write_ended();
  write_lost();
  write_beats();
  write_stale();
}

}  // namespace semel::store::postgres
