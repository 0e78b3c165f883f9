#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/time.hpp"
#include "ports/list.hpp"

namespace semel::engine {

/// How full all queues are. A store counts row by row: where very many tasks wait, that takes long, and then one count
/// answers everybody who asks within ten times as long as it took. So people who look, and what reads metrics, never
/// take more than a tenth of one processor, and where a count is quick, which is usual, every answer is a new one.
/// Callable from any thread; one counts at a time.
class DepthCount {
 public:
  using Depths = std::shared_ptr<const std::vector<QueueDepth>>;
  static constexpr Duration quick = 50ms;
  static constexpr int kept_times = 10;
  static constexpr Duration kept_max = 10s;

  DepthCount(std::function<std::vector<QueueDepth>()> count, std::function<Time()> now)
      : count_(std::move(count)), now_(std::move(now)) {}

  /// Throws StoreFault.
  Depths read();

 private:
  const std::function<std::vector<QueueDepth>()> count_;
  const std::function<Time()> now_;
  std::mutex mutex_;  // guards what follows, also while it is counted
  Depths last_{};
  Time kept_until_{};
};

}  // namespace semel::engine
