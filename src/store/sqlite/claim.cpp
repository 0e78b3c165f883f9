#include <algorithm>

#include "base/ensure.hpp"
#include "domain/workflow/code/names.hpp"
#include "store/sqlite/batch.hpp"
#include "store/sqlite/dispatch_row.hpp"
#include "store/sqlite/life_rows.hpp"
#include "store/sqlite/open_run.hpp"
#include "store/sqlite/open_workflow.hpp"
#include "store/sqlite/places.hpp"

namespace semel::store::sqlite {
namespace {

struct Candidate {
  std::int64_t seq;
  std::int64_t priority;
  std::int64_t order_at;
  Uuid id;
  std::string handler;

  /// Whether this one is claimed before the other.
  bool before(const Candidate& other) const {
    if (priority != other.priority) return priority > other.priority;
    if (order_at != other.order_at) return order_at < other.order_at;
    return id < other.id;
  }
};

/// The handlers that have ready tasks in a queue, but for those of code workflows: one look into the index for each,
/// however many tasks it has.
std::vector<std::string> ready_handlers(Connection& connection, std::int64_t tenant_id, const std::string& queue) {
  std::vector<std::string> handlers;
  std::string last;
  while (true) {
    Scoped query = connection.use(
        "SELECT handler FROM executions INDEXED BY executions_ready"
        " WHERE phase = 1 AND tenant_id = ?1 AND queue = ?2 AND handler > ?3 ORDER BY handler LIMIT 1");
    query->bind(1, tenant_id).bind(2, queue).bind(3, last);
    if (!query->step()) return handlers;
    last = query->text(0);
    if (!domain::code::is_workflow_handler(last)) handlers.push_back(last);
    else last = std::string(domain::code::workflow_prefix).append("\x7F");  // beyond all kinds: names are ASCII
  }
}

void collect(Connection& connection, std::int64_t tenant_id, const std::string& queue, const std::string& handler,
             std::vector<Candidate>& candidates, std::size_t max) {
  Scoped query = connection.use(
      "SELECT seq, priority, order_at, id FROM executions INDEXED BY executions_ready"
      " WHERE phase = 1 AND tenant_id = ?1 AND queue = ?2 AND handler = ?3"
      " ORDER BY priority DESC, order_at, id LIMIT ?4");
  query->bind(1, tenant_id).bind(2, queue).bind(3, handler).bind(4, static_cast<std::int64_t>(max));
  while (query->step()) {
    candidates.push_back({query->integer(0), query->integer(1), query->integer(2), query->uuid(3), handler});
  }
}

std::int64_t running_in(Connection& connection, std::int64_t tenant_id, const std::string& queue) {
  Scoped query = connection.use(
      "SELECT count(*) FROM executions INDEXED BY executions_counted WHERE phase = 3 AND tenant_id = ?1 AND queue = "
      "?2");
  query->bind(1, tenant_id).bind(2, queue);
  query->step();
  return query->integer(0);
}

/// What one queue has for a claim.
struct Offer {
  std::string queue;
  domain::QueueSettings settings;
  domain::TokenBucket* bucket = nullptr;
  domain::Allowance allowed{};
  std::optional<std::string> next{};  // the handler of the best one that is not given
  std::int64_t given = 0;
};

Offer offer_of(Batch& batch, std::int64_t tenant_id, const std::string& queue) {
  Offer offer{queue, batch.queues.settings(tenant_id, queue)};
  const domain::QueueSettings& settings = offer.settings;
  if (settings.rate_limit) offer.bucket = &batch.queues.bucket(tenant_id, queue, *settings.rate_limit, batch.now);
  const std::int64_t running = settings.max_running ? running_in(batch.connection, tenant_id, queue) : 0;
  offer.allowed = allowance(settings, running, offer.bucket, batch.now);
  return offer;
}

template <typename T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

/// The best ready tasks of a queue, within its limits.
std::vector<Candidate> choose_in(Batch& batch, std::int64_t tenant_id, const Claim& command, Offer& offer) {
  std::vector<Candidate> candidates;
  const auto wanted = static_cast<std::int64_t>(command.attempt_ids.size());
  const std::int64_t max = std::min(wanted, offer.allowed.count());
  if (offer.settings.paused) return candidates;
  std::vector<std::string> handlers =
      command.handlers ? *command.handlers : ready_handlers(batch.connection, tenant_id, offer.queue);
  sort_unique(handlers);
  std::erase_if(handlers, [&](const std::string& handler) {
    return !may_claim(offer.settings, command.push.has_value(), handler);
  });
  const bool is_limited = offer.bucket != nullptr || offer.settings.max_running;
  const auto looked_at = static_cast<std::size_t>(is_limited ? max + 1 : max);  // one more, to know what comes next
  for (const std::string& handler : handlers)
    collect(batch.connection, tenant_id, offer.queue, handler, candidates, looked_at);
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.before(b); });
  if (std::ssize(candidates) <= max) return candidates;
  if (is_limited) offer.next = candidates[static_cast<std::size_t>(max)].handler;
  candidates.resize(static_cast<std::size_t>(max));
  return candidates;
}

