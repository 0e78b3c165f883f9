#pragma once
#include "api/codec/fields.hpp"

namespace semel::codec {

inline constexpr std::int64_t lease_ms_max = 3'600'000;

/// `lease_ms` of a poll or a heartbeat.
template <typename Target>
Result<void> read_lease(json::Reader& reader, std::string_view field, Target& target) {
  const Result<std::int64_t> lease = read_integer(reader, field, 1, lease_ms_max);
  if (!lease) return pass_on(lease.error());
  target.lease = Duration{*lease};
  return {};
}

}  // namespace semel::codec
