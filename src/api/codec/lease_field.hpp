#pragma once
#include "api/codec/fields.hpp"
#include "api/codec/work_values.hpp"

namespace semel::codec {

/// `lease_ms` of a poll or a heartbeat.
template <typename Target>
Result<void> read_lease(json::Reader& reader, std::string_view field, Target& target) {
  const Result<std::int64_t> ms = reader.read_integer();
  if (!ms) return in_field(field, ms.error());
  const Result<Duration> lease = lease_of(*ms);
  if (!lease) return pass_on(lease.error());
  target.lease = *lease;
  return {};
}

}  // namespace semel::codec
