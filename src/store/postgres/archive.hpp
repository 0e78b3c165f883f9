#pragma once
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "store/postgres/execution_row.hpp"

namespace semel::store::postgres {

struct Batch;

/// A partition of what was put away: the days [first, end) since 1970 of what is kept for so many days.
struct ClosedDays {
  int keep_days = 0;
  int first = 0;
  int end = 0;
};

/// In how many days, at most, a task of a queue with this retention may go.
int keep_days_of(Duration retention);
/// The partition that a day belongs to: one day, or for what is kept for long about a thirtieth of that time, so that
/// there are never many partitions.
ClosedDays days_around(int keep_days, int day);

/// Puts away what closed a while ago, and drops it when its retention has passed: on a connection of its own, in steps
/// that hold up nobody. For one thread; two servers that do it at once do no harm.
class Archive {
 public:
  struct Options {
    Duration stays_for{};    // after closing, among the others
    Duration kept_long{};    // the least retention for which it is worth it
    Duration leaving_for{};  // hidden, before it is dropped
    int at_once = 500;
  };
  /// Runs its argument in a transaction.
  using Transact = std::function<void(const std::function<void(Batch&)>&)>;

  Archive(Transact transact, const Options& options) : transact_(std::move(transact)), options_(options) {}

  /// One step. Whether there is more to do.
  bool run();

 private:
  /// Those of a queue that may be put away, by whether their ids are client-made: they are in different indexes.
  struct Candidates {
    bool client_made = false;
    Time until{};  // closed up to then
  };

  bool step();
  void forget_departed();
  bool put_away();
  bool put_away(Batch& batch, const Candidates& candidates, int keep_days);
  void open(const ClosedDays& days);

  bool let_go();
  bool keep_longer(Batch& batch, const ClosedDays& days);
  bool bury(const ClosedDays& days);
  void drop(const ClosedDays& days);

  const Transact transact_;
  const Options options_;
  TenantAndQueue place_;                // the queue that is being looked at; nothing: a round begins
  std::optional<ClosedDays> wanted_;    // a partition that has to be made first
  std::set<std::pair<int, int>> open_;  // partitions that there are, unless another server has dropped them since
  std::optional<ClosedDays> leaving_;   // whose tombstones are being written
  TenantAndId buried_;                  // the last of them
  Time drops_again_at_{};               // somebody reads what would be dropped: until then nothing is
};

}  // namespace semel::store::postgres
