#include "store/postgres/given_leases.hpp"

#include <utility>

#include "store/postgres/workflows.hpp"

namespace semel::store::postgres {
namespace {

/// What decisions about its attempts need: the rest may be large.
domain::Execution without_what_is_large(const domain::Execution& execution) {
  domain::Execution kept;
  kept.spec.tenant = execution.spec.tenant;
  kept.spec.id = execution.spec.id;
  kept.spec.queue = execution.spec.queue;
  kept.spec.handler = execution.spec.handler;
  kept.spec.named_task = execution.spec.named_task;
  kept.spec.retry = execution.spec.retry;
  kept.spec.timeout = execution.spec.timeout;
  kept.state = execution.state;
  kept.cancel_requested = execution.cancel_requested;
  kept.attempt = execution.attempt;
  kept.uncounted_attempts = execution.uncounted_attempts;
  kept.deadline = execution.deadline;
  kept.run_at = execution.run_at;
  return kept;
}

}  // namespace

void GivenLeases::note(const Lease& lease, std::string_view worker, Time now) {
  const domain::ExecutionSpec& spec = lease.execution.spec;
  if (spec.step || spec.concurrency_key || lease.dispatch || is_code(spec)) return;
  GivenLease given;
  given.of = {without_what_is_large(lease.execution), spec.context.size()};
  given.attempt.id = lease.attempt_id;
  given.attempt.execution_id = spec.id;
  given.attempt.number = lease.execution.attempt;
  given.attempt.worker = worker;
  given.attempt.started_at = now;
  given.attempt.lease_until = lease.lease_until;
  TenantAndAttempt id{spec.tenant, lease.attempt_id};
  const std::lock_guard lock(mutex_);
  leases_.insert_or_assign(id, std::move(given));
  order_.push_back(std::move(id));
  if (order_.size() <= leases_max) return;
  leases_.erase(order_.front());
  order_.pop_front();
}

std::optional<GivenLease> GivenLeases::take(const TenantAndAttempt& id) {
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(id);
  if (found == leases_.end()) return std::nullopt;
  std::optional<GivenLease> lease = std::move(found->second);
  leases_.erase(found);
  return lease;
}

}  // namespace semel::store::postgres
