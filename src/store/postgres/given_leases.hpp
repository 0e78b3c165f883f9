#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "store/postgres/answer_set.hpp"

namespace semel::store::postgres {

/// An attempt that this server has given out, as it was then.
struct GivenLease {
  domain::Attempt attempt{};
  AttemptedExecution of{};
};

/// The leases that this server gave last, so that a worker's answer needs no read. Others change the rows too: what
/// ends an attempt says what it has seen of it, and is tried again, with what is read then, if that is not so any more.
/// For any thread.
class GivenLeases {
 public:
  /// Only of tasks whose end concerns nobody else.
  void note(const Lease& lease, std::string_view worker, Time now);
  /// What is known of the attempt, which is forgotten by that.
  std::optional<GivenLease> take(const TenantAndAttempt& id);

 private:
  static constexpr std::size_t leases_max = 10'000;

  std::mutex mutex_;  // guards what follows
  std::map<TenantAndAttempt, GivenLease> leases_;
  std::deque<TenantAndAttempt> order_;  // of all that were noted, also when they were taken since
};

}  // namespace semel::store::postgres
