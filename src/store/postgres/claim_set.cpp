#include "store/postgres/claim_set.hpp"

#include <algorithm>

#include "store/postgres/dispatch_row.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

namespace semel::store::postgres {
namespace {

/// How often a claim looks again when there were tasks, and others were just taking all of them.
constexpr int looks_max = 4;

bool is_limited(const domain::QueueSettings& settings) { return settings.rate_limit || settings.max_running; }

}  // namespace

bool gives_freely(const domain::QueueSettings& settings) {
  return !settings.paused && !is_limited(settings) && !settings.target;
}

ClaimSet::ClaimSet(Batch& batch, std::span<const Claim* const> commands)
    : batch_(batch), commands_(commands), outcomes_(commands.size()) {
  std::set<TenantAndQueue> queues;
  for (const Claim* command : commands_) {
    for (const std::string& queue : command->queues) queues.emplace(command->tenant, queue);
  }
  batch_.queues.preload(queues);
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    Lanes lanes = lanes_of(*commands_[i]);
    const bool plain = is_plain(*commands_[i], lanes);
    // A claim joins those that ask for the same, unless one in between could get what it gets.
    Group* joined = nullptr;
    for (auto group = groups_.rbegin(); group != groups_.rend() && joined == nullptr; ++group) {
      if (plain && group->is_plain && group->lanes == lanes) joined = &*group;
      else if (group->lanes.meets(lanes)) break;
    }
    if (joined == nullptr) joined = &groups_.emplace_back(Group{std::move(lanes), plain});
    joined->members.push_back(i);
  }
}

bool ClaimSet::is_plain(const Claim& command, const Lanes& lanes) {
  return command.weights.empty() && std::none_of(lanes.queues.begin(), lanes.queues.end(), [&](const auto& queue) {
           const domain::QueueSettings settings = batch_.queues.settings({command.tenant, queue});
           const bool is_for_others = settings.target.has_value() != command.push.has_value();
           return settings.paused || is_limited(settings) || is_for_others;
         });
}

std::set<TenantAndQueue> ClaimSet::queues(bool alone) {
  std::set<TenantAndQueue> queues;
  for (Group& group : groups_) {
    if (group.is_plain) continue;
    group.is_empty = alone && !has_ready(batch_.connection, group.lanes);
    if (group.is_empty) continue;
    for (const std::string& queue : group.lanes.queues) {
      if (is_limited(batch_.queues.settings({group.lanes.tenant, queue}))) queues.emplace(group.lanes.tenant, queue);
    }
  }
  return queues;
}

void ClaimSet::run() {
  for (const Group& group : groups_) {
    if (group.is_plain) run_plain(group);
    else if (!group.is_empty) {
      for (const std::size_t i : group.members) run_limited(*commands_[i], group.lanes, outcomes_[i]);
    }
    write();
  }
}

/// All of them together get the best, and each in turn its part of it.
void ClaimSet::run_plain(const Group& group) {
  std::vector<ExecutionRow> pool;
  std::size_t asked = 0;  // the pool was to have so many
  std::size_t taken = 0;
  std::size_t wanted = 0;  // by those whose turn it is or will be
  for (const std::size_t member : group.members) wanted += commands_[member]->attempt_ids.size();
  bool is_stale = true;  // the pool is to be filled, perhaps again
  for (const std::size_t member : group.members) {
    const Claim& command = *commands_[member];
    const std::size_t most = command.attempt_ids.size();
    Claimed& claimed = outcomes_[member];
    for (int looks = 0; claimed.leases.empty();) {
      // Where somebody before met only late ones, and took more in their place, others are left besides the pool.
      const bool is_short = pool.size() == asked && pool.size() - taken < most;
      if (is_stale || is_short) {
        if (looks == looks_max) {
          come_again(group.lanes, claimed);
          break;
        }
        write();
        pool =
            ahead_ ? *std::exchange(ahead_, std::nullopt) : lock_ready(batch_.connection, group.lanes, wanted, looks);
        looks += 1;
        asked = wanted;
        taken = 0;
        is_stale = pool.empty();
        if (is_stale && !has_ready(batch_.connection, group.lanes)) return;
        continue;
      }
      const std::size_t count = std::min(most, pool.size() - taken);
      const bool others_are_ready = give(command, std::span(pool).subspan(taken, count), claimed);
      taken += count;
      if (count > 0) looks = 0;
      // Where late ones were closed, others than those in the pool may be the best now.
      is_stale = count == 0 || others_are_ready;
    }
    wanted -= most;
  }
}

