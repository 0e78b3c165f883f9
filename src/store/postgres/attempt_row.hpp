#pragma once
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "store/postgres/execution_row.hpp"

namespace semel::store::postgres {

/// How an attempt stands in its row: only the file of this name knows the columns.

/// Of one execution, oldest first. Those of one that was put away are with it.
std::vector<domain::Attempt> read_attempts(Connection& connection, std::string_view tenant, domain::ExecutionId id);

/// Those that run, of several executions, in no order.
std::vector<domain::Attempt> read_running(Connection& connection, std::string_view tenant,
                                          std::span<const domain::ExecutionId> ids);

/// What the external names of attempts and their timers are made of (domain/attempt_name.hpp).
struct AttemptsOfOne {
  std::vector<domain::Attempt> attempts{};  // oldest first
  std::vector<domain::Dispatch> dispatches{};
};
using AttemptsOfMany = std::map<domain::ExecutionId, AttemptsOfOne>;
/// Of several executions at once, what a name of that kind takes: for a dispatch only what was given a new name, since
/// the others follow from the executions.
AttemptsOfMany read_named_attempts(Connection& connection, std::string_view tenant,
                                   std::span<const domain::ExecutionId> ids, bool is_timer);

}  // namespace semel::store::postgres
