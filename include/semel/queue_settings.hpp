#pragma once
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "semel/submit_options.hpp"
#include "semel/time.hpp"

namespace semel {

/// What a queue is told; what is not said stays as it is.
class QueueSettings {
 public:
  QueueSettings() = default;

  /// How long closed tasks are kept.
  QueueSettings& retention(Duration time) { return set(retention_, time); }
  /// "100/sec", "500/min", "20/hour", "1000/day", "none".
  QueueSettings& rate_limit(std::string rate) { return set(rate_limit_, std::move(rate)); }
  /// At most so many at once; 0 = no limit.
  QueueSettings& max_running(int count) { return set(max_running_, count); }
  /// Of the tasks with one concurrency_key.
  QueueSettings& max_running_per_key(int count) { return set(max_running_per_key_, count); }
  QueueSettings& paused(bool whether) { return set(paused_, whether); }
  QueueSettings& reuse(ReusePolicy policy) { return set(reuse_, policy); }
  /// "24h", "retention", "forever".
  QueueSettings& dedup_window(std::string window) { return set(dedup_window_, std::move(window)); }

  std::optional<Duration> retention() const { return retention_; }
  const std::optional<std::string>& rate_limit() const { return rate_limit_; }
  std::optional<int> max_running() const { return max_running_; }
  std::optional<int> max_running_per_key() const { return max_running_per_key_; }
  std::optional<bool> paused() const { return paused_; }
  std::optional<ReusePolicy> reuse() const { return reuse_; }
  const std::optional<std::string>& dedup_window() const { return dedup_window_; }

 private:
  template <typename Field, typename Value>
  QueueSettings& set(Field& field, Value&& value) {
    field = std::forward<Value>(value);
    return *this;
  }

  std::optional<Duration> retention_;
  std::optional<std::string> rate_limit_;
  std::optional<int> max_running_;
  std::optional<int> max_running_per_key_;
  std::optional<bool> paused_;
  std::optional<ReusePolicy> reuse_;
  std::optional<std::string> dedup_window_;
};

static_assert(!std::is_aggregate_v<QueueSettings>);

}  // namespace semel
