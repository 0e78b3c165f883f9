#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"
#include "domain/id.hpp"
#include "domain/policy.hpp"
#include "domain/template.hpp"

namespace semel::domain {

/// What the hash is made of. `none`: nothing identifies the execution, and no identity is claimed.
enum class Mode : std::uint8_t { none = 0, key = 1, context = 2 };  // numbers are stored
std::string_view name_of(Mode mode);

/// The identity of one submission.
struct Identity {
  Mode mode = Mode::none;
  Strategy strategy = Strategy::always_unique;
  Scope scope = Scope::tenant;
  std::optional<std::int64_t> bucket = std::nullopt;  // epoch seconds at which the period's bucket starts
  Hash32 hash{};                                      // meaningless with Mode::none

  bool operator==(const Identity&) const = default;
};

/// The inputs of the hash, before they are hashed (docs/reference/identity-hash.md).
struct HashInput {
  Mode mode;
  std::string_view tenant;
  Scope scope;
  std::string_view scope_value;
  std::string_view material;
  std::optional<std::int64_t> bucket;
};
Hash32 identity_hash(const HashInput& input);

/// The scope's value in the hash: 16 uuid bytes (‖ version text), the queue name, the schedule's 16 bytes, or nothing.
struct ScopeSubject {
  std::optional<Uuid> named_task;
  std::string_view version;
  std::string_view queue;
  std::optional<ScheduleId> schedule{};
};
std::string scope_value(Scope scope, const ScopeSubject& subject);

/// Everything that decides the identity of a submission.
struct IdentityRequest {
  std::string_view tenant;
  std::optional<std::string_view> key;
  const Template* template_ = nullptr;  // null for an ad-hoc task
  std::string_view queue;
  std::string_view canonical_context;
  std::optional<Time> requested_at;
  Time now;
  std::optional<ScheduleId> schedule{};  // of a firing, which has a key
};

/// How far `requested_at` may be off.
inline constexpr Duration requested_at_tolerance = 5min;

struct Identified {
  Identity identity;
  std::string material;     // what was hashed: the key, or the canonical context as fields/ignore leave it
  std::string scope_value;  // as hashed
};

/// Applies the precedence of DESIGN §3.1: key, else the template's strategy; ad-hoc tasks without a key are unique.
Result<Identified> identify(const IdentityRequest& request);

/// The canonical context as `fields` or `ignore` leave it.
Result<std::string> reduce_context(std::string_view canonical_context, const IdentitySettings& settings);

/// The JSON Pointers at which two contexts differ where `settings` (null = everywhere) looks at all; at most `max`.
std::vector<std::string> differing_pointers(std::string_view canonical_left, std::string_view canonical_right,
                                            const IdentitySettings* settings, std::size_t max);

}  // namespace semel::domain
