#include "engine/depth_count.hpp"

#include <algorithm>

namespace semel::engine {

DepthCount::Depths DepthCount::read() {
  const std::lock_guard lock(mutex_);
  const Time begun = now_();
  if (last_ && begun < kept_until_) return last_;
  last_.reset();
  auto counted = std::make_shared<const std::vector<QueueDepth>>(count_());
  const Time ended = now_();
  const Duration took = ended - begun;
  if (took < quick) return counted;
  kept_until_ = ended + std::min(took * kept_times, kept_max);
  last_ = counted;
  return counted;
}

}  // namespace semel::engine