/// Nothing when its deadline has passed: then it is closed.
std::optional<Lease> lease(Batch& batch, std::int64_t tenant_id, const Claim& command,
                           const domain::QueueSettings& settings, std::int64_t seq, domain::AttemptId attempt_id) {
  auto row = find_by_seq(batch.connection, command.tenant, seq);
  ensure(row.has_value());
  domain::Execution& execution = row->execution;
  if (is_late(execution, batch.now)) {
    time_out(batch, *row);
    return std::nullopt;
  }
  const Time lease_until = lease_end(execution, batch.now, batch.now, command.lease);
  execution.state = *domain::next(execution.state, domain::Event::claimed);
  execution.attempt += 1;
  if (!execution.started_at) execution.started_at = batch.now;
  execution.progress.reset();
  set_running(batch.connection, seq, execution.attempt, *execution.started_at, running_phase(settings, execution.spec));
  insert_attempt(batch.connection,
                 {attempt_id, tenant_id, seq, execution.attempt, command.worker, batch.now, lease_until});
  tell(batch, execution, execution.state).timer = lease_until;
  Lease lease{std::move(execution), attempt_id, lease_until};
  if (command.push) {
    lease.dispatch = begin_dispatch(lease.execution, attempt_id, batch.now, *command.push);
    insert_dispatch(batch.connection, tenant_id, *lease.dispatch);
  }
  return lease;
}

struct Choice {
  Candidate candidate;
  Offer* offer = nullptr;
};

/// The queues share, as their weights say.
std::vector<Choice> choose_by_weight(Batch& batch, std::int64_t tenant_id, const Claim& command,
                                     std::vector<Offer>& offers) {
  std::vector<std::vector<Candidate>> candidates;
  for (Offer& offer : offers) candidates.push_back(choose_in(batch, tenant_id, command, offer));
  std::vector<std::size_t> taken(offers.size());
  const auto offer_of_queue = [&](const std::string& queue) {
    const auto found =
        std::find_if(offers.begin(), offers.end(), [&](const Offer& each) { return each.queue == queue; });
    return static_cast<std::size_t>(found - offers.begin());
  };
  std::vector<Choice> choices;
  for (const domain::AttemptId id : command.attempt_ids) {
    std::vector<int> weights;
    for (std::size_t i = 0; i < command.queues.size(); ++i) {
      const std::size_t at = offer_of_queue(command.queues[i]);
      weights.push_back(taken[at] < candidates[at].size() ? command.weights[i] : 0);
    }
    if (std::count(weights.begin(), weights.end(), 0) == std::ssize(weights)) break;
    const std::size_t at = offer_of_queue(command.queues[domain::pick_queue(weights, id)]);
    choices.push_back({candidates[at][taken[at]++], &offers[at]});
  }
  for (std::size_t at = 0; at < offers.size(); ++at) {
    if (taken[at] < candidates[at].size()) offers[at].next = candidates[at][taken[at]].handler;
  }
  return choices;
}

/// The best of all queues.
std::vector<Choice> choose(Batch& batch, std::int64_t tenant_id, const Claim& command, std::vector<Offer>& offers) {
  if (!command.weights.empty()) return choose_by_weight(batch, tenant_id, command, offers);
  std::vector<Choice> choices;
  for (Offer& offer : offers) {
    for (const Candidate& candidate : choose_in(batch, tenant_id, command, offer))
      choices.push_back({candidate, &offer});
  }
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) { return a.candidate.before(b.candidate); });
  const std::size_t max = command.attempt_ids.size();
  if (choices.size() > max) {
    for (std::size_t i = choices.size(); i-- > max;) choices[i].offer->next = choices[i].candidate.handler;
    choices.resize(max);
  }
  return choices;
}

