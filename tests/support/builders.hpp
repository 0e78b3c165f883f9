#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sha256.hpp"
#include "base/uuid7_source.hpp"
#include "domain/template.hpp"
#include "ports/command.hpp"
#include "tests/support/manual_clock.hpp"

namespace semel::test {

inline constexpr std::string_view default_tenant = "acme";
inline constexpr std::string_view default_queue = "default";
inline constexpr std::string_view default_handler = "charge_card";

/// Ids in ascending order, the same in every run: the "randomness" is a counter. For any thread.
class Ids {
 public:
  explicit Ids(std::uint64_t seed = 1)
      : count_(seed), source_([this] { return count_.fetch_add(1) * 0x9E3779B97F4A7C15ULL; }) {}

  domain::ExecutionId execution(Time at = ManualClock::start) { return {source_.next(at)}; }
  domain::AttemptId attempt(Time at = ManualClock::start) { return {source_.next(at)}; }
  std::vector<domain::AttemptId> attempts(std::size_t count) {
    std::vector<domain::AttemptId> made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(attempt());
    return made;
  }

 private:
  std::atomic<std::uint64_t> count_;
  Uuid7Source source_;
};

/// Stands for an identity's hash. The tenant is deliberately not in it, so that tests see tenants meet when a
/// store forgets to keep them apart.
inline Hash32 hash_of(std::string_view text) { return sha256(text); }

inline domain::Window ttl(Duration length) { return {domain::Window::Kind::after_creation, length}; }
inline domain::Window after_closing(Duration length) { return {domain::Window::Kind::after_closing, length}; }
inline domain::Window forever() { return {domain::Window::Kind::forever, Duration{0}}; }

/// A submission with sensible defaults: a task of `acme` without identity, ready at once.
/// `submission(ids).key("order-1").reuse(Reuse::allow_duplicate)` is a Submit.
class SubmitBuilder {
 public:
  explicit SubmitBuilder(domain::ExecutionId id) {
    domain::ExecutionSpec& spec = submit_.spec;
    spec.id = id;
    spec.tenant = default_tenant;
    spec.queue = default_queue;
    spec.handler = default_handler;
    spec.context = "{}";
    spec.window = after_closing(domain::default_task_retention);
    spec.created_by = "open";
    spec.retry.max_attempts = 1;  // most tests want to see what one attempt does
  }

  SubmitBuilder& tenant(std::string_view name) { return submit_.spec.tenant = name, *this; }
  SubmitBuilder& queue(std::string_view name) { return submit_.spec.queue = name, *this; }
  SubmitBuilder& handler(std::string_view name) { return submit_.spec.handler = name, *this; }
  SubmitBuilder& priority(int priority) { return submit_.spec.priority = priority, *this; }
  SubmitBuilder& head_start(Duration duration) { return submit_.spec.head_start = duration, *this; }
  SubmitBuilder& context(std::string text) { return submit_.spec.context = std::move(text), *this; }
  SubmitBuilder& window(domain::Window window) { return submit_.spec.window = window, *this; }
  SubmitBuilder& reuse(domain::Reuse reuse) { return submit_.reuse = reuse, *this; }
  SubmitBuilder& created_by(std::string_view key_id) { return submit_.spec.created_by = key_id, *this; }
  SubmitBuilder& run_at(Time time) { return submit_.run_at = time, *this; }
  SubmitBuilder& delay(Duration duration) { return submit_.delay = duration, *this; }
  SubmitBuilder& retry(domain::RetryPolicy policy) { return submit_.spec.retry = policy, *this; }
  SubmitBuilder& timeout(Duration duration) { return submit_.spec.timeout = duration, *this; }
  SubmitBuilder& concurrency_key(std::string key) { return submit_.spec.concurrency_key = std::move(key), *this; }
  SubmitBuilder& deadline_after(Duration duration) { return submit_.deadline_after = duration, *this; }

  /// An id of the client's own, which is looked up first.
  SubmitBuilder& client_id(domain::ExecutionId id) {
    submit_.spec.id = id;
    submit_.spec.client_made_id = true;
    return *this;
  }

  /// Identified by a key, in the scope of the tenant.
  SubmitBuilder& key(std::string_view key) {
    submit_.spec.key = key;
    return identity(domain::Mode::key, hash_of(key));
  }

  /// Identified by its context, as strict templates do.
  SubmitBuilder& strict(std::string text) {
    identity(domain::Mode::context, hash_of(text));
    return context(std::move(text));
  }

  SubmitBuilder& identity(domain::Mode mode, const Hash32& hash) {
    submit_.spec.identity.mode = mode;
    submit_.spec.identity.strategy =
        mode == domain::Mode::key ? domain::Strategy::caller_provided : domain::Strategy::strict;
    submit_.spec.identity.hash = hash;
    submit_.spec.fingerprint = hash_of(submit_.spec.context);
    return *this;
  }

  /// For what has no setter of its own.
  template <typename Change>
  SubmitBuilder& with(Change change) {
    change(submit_);
    return *this;
  }

  Submit build() const { return submit_; }
  operator Submit() const { return submit_; }  // NOLINT: a builder is made to be converted

 private:
  Submit submit_;
};

inline SubmitBuilder submission(Ids& ids) { return SubmitBuilder(ids.execution()); }

/// A template of the default tenant. Its uuid is what its names make it (stores need not keep it).
inline domain::NamedTask named_task(std::string_view namespace_, std::string_view name) {
  return {domain::named_task_uuid(default_tenant, namespace_, name), std::string(namespace_), std::string(name),
          "1.2.0", 3};
}

/// A claim of `count` tasks of the default queue, by any handler.
inline Claim claim_of(Ids& ids, std::size_t count, Duration lease = domain::default_lease) {
  Claim claim;
  claim.tenant = default_tenant;
  claim.worker = "worker-1";
  claim.queues = {std::string(default_queue)};
  claim.lease = lease;
  claim.attempt_ids = ids.attempts(count);
  return claim;
}

}  // namespace semel::test