/// There is work, and others are just taking all that was seen of it: who waits for some must not wait for more.
void ClaimSet::come_again(const Lanes& lanes, Claimed& claimed) {
  for (const std::string& queue : lanes.queues) {
    for (const Candidate& next : best_ready(batch_.connection, lanes, queue, 1))
      claimed.held_back.push_back({lanes.tenant, queue, next.handler, batch_.now});
  }
}

/// Leases the rows. Late ones are closed instead; true when that has made other tasks ready.
bool ClaimSet::give(const Claim& command, std::span<ExecutionRow> rows, Claimed& claimed) {
  bool more_are_ready = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const domain::ExecutionSpec& spec = rows[i].execution.spec;
    if (!is_late(rows[i].execution, batch_.now)) {
      lease(command, rows[i], command.attempt_ids[i], claimed);
      continue;
    }
    lock_place(batch_, spec);
    more_are_ready = more_are_ready || spec.concurrency_key.has_value();
    time_out(batch_, rows[i]);
    if (!is_code(spec)) continue;
    do_what_is_noted(batch_);  // what it leads to is told when all is given
    write_workflows(batch_);   // it is not to be found again
  }
  return more_are_ready;
}

void ClaimSet::lease(const Claim& command, ExecutionRow& row, domain::AttemptId id, Claimed& claimed) {
  domain::Execution& execution = row.execution;
  const Time lease_until = lease_end(execution, batch_.now, batch_.now, command.lease);
  execution.state = *domain::next(execution.state, domain::Event::claimed);
  execution.attempt += 1;
  if (!execution.started_at) execution.started_at = batch_.now;
  execution.progress.reset();
  const Phase phase = running_phase(batch_.queues.settings(row.queue()), execution.spec);
  new_.push_back({row.id(), id, execution.attempt, command.worker, *execution.started_at, lease_until, phase});
  if (command.push) new_.back().dispatch = begin_dispatch(execution, id, batch_.now, *command.push);
  tell(batch_, execution, execution.state).timer = lease_until;
  if (const auto held = batch_.runs.workflows.find(row.id()); held != batch_.runs.workflows.end())
    observe(held->second, execution);
  claimed.leases.push_back({std::move(execution), id, lease_until});
  claimed.leases.back().dispatch = new_.back().dispatch;
}

void ClaimSet::write() {
  if (new_.empty()) return;
  Array tenants(Type::text), executions(Type::uuid), attempts(Type::uuid), numbers(Type::integer), workers(Type::text),
      started(Type::integer), leases(Type::integer), phases(Type::integer);
  for (const NewAttempt& each : new_) {
    tenants.add(each.execution.first);
    executions.add(each.execution.second);
    attempts.add(each.id);
    numbers.add(each.number);
    workers.add(each.worker);
    started.add(each.started_at);
    leases.add(each.lease_until);
    phases.add(each.phase);
  }
  batch_.connection.run_later(
      "WITH batch AS MATERIALIZED (SELECT * FROM unnest($2::text[], $3::uuid[], $4::uuid[], $5::bigint[], $6::text[],"
      " $7::bigint[], $8::bigint[], $9::bigint[]) AS b (tenant, execution_id, attempt_id, number, worker, started_at,"
      " lease_until, phase)),"
      " claimed AS (UPDATE executions e SET state = 1, phase = b.phase, attempt = b.number, started_at = b.started_at,"
      " progress = NULL, progress_message = NULL FROM batch b WHERE e.tenant = b.tenant AND e.id = b.execution_id)"
      " INSERT INTO attempts (tenant, id, execution_id, number, worker, started_at, lease_until)"
      " SELECT b.tenant, b.attempt_id, b.execution_id, b.number, b.worker, $1, b.lease_until FROM batch b",
      Parameters(batch_.now, tenants, executions, attempts, numbers, workers, started, leases, phases));
  std::vector<std::pair<std::string_view, const domain::Dispatch*>> pushed;
  for (const NewAttempt& each : new_) {
    if (each.dispatch) pushed.emplace_back(each.execution.first, &*each.dispatch);
  }
  insert_dispatches(batch_.connection, pushed);
  new_.clear();
}

}  // namespace semel::store::postgres
