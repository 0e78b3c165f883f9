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
  if (!sets_.answers.empty()) AnswerSet::ask_ahead(connection, attempts_of(sets_.answers), into(ahead_.attempts));
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
