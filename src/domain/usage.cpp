#include "domain/usage.hpp"

#include <fmt/format.h>

namespace semel::domain {

std::optional<Error> refusal_by_limits(const TenantLimits& limits, const Usage& usage, std::uint64_t context_bytes) {
  if (limits.open_tasks > 0 && usage.open_tasks >= limits.open_tasks) {
    return Error{ErrorCode::tenant_limit,
                 fmt::format("this tenant has {} open tasks, and may have no more; wait until some are closed",
                             usage.open_tasks)};
  }
  if (limits.payload_bytes > 0 && usage.payload_bytes + context_bytes > limits.payload_bytes) {
    return Error{ErrorCode::tenant_limit,
                 fmt::format("the open tasks of this tenant have contexts of {} bytes, and may have no more than {} "
                             "together; wait until some are closed",
                             usage.payload_bytes, limits.payload_bytes)};
  }
  return std::nullopt;
}

}  // namespace semel::domain
