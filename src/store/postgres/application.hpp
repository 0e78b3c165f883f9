#pragma once
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "store/postgres/answer_set.hpp"
#include "store/postgres/claim_set.hpp"
#include "store/postgres/given_leases.hpp"
#include "store/postgres/inner.hpp"

namespace semel::store {

/// One call of apply(). Submissions, answers of workers and claims are applied as sets, in one transaction; then those
/// submissions that take over identities; then all other commands, those of a kind that come together in one
/// transaction.
class PostgresStore::Inner::Application {
 public:
  Application(Inner& inner, std::span<const Command> commands);

  Applied run();

 private:
  using Places = std::vector<std::size_t>;  // of commands in the batch
  struct Sets {
    Places submits{};
    Places answers{};
    Places claims{};

    bool empty() const { return submits.empty() && answers.empty() && claims.empty(); }
  };

  void run_sets();
  void run_sets_one_by_one();
  bool apply_sets(postgres::Batch& batch, const Sets& sets, bool in_order);
  std::vector<postgres::TenantAndAttempt> attempts_of(const Places& answers) const;
  // ahead.cpp
  void recall_leases();
  void note_leases();
  void plan_ahead();
  void ask_ahead(postgres::Connection& connection);
  void use_ahead(postgres::Batch& batch, const postgres::AnswerSet& answers, postgres::ClaimSet& claims);
  void submit_one_by_one(postgres::Batch& batch, const Places& places);
  void run_others();
  std::size_t apply_together(std::span<const std::size_t> places);
  void attempt(const Places& places, const std::function<void(postgres::Batch&)>& work);
  void take(Told told);

  Inner& inner_;
  const std::span<const Command> commands_;
  Sets sets_;
  Places others_;
  Places takers_;            // submissions that are left for a transaction of their own
  std::optional<Time> now_;  // of all transactions, once the first has begun
  bool has_committed_ = false;
  /// What is asked for together with the beginning of a transaction, and, until it is used, what was told.
  struct Ahead {
    std::set<postgres::TenantAndQueue> queues{};  // of all claims
    std::optional<postgres::Lanes> lanes{};       // of all claims, if they are the same, and no limit is known
    std::size_t wanted = 0;                       // by these claims

    std::vector<postgres::GivenLease> given{};          // to those who answer, by this server
    std::vector<postgres::TenantAndAttempt> unknown{};  // attempts of the other answers
    std::optional<postgres::Rows> attempts{};           // these
    std::optional<postgres::Rows> options{};            // of the queues
    std::optional<postgres::Rows> ready{};              // for the claims, locked
  };
  Ahead ahead_;
  std::vector<std::optional<Outcome>> outcomes_;
  Applied applied_{};
};

}  // namespace semel::store
