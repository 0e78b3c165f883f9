#pragma once
#include <cstdint>
#include <optional>

#include "base/error.hpp"

namespace semel::domain {

/// What one tenant may have open at once, so that none fills the store or the queues for all. 0 = no limit.
struct TenantLimits {
  std::uint64_t open_tasks = 0;
  std::uint64_t payload_bytes = 0;  // of the contexts of its open tasks, together

  bool is_set() const { return open_tasks > 0 || payload_bytes > 0; }
};

/// What one tenant has open.
struct Usage {
  std::uint64_t open_tasks = 0;
  std::uint64_t payload_bytes = 0;

  bool operator==(const Usage&) const = default;
};

/// Why a task with a context of so many bytes may not be created, or nothing.
std::optional<Error> refusal_by_limits(const TenantLimits& limits, const Usage& usage, std::uint64_t context_bytes);

}  // namespace semel::domain
