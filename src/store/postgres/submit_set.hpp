#pragma once
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "store/postgres/places.hpp"

namespace semel::store::postgres {

/// The submissions of a batch as a set (DESIGN §6): all that are free are created by one statement, and those that are
/// not are answered from another. Only who takes over an identity is left for a transaction of its own, in order.
class SubmitSet {
 public:
  SubmitSet(Batch& batch, std::span<const Submit* const> commands)
      : batch_(batch), commands_(commands), outcomes_(commands.size()) {}

  /// Creates what is free. False when the set cannot be done as one with the outcomes that it would have in its order:
  /// then the transaction is to be rolled back, and all are applied one by one.
  bool insert();

  /// The queues to be locked before settle().
  std::set<TenantAndQueue> queues() const;
  /// Decides who of a concurrency_key is ready, and tells of all that were created.
  void settle();

  /// One for each submission; nothing for those that are left.
  std::vector<std::optional<Outcome>>& outcomes() { return outcomes_; }

 private:
  std::vector<TenantAndId> client_made_ids() const;
  bool ids_are_new() const;
  bool fits_limits() const;
  void make_rows();
  void answer_losers(const std::vector<bool>& created);
  bool order_matters() const;

  Batch& batch_;
  const std::span<const Submit* const> commands_;
  std::vector<NewRow> rows_;
  std::vector<bool> created_;
  std::vector<std::optional<Outcome>> outcomes_;
};

}  // namespace semel::store::postgres
