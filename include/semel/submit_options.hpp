#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "semel/detail/task_settings.hpp"

namespace semel {

/// When an identity that is held may be taken by a new execution. Closed ones only; an open one is never replaced.
enum class ReusePolicy : std::uint8_t { allow_duplicate_failed_only, reject_duplicate, allow_duplicate };

/// What a duplicate gets.
enum class OnDuplicate : std::uint8_t {
  reject,           // refused, without a word about the other
  describe,         // refused, with what is known of it
  return_existing,  // the other, and its result when it has one
};

/// A template on the server.
class NamedTask {
 public:
  NamedTask(std::string namespace_name, std::string name)
      : namespace_(std::move(namespace_name)), name_(std::move(name)) {}
  /// The newest, unless said otherwise.
  NamedTask& version(std::string text) {
    version_ = std::move(text);
    return *this;
  }

  const std::string& namespace_name() const { return namespace_; }
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }

 private:
  std::string namespace_;
  std::string name_;
  std::string version_;
};

namespace detail {

/// What identifies a request.
struct IdentitySettings {
  std::optional<std::string> key{};
  std::optional<Duration> ttl{};
  std::optional<ReusePolicy> reuse{};
  std::optional<OnDuplicate> on_duplicate{};
  bool ignores_payload = false;  // a duplicate with another payload is a duplicate all the same
};

template <typename Options>
class IdentitySetters {
 public:
  /// Counts from its creation. By default the window of the template or the queue counts from its end.
  Options& idempotency_key_ttl(Duration time) {
    identity_.ttl = time;
    return self();
  }
  Options& reuse(ReusePolicy policy) {
    identity_.reuse = policy;
    return self();
  }
  Options& on_duplicate(OnDuplicate answer) {
    identity_.on_duplicate = answer;
    return self();
  }
  Options& ignore_payload_mismatch(bool whether = true) {
    identity_.ignores_payload = whether;
    return self();
  }

  const IdentitySettings& identity() const { return identity_; }

 protected:
  IdentitySetters() = default;

  Options& self() { return static_cast<Options&>(*this); }
  IdentitySettings identity_;
};

}  // namespace detail

/// Of a task that is submitted. A request with a key gets the existing task when there is one; all else is as the
/// server has it.
class SubmitOptions : public detail::TaskSetters<SubmitOptions>, public detail::IdentitySetters<SubmitOptions> {
 public:
  SubmitOptions() = default;

  /// Two requests with the same key are one task.
  SubmitOptions& idempotency_key(std::string key) {
    identity_.key = std::move(key);
    return *this;
  }
  /// Of the whole.
  SubmitOptions& deadline(Time time) { return set(settings_.deadline, time); }
  SubmitOptions& run_at(Time time) { return set(settings_.run_at, time); }
  /// Its place in the queue among its equals, as if it had come that much earlier.
  SubmitOptions& head_start(Duration time) { return set(settings_.head_start, time); }
  SubmitOptions& traceparent(std::string text) {
    traceparent_ = std::move(text);
    return *this;
  }

  const std::string& traceparent() const { return traceparent_; }

 private:
  std::string traceparent_;
};

/// Of a workflow that is started. Its key is its workflow_id.
class WorkflowOptions : public detail::IdentitySetters<WorkflowOptions> {
 public:
  WorkflowOptions() = default;

  WorkflowOptions& queue(std::string name) {
    queue_ = std::move(name);
    return *this;
  }
  WorkflowOptions& deadline(Time time) {
    deadline_ = time;
    return *this;
  }

  const std::string& queue() const { return queue_; }
  std::optional<Time> deadline() const { return deadline_; }

 private:
  std::string queue_;
  std::optional<Time> deadline_;
};

static_assert(!std::is_aggregate_v<SubmitOptions>);
static_assert(!std::is_aggregate_v<WorkflowOptions>);
static_assert(!std::is_aggregate_v<NamedTask>);

}  // namespace semel
