#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/attempt.hpp"
#include "domain/dispatch.hpp"

/// Which attempt an external identifier belongs to. Such a name is a hash, and most are stored nowhere: whoever looks
/// for one derives those of an execution and compares (ADR 0028).
namespace semel::domain {

/// d_ or t_, and 26 characters of base32.
bool is_external_id(std::string_view text);
/// Of these, one of a timer. Only then the attempts matter; else the number of them is enough.
bool is_timer_id(std::string_view external_id);

struct WantedName {
  std::string external_id;
  /// For how long a target may say nothing of what it has accepted, by what is said of queues now
  /// (lease_of_accepted()).
  std::vector<Duration> first_leases{};
};

/// The number of the attempt whose dispatch or timer has this external identifier, or had it before. `attempts` are all
/// that the execution has, in their order; `dispatches` those of them that were pushed.
///
/// A heartbeat moves its timer, which has another name then; so has the retry timer of an attempt that a worker polled
/// for, once the next one has begun (domain/attempt_timer.hpp). What they were called before is not kept: all whole
/// seconds at which they can have stood are tried, of each timer a day's at most. Cloud Tasks has long to deliver:
/// until somebody has begun, its timers stand far behind where they end.
std::optional<int> attempt_called(const Execution& execution, std::span<const Attempt> attempts,
                                  std::span<const Dispatch> dispatches, const WantedName& wanted);

}  // namespace semel::domain
