#include "domain/holder.hpp"

#include <algorithm>

namespace semel::domain {
namespace {

bool reuse_allows(Reuse reuse, State state) {
  if (is_open(state)) return false;
  switch (reuse) {
    case Reuse::allow_duplicate_failed_only: return state != State::completed;
    case Reuse::reject_duplicate: return false;
    case Reuse::allow_duplicate: return true;
  }
  return false;
}

/// A named task is its uuid, an ad-hoc task its handler; one is never the other.
bool same_subject(const Holder& holder, const Claimant& claimant) {
  if (holder.kind != claimant.kind) return false;
  if (holder.named_task || claimant.named_task) return holder.named_task == claimant.named_task;
  return holder.handler == claimant.handler;
}

}  // namespace

Holder holder_of(const Execution& execution) {
  const ExecutionSpec& spec = execution.spec;
  Holder holder;
  holder.id = spec.id;
  holder.kind = spec.kind;
  if (spec.named_task) holder.named_task = spec.named_task->uuid;
  holder.handler = spec.handler;
  holder.state = execution.state;
  holder.created_at = execution.created_at;
  holder.closed_at = execution.closed_at;
  holder.window = spec.window;
  holder.fingerprint = spec.fingerprint;
  holder.created_by = spec.created_by;
  holder.released_at = execution.released_at;
  return holder;
}

Holder tombstone_of(const Execution& execution) {
  Holder holder = holder_of(execution);
  holder.tombstone = true;
  return holder;
}

bool tombstone_holds(const Holder& tombstone, TombstoneClaims claims, Time now) {
  if (!tombstone.closed_at) return true;
  if (claims.client_made_id && now < *tombstone.closed_at + client_id_promise) return true;
  // `reject_duplicate` takes an identity only when it is free for everybody.
  return claims.identity && !takes_over(decide(tombstone, Reuse::reject_duplicate, now));
}

std::optional<Time> tombstone_end(const Holder& tombstone, TombstoneClaims claims) {
  Time end = *tombstone.closed_at;
  if (claims.client_made_id) end += client_id_promise;
  if (!claims.identity || tombstone.released_at) return end;
  const std::optional<Time> window = window_end(tombstone.window, tombstone.created_at, tombstone.closed_at);
  if (!window) return std::nullopt;
  return std::max(end, *window);
}

Verdict decide(const Holder& holder, Reuse reuse, Time now) {
  if (holder.released_at) return Verdict::released;
  if (is_open(holder.state)) return Verdict::duplicate;
  const std::optional<Time> end = window_end(holder.window, holder.created_at, holder.closed_at);
  if (end && now >= *end) return Verdict::window_passed;
  if (reuse_allows(reuse, holder.state)) return Verdict::reuse_allows;
  return Verdict::duplicate;
}

DuplicateAnswer answer_duplicate(const Holder& holder, const Claimant& claimant, bool may_read) {
  if (!may_read) return DuplicateAnswer::opaque;
  if (!same_subject(holder, claimant)) return DuplicateAnswer::other_subject;
  const bool differs = holder.fingerprint != claimant.fingerprint;
  if (differs && claimant.on_payload_mismatch == OnMismatch::reject) return DuplicateAnswer::other_payload;
  switch (claimant.on_duplicate) {
    case OnDuplicate::reject: return DuplicateAnswer::opaque;
    case OnDuplicate::describe: return DuplicateAnswer::describe;
    case OnDuplicate::return_existing: return DuplicateAnswer::return_existing;
  }
  return DuplicateAnswer::opaque;
}

DuplicateAnswer answer_same_id(const Holder& holder, const Claimant& claimant, bool may_read) {
  if (!may_read) return DuplicateAnswer::opaque;
  if (!same_subject(holder, claimant)) return DuplicateAnswer::other_payload;
  if (holder.fingerprint != claimant.fingerprint) return DuplicateAnswer::other_payload;
  return DuplicateAnswer::return_existing;
}

}  // namespace semel::domain
