#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

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
  std::optional<postgres::Rows> told_ahead_;  // of the attempts of the answers, until they are looked at
  std::vector<std::optional<Outcome>> outcomes_;
  Applied applied_{};
};

}  // namespace semel::store
