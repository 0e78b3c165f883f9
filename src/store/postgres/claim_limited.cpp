#include <algorithm>

#include "store/postgres/claim_set.hpp"

/// Claims of queues with limits, and claims that share queues by weights.
namespace semel::store::postgres {

/// What one queue has for a claim.
struct ClaimSet::Offer {
  std::string queue;
  domain::QueueSettings settings{};
  domain::TokenBucket* bucket = nullptr;
  domain::Allowance allowed{};
  std::optional<std::string> next{};  // the handler of the best one that is not given
  std::int64_t given = 0;

  bool is_limited() const { return settings.rate_limit || settings.max_running; }
};

namespace {

constexpr int looks_at_limited_max = 4;

std::int64_t running_in(Connection& connection, const TenantAndQueue& queue) {
  return connection
      .run("SELECT count(*) FROM executions e WHERE e.phase = 3 AND e.tenant = $1 AND e.queue = $2", queue.first,
           queue.second)[0]
      .integer(0);
}

struct Choice {
  Candidate candidate;
  std::size_t offer = 0;
};

/// The queues share, as their weights say. `taken` counts what each offer gives.
std::vector<Choice> share(const Claim& command, const Lanes& lanes,
                          const std::vector<std::vector<Candidate>>& candidates, std::vector<std::size_t>& taken) {
  const auto offer_of_queue = [&](const std::string& queue) {
    return static_cast<std::size_t>(std::lower_bound(lanes.queues.begin(), lanes.queues.end(), queue) -
                                    lanes.queues.begin());
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
    choices.push_back({candidates[at][taken[at]++], at});
  }
  return choices;
}

/// The best of all queues.
std::vector<Choice> merge(const Claim& command, const std::vector<std::vector<Candidate>>& candidates,
                          std::vector<std::size_t>& taken) {
  std::vector<Choice> choices;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    for (const Candidate& candidate : candidates[at]) choices.push_back({candidate, at});
  }
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) { return a.candidate.before(b.candidate); });
  if (choices.size() > command.attempt_ids.size()) choices.resize(command.attempt_ids.size());
  for (const Choice& choice : choices) taken[choice.offer] += 1;
  return choices;
}

}  // namespace

ClaimSet::Offer ClaimSet::offer_of(const Claim& command, const std::string& queue) {
  const TenantAndQueue place{command.tenant, queue};
  Offer offer{queue, batch_.queues.settings(place)};
  const domain::QueueSettings& settings = offer.settings;
  if (offer.is_limited()) batch_.queues.lock({place});  // it is, unless a limit was set just now
  if (settings.rate_limit) offer.bucket = &batch_.queues.bucket(place, *settings.rate_limit, batch_.now);
  const std::int64_t running = settings.max_running ? running_in(batch_.connection, place) : 0;
  offer.allowed = allowance(settings, running, offer.bucket, batch_.now);
  return offer;
}

/// The best ready tasks of a queue, within its limits.
std::vector<Candidate> ClaimSet::choose_in(const Claim& command, const Lanes& lanes, Offer& offer) {
  if (offer.settings.paused) return {};
  const bool pushes = command.push.has_value();
  Lanes open = lanes;
  if (pushes && !offer.settings.target) return {};
  if (!pushes && offer.settings.target && !open.handlers) return {};
  if (open.handlers)
    std::erase_if(*open.handlers, [&](const auto& each) { return !may_claim(offer.settings, pushes, each); });
  const std::int64_t max = std::min(static_cast<std::int64_t>(command.attempt_ids.size()), offer.allowed.count());
  const std::int64_t looked_at = offer.is_limited() ? max + 1 : max;  // one more, to know what comes next
  std::vector<Candidate> candidates = best_ready(batch_.connection, open, offer.queue, looked_at);
  if (std::ssize(candidates) <= max) return candidates;
  offer.next = candidates[static_cast<std::size_t>(max)].handler;
  candidates.resize(static_cast<std::size_t>(max));
  return candidates;
}

void ClaimSet::run_limited(const Claim& command, const Lanes& lanes, Claimed& claimed) {
  for (int look = 0; look < looks_at_limited_max; ++look) {
    write();
    std::vector<Offer> offers;
    std::vector<std::vector<Candidate>> candidates;
    for (const std::string& queue : lanes.queues) {
      offers.push_back(offer_of(command, queue));
      candidates.push_back(choose_in(command, lanes, offers.back()));
    }
    std::vector<std::size_t> taken(offers.size());
    const std::vector<Choice> choices =
        command.weights.empty() ? merge(command, candidates, taken) : share(command, lanes, candidates, taken);
    for (std::size_t at = 0; at < offers.size(); ++at) {
      if (taken[at] < candidates[at].size()) offers[at].next = candidates[at][taken[at]].handler;
    }
    std::vector<Candidate> chosen;
    for (const Choice& choice : choices) chosen.push_back(choice.candidate);
    std::vector<ExecutionRow> rows = lock_candidates(batch_.connection, command.tenant, chosen);
    give(command, rows, claimed);
    if (claimed.leases.empty() && !rows.empty()) look -= 1;  // all of them were late
    if (claimed.leases.empty() && !choices.empty()) continue;
    for (const Lease& lease : claimed.leases) {
      const auto at = std::lower_bound(lanes.queues.begin(), lanes.queues.end(), lease.execution.spec.queue);
      offers[static_cast<std::size_t>(at - lanes.queues.begin())].given += 1;
    }
    for (Offer& offer : offers) {
      const domain::QueueSettings& settings = offer.settings;
      if (settings.rate_limit && offer.given > 0) {
        take(*offer.bucket, *settings.rate_limit, offer.given);
        batch_.queues.write_bucket({command.tenant, offer.queue});
      }
      if (!offer.is_limited() || !offer.next) continue;
      claimed.held_back.push_back({command.tenant, offer.queue, *std::move(offer.next),
                                   next_chance(settings, offer.allowed, offer.given, offer.bucket, batch_.now)});
    }
    return;
  }
}

}  // namespace semel::store::postgres
