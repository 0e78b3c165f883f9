#pragma once
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/postgres/places.hpp"

namespace semel::store::postgres {

/// Which ready tasks a claim may have.
struct Lanes {
  std::string tenant;
  std::vector<std::string> queues;                     // sorted, each once
  std::optional<std::vector<std::string>> handlers{};  // sorted, each once; absent = any

  bool operator==(const Lanes&) const = default;
  /// Whether a task could be in both.
  bool meets(const Lanes& other) const;
};
Lanes lanes_of(const Claim& command);
bool has_ready(Connection& connection, const Lanes& lanes);
/// Whether workers may have all that is ready in such a queue.
bool gives_freely(const domain::QueueSettings& settings);

/// A ready task that was seen, but not locked.
struct Candidate {
  domain::ExecutionId id;
  std::int64_t priority = 0;
  std::int64_t order_at = 0;
  std::string handler;

  /// Whether this one is claimed before the other.
  bool before(const Candidate& other) const;
};
/// The best of one queue.
std::vector<Candidate> best_ready(Connection& connection, const Lanes& lanes, const std::string& queue,
                                  std::int64_t max);
/// A look for the best of all that nobody else is just taking, which locks them. `look` counts those that have found
/// none before.
struct Look {
  std::string_view literal;
  Parameters parameters;  // points into the lanes
};
Look look_for_ready(const Lanes& lanes, std::size_t max, int look);
std::vector<ExecutionRow> read_executions(const Rows& rows);
std::vector<ExecutionRow> lock_ready(Connection& connection, const Lanes& lanes, std::size_t max, int look);
/// Of those candidates, the ones that nobody else is just taking, locked, in their order.
std::vector<ExecutionRow> lock_candidates(Connection& connection, const std::string& tenant,
                                          std::span<const Candidate> candidates);

/// The claims of a batch. Those that ask for the same, of queues without limits, are one set: one statement finds and
/// locks what all of them get, and one writes it. Limits and weights are looked at claim by claim.
class ClaimSet {
 public:
  ClaimSet(Batch& batch, std::span<const Claim* const> commands);

  /// The limited queues, to be locked before run(). `alone`: no other command of the batch makes tasks ready, so queues
  /// that have none need not be locked.
  std::set<TenantAndQueue> queues(bool alone);
  /// Whether all of them ask for the same, without limits.
  bool is_one_set() const { return groups_.size() == 1 && groups_.front().is_plain; }
  /// What one set would find with its first look, where that was asked for before.
  void found_ahead(std::vector<ExecutionRow> rows) { ahead_ = std::move(rows); }
  void run();

  std::vector<Claimed>& outcomes() { return outcomes_; }

 private:
  /// Claims with the same lanes.
  struct Group {
    Lanes lanes;
    bool is_plain = true;
    bool is_empty = false;  // nothing is ready, and nothing was locked
    std::vector<std::size_t> members{};
  };
  /// A new attempt, to be written.
  struct NewAttempt {
    TenantAndId execution;
    domain::AttemptId id;
    int number = 1;
    std::string_view worker;
    Time started_at{};
    Time lease_until{};
    Phase phase = Phase::neither;
    std::optional<domain::Dispatch> dispatch{};
  };
  struct Offer;

  bool is_plain(const Claim& command, const Lanes& lanes);
  void run_plain(const Group& group);
  void run_limited(const Claim& command, const Lanes& lanes, Claimed& claimed);
  void come_again(const Lanes& lanes, Claimed& claimed);
  bool give(const Claim& command, std::span<ExecutionRow> rows, Claimed& claimed);
  void lease(const Claim& command, ExecutionRow& row, domain::AttemptId id, Claimed& claimed);
  void write();

  Offer offer_of(const Claim& command, const std::string& queue);
  std::vector<Candidate> choose_in(const Claim& command, const Lanes& lanes, Offer& offer);

  Batch& batch_;
  const std::span<const Claim* const> commands_;
  std::vector<Group> groups_;
  std::vector<Claimed> outcomes_;
  std::vector<NewAttempt> new_;
  std::optional<std::vector<ExecutionRow>> ahead_;
};

}  // namespace semel::store::postgres
