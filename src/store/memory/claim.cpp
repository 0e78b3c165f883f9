#include <algorithm>

#include "base/ensure.hpp"
#include "domain/workflow/code/names.hpp"
#include "store/memory/tables.hpp"

/// From waiting to ready to leased (DESIGN §4).
namespace semel::store::memory {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_wanted(const Tables& tables, const Claim& claim, const Record& record) {
  const domain::ExecutionSpec& spec = record.execution.spec;
  return record.execution.state == domain::State::pending && record.phase == Phase::ready &&
         spec.tenant == claim.tenant && contains(claim.queues, spec.queue) &&
         (claim.handlers ? contains(*claim.handlers, spec.handler)
                         : !domain::code::is_workflow_handler(spec.handler)) &&
         may_claim(settings_of(tables, spec.tenant, spec.queue), claim.push.has_value(), spec.handler);
}

std::int64_t running_in(const Tables& tables, const TenantAndQueue& queue) {
  return std::count_if(tables.executions.begin(), tables.executions.end(), [&](const auto& each) {
    const domain::ExecutionSpec& spec = each.second.execution.spec;
    return each.second.execution.state == domain::State::running && TenantAndQueue(spec.tenant, spec.queue) == queue;
  });
}

/// What one queue has for a claim.
struct Offer {
  std::string tenant;
  std::string queue;
  domain::QueueSettings settings;
  domain::TokenBucket* bucket = nullptr;
  domain::Allowance allowed;
  std::vector<Record*> ready{};  // in order
  std::size_t chosen = 0;
  std::int64_t given = 0;
};

bool sooner(const Record* left, const Record* right) {
  return place_in_queue(left->execution) < place_in_queue(right->execution);
}

std::map<std::string, Offer> offers_for(Tables& tables, const Claim& claim, Time now) {
  std::map<std::string, Offer> offers;
  for (const std::string& queue : claim.queues) {
    const TenantAndQueue place{claim.tenant, queue};
    Offer offer{claim.tenant, queue, settings_of(tables, claim.tenant, queue), nullptr, {}};
    if (const auto& limit = offer.settings.rate_limit)
      offer.bucket = &tables.buckets.try_emplace(place, full_bucket(*limit, now)).first->second;
    offer.allowed = allowance(offer.settings, running_in(tables, place), offer.bucket, now);
    offers.emplace(queue, std::move(offer));
  }
  for (auto& [id, record] : tables.executions) {
    if (is_wanted(tables, claim, record)) offers.at(record.execution.spec.queue).ready.push_back(&record);
  }
  for (auto& [queue, offer] : offers) std::sort(offer.ready.begin(), offer.ready.end(), sooner);
  return offers;
}

/// The queues share, as their weights say.
std::vector<Record*> choose_by_weight(const std::map<std::string, Offer>& offers, const Claim& claim) {
  std::vector<Record*> chosen;
  std::map<std::string, std::size_t> taken;
  for (const domain::AttemptId id : claim.attempt_ids) {
    std::vector<int> weights;
    for (std::size_t i = 0; i < claim.queues.size(); ++i) {
      const Offer& offer = offers.at(claim.queues[i]);
      const auto most = std::min(std::ssize(offer.ready), offer.allowed.count());
      weights.push_back(std::cmp_less(taken[offer.queue], most) ? claim.weights[i] : 0);
    }
    if (std::count(weights.begin(), weights.end(), 0) == std::ssize(weights)) break;
    const Offer& offer = offers.at(claim.queues[domain::pick_queue(weights, id)]);
    chosen.push_back(offer.ready[taken[offer.queue]++]);
  }
  return chosen;
}

/// The best of all queues, each within its limits.
std::vector<Record*> choose(const std::map<std::string, Offer>& offers, const Claim& claim) {
  if (!claim.weights.empty()) return choose_by_weight(offers, claim);
  const std::size_t max = claim.attempt_ids.size();
  std::vector<Record*> chosen;
  for (const auto& [queue, offer] : offers) {
    const auto count = std::min(std::ssize(offer.ready), offer.allowed.count());
    chosen.insert(chosen.end(), offer.ready.begin(), offer.ready.begin() + count);
  }
  std::sort(chosen.begin(), chosen.end(), sooner);
  if (chosen.size() > max) chosen.resize(max);
  return chosen;
}

void settle_offer(Offer& offer, Claimed& claimed, Time now) {
  const domain::QueueSettings& settings = offer.settings;
  if (settings.rate_limit) take(*offer.bucket, *settings.rate_limit, offer.given);
  const bool is_limited = !settings.paused && (settings.rate_limit || settings.max_running);
  if (!is_limited || offer.ready.size() == offer.chosen) return;
  claimed.held_back.push_back({offer.tenant, offer.queue, offer.ready[offer.chosen]->execution.spec.handler,
                               next_chance(settings, offer.allowed, offer.given, offer.bucket, now)});
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
  if (claim.push) record.dispatches.push_back(begin_dispatch(execution, attempt_id, now, *claim.push));
  return lease_of(tables, record, attempt);
}

}  // namespace

Lease lease_of(Tables& tables, Record& record, const domain::Attempt& attempt) {
  const domain::ExecutionSpec& spec = record.execution.spec;
  Lease lease{record.execution, attempt.id, attempt.lease_until};
  if (spec.step && !domain::code::command_of(spec.step->task_key)) lease.input = input_of(tables, spec);
  if (const WorkflowRecord* workflow = find_workflow(tables, spec)) lease.activation = read_activation(*workflow);
  if (const domain::Dispatch* dispatch = find_dispatch(record, attempt.id)) lease.dispatch = *dispatch;
  return lease;
}

Outcome apply(Tables& tables, const Claim& claim, Time now) {
  std::map<std::string, Offer> offers = offers_for(tables, claim, now);
  Claimed claimed;
  const std::vector<Record*> chosen = choose(offers, claim);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    offers.at(chosen[i]->execution.spec.queue).chosen += 1;
    if (is_late(chosen[i]->execution, now)) {
      time_out(tables, *chosen[i], now);
      continue;
    }
    claimed.leases.push_back(lease_to(tables, *chosen[i], claim, claim.attempt_ids[i], now));
    offers.at(chosen[i]->execution.spec.queue).given += 1;
  }
  if (claimed.leases.empty() && !chosen.empty()) return apply(tables, claim, now);  // all of them were late
  for (auto& [queue, offer] : offers) settle_offer(offer, claimed, now);
  return claimed;
}

Outcome apply(Tables& tables, const PromoteDue& promote, Time now) {
  std::vector<Record*> due;
  for (auto& [id, record] : tables.executions) {
    const bool waits = record.execution.state == domain::State::pending && record.phase == Phase::waiting;
    if (waits && record.execution.run_at <= now) due.push_back(&record);
  }
  std::stable_sort(due.begin(), due.end(), [](const Record* left, const Record* right) {
    return left->execution.run_at < right->execution.run_at;
  });
  const std::size_t max = static_cast<std::size_t>(promote.max);
  if (due.size() > max) due.resize(max);
  for (Record* record : due) {
    const domain::ExecutionSpec& spec = record->execution.spec;
    if (tables.runs.contains({spec.tenant, spec.id})) {
      suspend(*record, now);
      tell(tables, *record);
      start_run(tables, *record, now);
      continue;
    }
    enter_queue(tables, *record, now);
    if (record->phase == Phase::ready) tables.ready.push_back({spec.tenant, spec.queue, spec.handler});
  }
  const std::size_t count = due.size() + fire_timers(tables, max - due.size(), now);
  return Promoted{count == max};
}

}  // namespace semel::store::memory
