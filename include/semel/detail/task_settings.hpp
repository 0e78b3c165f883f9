#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "semel/retry.hpp"
#include "semel/time.hpp"

namespace semel::detail {

/// How a task is to be done. What is not said is as the template, the queue or the server have it.
struct TaskSettings {
  std::string queue{};
  std::optional<int> priority{};
  std::optional<Duration> head_start{};  // in its queue, as if it had come that much earlier
  std::optional<int> max_attempts{};
  std::optional<Retry> retry{};
  std::optional<Duration> timeout{};  // of one attempt
  std::optional<Time> deadline{};     // of the whole
  std::optional<Duration> deadline_after{};
  std::optional<Time> run_at{};
  std::optional<Duration> delay{};
  std::string concurrency_key{};
  std::map<std::string, std::string> labels{};
};

/// The setters that all options about tasks have.
template <typename Options>
class TaskSetters {
 public:
  Options& queue(std::string name) { return set(settings_.queue, std::move(name)); }
  /// Higher first, from -100 to 100.
  Options& priority(int value) { return set(settings_.priority, value); }
  /// The first one counts.
  Options& max_attempts(int count) { return set(settings_.max_attempts, count); }
  Options& retry(const Retry& policy) { return set(settings_.retry, policy); }
  /// Of one attempt.
  Options& timeout(Duration time) { return set(settings_.timeout, time); }
  Options& delay(Duration time) { return set(settings_.delay, time); }
  /// Of the tasks of a queue with the same one, one runs at a time, or as many as the queue says.
  Options& concurrency_key(std::string key) { return set(settings_.concurrency_key, std::move(key)); }
  Options& label(const std::string& name, std::string value) { return set(settings_.labels[name], std::move(value)); }

  const TaskSettings& settings() const { return settings_; }

 protected:
  TaskSetters() = default;
  ~TaskSetters() = default;
  TaskSetters(const TaskSetters&) = default;
  TaskSetters(TaskSetters&&) = default;
  TaskSetters& operator=(const TaskSetters&) = default;
  TaskSetters& operator=(TaskSetters&&) = default;

  template <typename Field, typename Value>
  Options& set(Field& field, Value&& value) {
    field = std::forward<Value>(value);
    return static_cast<Options&>(*this);
  }

  TaskSettings settings_;
};

}  // namespace semel::detail
