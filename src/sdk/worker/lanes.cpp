#include "sdk/worker/lanes.hpp"

#include <algorithm>
#include <stdexcept>

namespace semel::sdk {

void Lanes::add(const std::string& handler, const TaskOptions& options, bool is_workflow) {
  if (lane_of_.contains(handler)) throw std::logic_error("this worker has a handler '" + handler + "' already");
  const bool has_limit = options.concurrency() > 0;
  auto shared = std::find_if(lanes_.begin(), lanes_.end(), [&](const Entry& entry) {
    return !has_limit && !entry.has_limit && entry.is_workflow == is_workflow &&
           entry.lane.queues.front() == options.queue();
  });
  if (shared == lanes_.end()) {
    lanes_.push_back({{{options.queue()}, {}, options.concurrency()}, has_limit, is_workflow});
    shared = std::prev(lanes_.end());
  }
  shared->lane.handlers.push_back(handler);
  lane_of_[handler] = static_cast<std::size_t>(shared - lanes_.begin());
}

std::vector<Lane> Lanes::open() {
  ++turn_;
  leaves_out_ = false;
  std::vector<Lane> open = share(false, tasks_left_);
  for (Lane& lane : share(true, activations_left_)) open.push_back(std::move(lane));
  return open;
}

std::vector<Lane> Lanes::share(bool of_workflows, int left) {
  std::vector<const Entry*> able;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Entry& entry = lanes_[(turn_ + i) % lanes_.size()];
    if (entry.is_workflow == of_workflows && (!entry.has_limit || entry.lane.room > 0)) able.push_back(&entry);
  }
  leaves_out_ = leaves_out_ || (left > 0 && static_cast<std::size_t>(left) < able.size());
  std::vector<Lane> open;
  for (std::size_t i = 0; i < able.size() && left > 0; ++i) {
    const int others = static_cast<int>(able.size() - i);
    const int part = (left + others - 1) / others;
    open.push_back(able[i]->lane);
    open.back().room = able[i]->has_limit ? std::min(able[i]->lane.room, part) : part;
    left -= open.back().room;
  }
  return open;
}

void Lanes::take(const std::string& handler) {
  Entry& entry = lanes_[lane_of_.at(handler)];
  --left_of(entry);
  --entry.lane.room;
}

void Lanes::give_back(const std::string& handler) {
  Entry& entry = lanes_[lane_of_.at(handler)];
  ++left_of(entry);
  ++entry.lane.room;
}

}  // namespace semel::sdk
