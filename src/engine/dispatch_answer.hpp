#pragma once
#include <string_view>

#include "domain/retry.hpp"
#include "ports/command.hpp"
#include "ports/dispatch_target.hpp"

/// What an answer of a target means (DESIGN §5). Pure.
namespace semel::engine {

/// "accepted", "deduplicated", "completed", "refused", "later" or "unknown".
std::string_view name_of(const SendAnswer& answer);

/// What went wrong, for people; empty where nothing did.
std::string_view trouble_of(const SendAnswer& answer);

struct DispatchRules {
  Duration heartbeat_timeout = domain::default_heartbeat_timeout;  // of what the target has accepted
  domain::RetryPolicy again{};                                     // between two sends
};

/// The command that records it: the target has it (Heartbeat), has done it (Complete), will never take it (Fail), or is
/// asked again (PostponeDispatch).
Command what_follows(const Lease& lease, const SendAnswer& answer, const DispatchRules& rules);

}  // namespace semel::engine
