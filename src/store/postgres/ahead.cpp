#include <utility>

#include "store/postgres/application.hpp"

/// What a small transaction will read is asked for together with its beginning, where that is known before: a worker
/// that takes one task at a time waits for as many round trips as there are here, a thousand times a second.
namespace semel::store {

using postgres::AnswerSet;
using postgres::Connection;
using postgres::Rows;

std::vector<postgres::TenantAndAttempt> PostgresStore::Inner::Application::attempts_of(const Places& answers) const {
  std::vector<postgres::TenantAndAttempt> attempts;
  const auto add = [&](const auto& each) {
    if constexpr (requires { each.attempt_id; }) attempts.emplace_back(each.tenant, each.attempt_id);
  };
  for (const std::size_t place : answers) std::visit(add, commands_[place]);
  return attempts;
}

/// A lease may be longer than it was given for by heartbeats, so these read it.
void PostgresStore::Inner::Application::recall_leases() {
  std::set<postgres::TenantAndAttempt> unknown;
  for (const std::size_t place : sets_.answers) {
    if (const auto* beat = std::get_if<Heartbeat>(&commands_[place])) unknown.emplace(beat->tenant, beat->attempt_id);
  }
  std::set<postgres::TenantAndAttempt> known;
  for (const postgres::TenantAndAttempt& id : attempts_of(sets_.answers)) {
    if (unknown.contains(id) || !known.insert(id).second) continue;
    if (std::optional<postgres::GivenLease> lease = inner_.leases.take(id)) ahead_.given.push_back(*std::move(lease));
    else unknown.insert(id);
  }
  ahead_.unknown.assign(unknown.begin(), unknown.end());
}

void PostgresStore::Inner::Application::note_leases() {
  for (const std::size_t place : sets_.claims) {
    const auto* claimed = std::get_if<Claimed>(&*outcomes_[place]);
    if (claimed == nullptr) continue;
    for (const Lease& lease : claimed->leases)
      inner_.leases.note(lease, std::get<Claim>(commands_[place]).worker, *now_);
  }
}

/// The ready tasks are looked for if all claims ask for the same, and none of their queues was limited when it was last
/// looked at. They are locked before the queues then, and not after them; should that be in somebody's way, one of
/// both begins again.
void PostgresStore::Inner::Application::plan_ahead() {
  for (const std::size_t place : sets_.claims) {
    const Claim& claim = std::get<Claim>(commands_[place]);
    for (const std::string& queue : claim.queues) ahead_.queues.emplace(claim.tenant, queue);
  }
  for (const postgres::TenantAndQueue& queue : ahead_.queues) {
    if (inner_.hints.is_limited(queue)) return;
  }
  for (const std::size_t place : sets_.claims) {
    const Claim& claim = std::get<Claim>(commands_[place]);
    postgres::Lanes lanes = postgres::lanes_of(claim);
    const bool is_other = ahead_.lanes && *ahead_.lanes != lanes;
    if (is_other || claim.push || !claim.weights.empty()) {
      ahead_.lanes.reset();
      return;
    }
    ahead_.lanes = std::move(lanes);
    ahead_.wanted += claim.attempt_ids.size();
  }
}

void PostgresStore::Inner::Application::ask_ahead(Connection& connection) {
  const auto into = [](std::optional<Rows>& told) { return [&told](Rows rows) { told = std::move(rows); }; };
  if (inner_.hints.any_is_set() && !ahead_.queues.empty())
    postgres::Queues::ask_ahead(connection, ahead_.queues, into(ahead_.options));
  if (!ahead_.unknown.empty()) AnswerSet::ask_ahead(connection, ahead_.unknown, into(ahead_.attempts));
  if (!ahead_.lanes) return;
  const postgres::Look look = postgres::look_for_ready(*ahead_.lanes, ahead_.wanted, 0);
  connection.run_later(look.literal, look.parameters, into(ahead_.ready));
}

/// What was found before the answers were applied is what a claim behind them would find, unless they have made tasks
/// ready.
void PostgresStore::Inner::Application::use_ahead(postgres::Batch& batch, const AnswerSet& answers,
                                                  postgres::ClaimSet& claims) {
  for (const postgres::TenantAndQueue& queue : ahead_.queues)
    inner_.hints.observe(queue, !postgres::gives_freely(batch.queues.settings(queue)));
  const std::optional<Rows> ready = std::exchange(ahead_.ready, std::nullopt);
  if (ready && claims.is_one_set() && !answers.may_make_ready()) claims.found_ahead(postgres::read_executions(*ready));
}

}  // namespace semel::store
