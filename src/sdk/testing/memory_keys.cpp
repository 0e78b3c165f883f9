#include "base/json/canonical.hpp"
#include "base/sha256.hpp"
#include "domain/queue.hpp"
#include "domain/workflow/code/names.hpp"
#include "domain/workflow/code/workflow.hpp"
#include "sdk/testing/memory_backend.hpp"

// Keys of the server in memory: who holds one, and what others get, is decided by the rules of every store.
namespace semel::sdk {
namespace {

domain::Kind kind_in_domain(MemoryExecution::Kind kind) { return static_cast<domain::Kind>(kind); }

/// An id that no server would make, as tests write them, is nobody's.
domain::ExecutionId id_in_domain(const std::string& id) {
  return domain::ExecutionId::parse(id).value_or(domain::ExecutionId{});
}

domain::Holder holder_in_domain(const MemoryExecution& execution) {
  domain::Holder holder;
  holder.id = id_in_domain(execution.id);
  holder.kind = kind_in_domain(execution.kind);
  holder.handler = execution.handler;
  holder.state = static_cast<domain::State>(execution.status);
  holder.created_at = execution.created_at;
  holder.closed_at = execution.closed_at;
  holder.window = execution.identity.window;
  holder.fingerprint = execution.identity.fingerprint;
  return holder;
}

domain::ExecutionSpec part_in_domain(const MemoryExecution& part) {
  domain::ExecutionSpec spec;
  spec.id = id_in_domain(part.id);
  spec.kind = kind_in_domain(part.kind);
  spec.handler = part.handler;
  spec.key = part.key;
  spec.fingerprint = part.identity.fingerprint;
  return spec;
}

std::string code_of_described(Status status) {
  if (status == Status::completed) return "TASK_ALREADY_COMPLETED";
  return is_closed(status) ? "TASK_ALREADY_CLOSED" : "TASK_ALREADY_EXISTS";
}

Reply<Submitted> answer_duplicate(const MemoryExecution& holder, domain::DuplicateAnswer answer) {
  switch (answer) {
    case domain::DuplicateAnswer::other_subject:
      return refused("IDEMPOTENCY_KEY_CONFLICT", "the key is used by something else");
    case domain::DuplicateAnswer::other_payload:
      return refused("IDEMPOTENCY_KEY_MISMATCH", "the key was used with another payload");
    case domain::DuplicateAnswer::describe:
      return refused(code_of_described(holder.status), "it is " + std::string(name_of(holder.status)) + " already");
    case domain::DuplicateAnswer::return_existing: return Submitted{holder.id, false, holder.status};
    case domain::DuplicateAnswer::opaque: break;
  }
  return refused("CONFLICT", "A task with this identity already exists.");
}

}  // namespace

MemoryIdentity MemoryBackend::identify(Execution::Kind kind, const std::string& context, std::optional<Duration> ttl) {
  const Result<std::string> canonical = json::canonicalize(context);
  const Duration retention = domain::retention_of(domain::QueueSettings{}, kind_in_domain(kind));
  return {sha256(canonical ? *canonical : context),
          domain::choose_window({ttl, std::nullopt, std::nullopt, retention})};
}

MemoryBackend::Execution* MemoryBackend::holder_of(const std::string& key) {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : find(found->second);
}

std::optional<Reply<Submitted>> MemoryBackend::answer_held(const KeyRequest& request,
                                                           const detail::IdentitySettings& settings) {
  const Execution* holder = holder_of(request.key);
  if (!holder) return std::nullopt;
  const domain::Holder judged = holder_in_domain(*holder);
  const auto reuse = static_cast<domain::Reuse>(settings.reuse.value_or(ReusePolicy::allow_duplicate_failed_only));
  if (domain::takes_over(domain::decide(judged, reuse, now_))) return std::nullopt;
  domain::Claimant claimant;
  claimant.kind = kind_in_domain(request.kind);
  claimant.handler = request.handler;
  claimant.fingerprint = request.identity.fingerprint;
  if (settings.ignores_payload) claimant.on_payload_mismatch = domain::OnMismatch::ignore;
  claimant.on_duplicate = static_cast<domain::OnDuplicate>(settings.on_duplicate.value_or(OnDuplicate::reject));
  return answer_duplicate(*holder, domain::answer_duplicate(judged, claimant, true));
}

void MemoryBackend::take_key(Execution& execution, const KeyRequest& request) {
  execution.key = request.key;
  execution.identity = request.identity;
  keys_[request.key] = execution.id;
}

/// What a command has made asks for its key, if it has one, and begins, waits, or ends by what the holder is.
void MemoryBackend::enter_part(Execution& part, OnKeyConflict on_conflict) {
  if (part.key.empty()) return;
  Execution* holder = holder_of(part.key);
  domain::Holder judged;
  if (holder) judged = holder_in_domain(*holder);
  const domain::ExecutionSpec spec = part_in_domain(part);
  const domain::code::KeyPolicy policy =
      domain::code::key_policy(static_cast<domain::code::KeyConflict>(on_conflict), domain::QueueSettings{});
  const domain::KeyVerdict verdict = judge_child_key(holder ? &judged : nullptr, spec, policy, now_);
  switch (verdict.answer) {
    case domain::KeyAnswer::claim:
      keys_[part.key] = part.id;
      part.status = Status::pending;
      return;
    case domain::KeyAnswer::apart: return note_key(part, "key_conflict", holder->id);
    case domain::KeyAnswer::take_result: return close(part, holder->closing);
    case domain::KeyAnswer::fail: return close(part, {Status::failed, std::nullopt, verdict.error});
    case domain::KeyAnswer::attach: break;
  }
  part.status = Status::suspended;
  part.attached_to = holder->id;
  note_key(part, "task_attached", holder->id);
}

/// Those that wait for what has closed take what it came to, or go on without it. A promise comes to whatever that is.
void MemoryBackend::tell_attached(const Execution& holder) {
  for (auto& [id, other] : executions_) {
    if (other.attached_to != holder.id) continue;
    other.attached_to.clear();
    const bool decides = holder.status == Status::completed || other.kind == Execution::Kind::promise;
    if (decides) close(other, holder.closing);
    else enter_part(other, OnKeyConflict::attach);
  }
}

}  // namespace semel::sdk
