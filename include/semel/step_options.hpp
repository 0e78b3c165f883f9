#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "semel/detail/task_settings.hpp"

/// What a workflow says of the tasks, promises and children that it makes. These are classes with setters, and never
/// aggregates: g++ 12 destroys a temporary that is made by braces twice when a co_await is in the same statement.
namespace semel {

/// What is done when another execution holds the key already.
enum class OnKeyConflict : std::uint8_t {
  attach,           // wait for that one, and take its result
  fail,             // with IDEMPOTENCY_KEY_CONFLICT
  warn_and_create,  // make it all the same, without the key
};

/// Of a task that a workflow schedules. Without a queue it goes to that of the workflow.
class StepOptions : public detail::TaskSetters<StepOptions> {
 public:
  StepOptions() = default;

  /// Its identity among all executions of the tenant. Without one it is the workflow's own, and made once as well.
  StepOptions& idempotency_key(std::string key) {
    key_ = std::move(key);
    return *this;
  }
  StepOptions& idempotency_key_ttl(Duration time) {
    ttl_ = time;
    return *this;
  }
  /// Of the whole, from when it is made.
  StepOptions& deadline_after(Duration time) { return set(settings_.deadline_after, time); }
  /// In its queue, as if it had come that much earlier. Without one it is that of the workflow.
  StepOptions& head_start(Duration time) { return set(settings_.head_start, time); }
  StepOptions& on_key_conflict(OnKeyConflict act) {
    on_key_conflict_ = act;
    return *this;
  }

  const std::optional<std::string>& key() const { return key_; }
  std::optional<Duration> ttl() const { return ttl_; }
  OnKeyConflict key_conflict() const { return on_key_conflict_; }

 private:
  std::optional<std::string> key_;
  std::optional<Duration> ttl_;
  OnKeyConflict on_key_conflict_ = OnKeyConflict::attach;
};

/// Of a promise, made by a workflow or from outside.
class PromiseOptions {
 public:
  PromiseOptions() = default;

  /// After that it is timed_out.
  PromiseOptions& timeout(Duration time) {
    timeout_ = time;
    return *this;
  }
  PromiseOptions& idempotency_key_ttl(Duration time) {
    ttl_ = time;
    return *this;
  }
  /// `fail` unless said otherwise; a promise of the same key may be waited for with `attach`.
  PromiseOptions& on_key_conflict(OnKeyConflict act) {
    on_key_conflict_ = act;
    return *this;
  }

  std::optional<Duration> timeout() const { return timeout_; }
  std::optional<Duration> ttl() const { return ttl_; }
  OnKeyConflict key_conflict() const { return on_key_conflict_; }

 private:
  std::optional<Duration> timeout_;
  std::optional<Duration> ttl_;
  OnKeyConflict on_key_conflict_ = OnKeyConflict::fail;
};

/// Of a child workflow.
class ChildOptions {
 public:
  ChildOptions() = default;

  /// By default `{execution of the parent}/{number}`.
  ChildOptions& workflow_id(std::string id) {
    workflow_id_ = std::move(id);
    return *this;
  }
  /// Of the workflow_id, from when it is made. By default the window of the queue counts from its end.
  ChildOptions& idempotency_key_ttl(Duration time) {
    ttl_ = time;
    return *this;
  }
  ChildOptions& queue(std::string name) {
    queue_ = std::move(name);
    return *this;
  }
  ChildOptions& on_key_conflict(OnKeyConflict act) {
    on_key_conflict_ = act;
    return *this;
  }
  /// From when it is made.
  ChildOptions& deadline_after(Duration time) {
    deadline_after_ = time;
    return *this;
  }
  /// It goes on when the parent ends. Otherwise it is cancelled then.
  ChildOptions& abandon(bool whether = true) {
    abandon_ = whether;
    return *this;
  }

  const std::optional<std::string>& workflow_id() const { return workflow_id_; }
  std::optional<Duration> ttl() const { return ttl_; }
  const std::string& queue() const { return queue_; }
  OnKeyConflict key_conflict() const { return on_key_conflict_; }
  std::optional<Duration> deadline_after() const { return deadline_after_; }
  bool is_abandoned() const { return abandon_; }

 private:
  std::optional<std::string> workflow_id_;
  std::optional<Duration> ttl_;
  std::string queue_;
  OnKeyConflict on_key_conflict_ = OnKeyConflict::fail;
  std::optional<Duration> deadline_after_;
  bool abandon_ = false;
};

static_assert(!std::is_aggregate_v<StepOptions>);
static_assert(!std::is_aggregate_v<PromiseOptions>);
static_assert(!std::is_aggregate_v<ChildOptions>);

}  // namespace semel
