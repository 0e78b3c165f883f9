#pragma once
#include <optional>
#include <string>

#include "domain/execution.hpp"
#include "domain/policy.hpp"

namespace semel::domain {

/// Whoever holds an identity (or an id), as decisions see it: an execution, or what retention left of one.
struct Holder {
  ExecutionId id;
  Kind kind = Kind::task;
  std::optional<Uuid> named_task;
  std::string handler;
  State state = State::pending;
  Time created_at;
  std::optional<Time> closed_at;
  Window window;
  std::optional<Hash32> fingerprint;
  std::string created_by;
  std::optional<Time> released_at;
  bool tombstone = false;  // the execution itself, with its context and result, is gone
};

Holder holder_of(const Execution& execution);
/// What stays when retention removes a closed execution.
Holder tombstone_of(const Execution& execution);

/// Client-made ids are promised until this long after closing.
inline constexpr Duration client_id_promise = 24h;

/// What a tombstone stands for: a client-made id that was promised, an identity that nobody has taken over, or both.
struct TombstoneClaims {
  bool client_made_id = false;
  bool identity = false;
};

/// Whether a tombstone still keeps its id from being used: while the id is promised or the identity's window runs.
/// So long it must stay when an execution is removed, too.
bool tombstone_holds(const Holder& tombstone, TombstoneClaims claims, Time now);

/// From when on it holds nothing any more, so that it may go; nothing when that never comes.
std::optional<Time> tombstone_end(const Holder& tombstone, TombstoneClaims claims);

/// Why an identity may be taken over, or that it may not.
enum class Verdict : std::uint8_t { duplicate, released, window_passed, reuse_allows };

/// DESIGN §3.4. An open holder is never free, unless it was released by force.
Verdict decide(const Holder& holder, Reuse reuse, Time now);
inline bool takes_over(Verdict verdict) { return verdict != Verdict::duplicate; }

/// What a submission is about, and how it wants to be answered.
struct Claimant {
  Kind kind = Kind::task;
  std::optional<Uuid> named_task;
  std::string_view handler;
  std::optional<Hash32> fingerprint;
  OnMismatch on_payload_mismatch = OnMismatch::reject;
  OnDuplicate on_duplicate = OnDuplicate::reject;
};

/// What a duplicate gets, in the order of DESIGN §3.5.
enum class DuplicateAnswer : std::uint8_t {
  opaque,           // 409 CONFLICT, the same bytes in every case
  other_subject,    // 409 IDEMPOTENCY_KEY_CONFLICT
  other_payload,    // 422 IDEMPOTENCY_KEY_MISMATCH
  describe,         // 409 with the holder
  return_existing,  // 200
};
DuplicateAnswer answer_duplicate(const Holder& holder, const Claimant& claimant, bool may_read);

/// What a request with a client-made id gets when that id exists: same content and may read → return_existing.
DuplicateAnswer answer_same_id(const Holder& holder, const Claimant& claimant, bool may_read);

}  // namespace semel::domain