void settle_offer(Offer& offer, const std::string& tenant, Claimed& claimed, Time now) {
  const domain::QueueSettings& settings = offer.settings;
  if (settings.rate_limit) take(*offer.bucket, *settings.rate_limit, offer.given);
  const bool is_limited = settings.rate_limit || settings.max_running;
  if (!is_limited || !offer.next) return;
  claimed.held_back.push_back({tenant, offer.queue, *std::move(offer.next),
                               next_chance(settings, offer.allowed, offer.given, offer.bucket, now)});
}

/// A waiting task whose time has come.
struct Due {
  std::int64_t seq = 0;
  std::int64_t tenant_id = 0;
  domain::ExecutionSpec spec;  // only id, kind, queue, handler and concurrency_key
};

}  // namespace

Outcome apply(Batch& batch, const Claim& command) {
  Claimed claimed;
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return claimed;
  std::vector<std::string> queues = command.queues;
  sort_unique(queues);
  std::vector<Offer> offers;
  for (const std::string& queue : queues) offers.push_back(offer_of(batch, *tenant_id, queue));
  const std::vector<Choice> chosen = choose(batch, *tenant_id, command, offers);
  StepInputs inputs(batch);
  if (!chosen.empty()) batch.begin_writing();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Offer& offer = *chosen[i].offer;
    auto leased = lease(batch, *tenant_id, command, offer.settings, chosen[i].candidate.seq, command.attempt_ids[i]);
    if (!leased) continue;
    const domain::ExecutionSpec& spec = leased->execution.spec;
    if (spec.step && !domain::code::command_of(spec.step->task_key)) leased->input = inputs.of(*tenant_id, spec);
    if (is_code(spec)) leased->activation = read_activation(batch.connection, *tenant_id, spec.id);
    claimed.leases.push_back(*std::move(leased));
    offer.given += 1;
  }
  if (claimed.leases.empty() && !chosen.empty()) return apply(batch, command);  // all of them were late
  for (Offer& offer : offers) settle_offer(offer, command.tenant, claimed, batch.now);
  return claimed;
}

Outcome apply(Batch& batch, const PromoteDue& command) {
  std::vector<Due> due;
  {
    Scoped query = batch.connection.use(
        "SELECT seq, tenant_id, queue, handler, concurrency_key, id, kind FROM executions WHERE phase = 2 AND run_at "
        "<= ?1"
        " ORDER BY run_at LIMIT ?2");
    query->bind(1, batch.now).bind(2, std::int64_t{command.max});
    while (query->step()) {
      Due& each = due.emplace_back();
      each.seq = query->integer(0);
      each.tenant_id = query->integer(1);
      each.spec.queue = query->text(2);
      each.spec.handler = query->text(3);
      each.spec.concurrency_key = query->optional_text(4);
      each.spec.id = {query->uuid(5)};
      each.spec.kind = static_cast<domain::Kind>(query->integer(6));
    }
  }
  if (!due.empty()) batch.begin_writing();
  for (const Due& each : due) {
    if (each.spec.kind == domain::Kind::workflow && !is_code(each.spec)) {
      OpenRun run(batch, each.tenant_id, batch.tenants.name_of(each.tenant_id), each.spec.id);
      run.suspend();
      run.start();
      run.save();
      continue;
    }
    batch.connection.use("UPDATE executions SET phase = ?2 WHERE seq = ?1")
        ->bind(1, each.seq)
        .bind(2, static_cast<std::int64_t>(each.spec.concurrency_key ? Phase::blocked : Phase::ready))
        .run();
    if (enter_again(batch, each.tenant_id, each.spec, each.seq) != Phase::ready) continue;
    batch.ready.push_back({batch.tenants.name_of(each.tenant_id), each.spec.queue, each.spec.handler});
  }
  const std::int64_t count = std::ssize(due) + fire_timers(batch, command.max - std::ssize(due));
  return Promoted{count == command.max};
}

}  // namespace semel::store::sqlite
