#include <algorithm>
#include <set>
#include <tuple>

#include "base/ensure.hpp"
#include "store/memory/tables.hpp"

/// From waiting to ready to leased (DESIGN §4).
namespace semel::store::memory {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_wanted(const Claim& claim, const Record& record) {
  const domain::ExecutionSpec& spec = record.execution.spec;
  return record.execution.state == domain::State::pending && !record.waiting && spec.tenant == claim.tenant &&
         contains(claim.queues, spec.queue) && (!claim.handlers || contains(*claim.handlers, spec.handler));
}

/// Sorts the best first: highest priority, then order time, then id.
auto place_in_queue(const domain::Execution& execution) {
  const domain::ExecutionSpec& spec = execution.spec;
  return std::tuple(-spec.priority, domain::order_time(execution.run_at, spec.head_start), spec.id);
}

Lease lease_to(Tables& tables, Record& record, const Claim& claim, domain::AttemptId attempt_id, Time now) {
  domain::Execution& execution = record.execution;
  const std::optional<domain::State> state = next(execution.state, domain::Event::claimed);
  ensure(state.has_value());
  execution.state = *state;
  execution.attempt += 1;
  if (!execution.started_at) execution.started_at = now;

  domain::Attempt attempt;
  attempt.id = attempt_id;
  attempt.execution_id = execution.spec.id;
  attempt.number = execution.attempt;
  attempt.worker = claim.worker;
  attempt.started_at = now;
  attempt.lease_until = lease_end(execution, now, now, claim.lease);
  record.attempts.push_back(attempt);
  const bool is_new = tables.attempts.emplace(TenantAndAttempt{claim.tenant, attempt_id}, execution.spec.id).second;
  ensure(is_new);
  execution.progress.reset();
  tell(tables, record);
  return {execution, attempt_id, attempt.lease_until};
}

}  // namespace

Outcome apply(Tables& tables, const Claim& claim, Time now) {
  std::vector<Record*> ready;
  for (auto& [id, record] : tables.executions) {
    if (is_wanted(claim, record)) ready.push_back(&record);
  }
  std::sort(ready.begin(), ready.end(), [](const Record* left, const Record* right) {
    return place_in_queue(left->execution) < place_in_queue(right->execution);
  });

  Claimed claimed;
  const std::size_t count = std::min(ready.size(), claim.attempt_ids.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (is_late(ready[i]->execution, now)) time_out(tables, *ready[i], now);
    else claimed.leases.push_back(lease_to(tables, *ready[i], claim, claim.attempt_ids[i], now));
  }
  return claimed;
}

Outcome apply(Tables& tables, const PromoteDue& promote, Time now) {
  std::vector<Record*> due;
  for (auto& [id, record] : tables.executions) {
    const bool pending = record.execution.state == domain::State::pending;
    if (pending && record.waiting && record.execution.run_at <= now) due.push_back(&record);
  }
  std::stable_sort(due.begin(), due.end(), [](const Record* left, const Record* right) {
    return left->execution.run_at < right->execution.run_at;
  });
  const std::size_t max = static_cast<std::size_t>(promote.max);
  if (due.size() > max) due.resize(max);

  std::set<std::pair<std::string, std::string>> queues;
  for (Record* record : due) {
    record->waiting = false;
    queues.emplace(record->execution.spec.tenant, record->execution.spec.queue);
  }
  return Promoted{{queues.begin(), queues.end()}, due.size() == max};
}

}  // namespace semel::store::memory
