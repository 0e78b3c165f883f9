#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "engine/activity.hpp"
#include "engine/queue_rates.hpp"
#include "ports/dedup_cache.hpp"
#include "ports/store.hpp"

namespace semel::engine {

/// What the server counts, in the words of Prometheus. Callable from any thread.
class Metrics {
 public:
  using Seconds = std::chrono::duration<double>;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// One transaction with what it came to.
  void applied(const Applied& applied, Seconds took);
  /// What executions came to, here or by another server: for people, and not for Prometheus, which asks every server.
  void changed(Time now, const std::vector<Change>& changes);
  /// What retention removed.
  void swept(int executions, int tombstones);
  void commit_failed();
  /// The commit queue was full.
  void turned_away(std::size_t commands);
  /// `answer` is the status and, where there is one, the code: "409 CONFLICT".
  void duplicate(Time now, const std::string& tenant, const std::string& answer);
  void probed(Seconds took);
  /// `route` is a pattern of the route table, never a path that somebody sent.
  void request(std::string_view method, std::string_view route, int status, Seconds took);

  /// A request to a target, by what was answered.
  void dispatched(const std::string& tenant, const std::string& queue, std::string_view answer);

  /// The same of gRPC; `status` is the name of its status. A stream counts when it is over.
  void call(std::string_view service, std::string_view method, std::string_view status, Seconds took);
  /// The same by minutes, for people.
  Activity& activity() { return activity_; }
  QueueRates& queue_rates() { return queue_rates_; }

  /// Everything in the text format of Prometheus.
  std::string text(std::size_t commands_waiting, const std::vector<QueueDepth>& queues,
                   const std::vector<DispatchDepth>& dispatches,
                   const std::optional<DedupCache::Counts>& cache = std::nullopt) const;

 private:
  class Inner;
  const std::unique_ptr<Inner> inner_;
  Activity activity_;
  QueueRates queue_rates_;
};

}  // namespace semel::engine
