#include "connected/intake.hpp"

#include <algorithm>
#include <chrono>

#include "connected/convert.hpp"
#include "connected/refusal.hpp"

namespace semel::connected {
namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration end_time_max = std::chrono::seconds(10);

bool is_same(const sdk::Lane& a, const sdk::Lane& b) { return a.queues == b.queues && a.handlers == b.handlers; }

bool has_workflows(const sdk::Lane& lane) {
  return !lane.handlers.empty() && lane.handlers.front().starts_with("workflow:");
}

}  // namespace

sdk::Reply<std::vector<sdk::Lease>> Intake::poll(const sdk::Poll& poll, std::stop_token stop) {
  const auto end = Steady::now() + poll.wait;
  std::unique_lock lock(mutex_);
  note_rooms(poll);
  while (true) {
    if (!arrived_.empty()) return std::exchange(arrived_, {});
    if (refusal_) return tl::unexpected(*std::exchange(refusal_, std::nullopt));
    replan_ = false;
    const std::vector<Act> acts = plan(poll);
    if (!acts.empty()) {
      lock.unlock();
      perform(acts);
      lock.lock();
    }
    if (!changed_.wait_until(lock, stop, end, [this] { return has_news(); })) return std::vector<sdk::Lease>();
  }
}

std::vector<sdk::Lease> Intake::end() {
  const auto close_all = [this](const auto& close) {
    std::vector<std::shared_ptr<WorkerStream>> streams;
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    for (const LaneState& lane : lanes_) {
      if (lane.stream) streams.push_back(lane.stream);
    }
    lock.unlock();
    for (const auto& stream : streams) close(*stream);
    lock.lock();
    return changed_.wait_for(lock, end_time_max, [this] {
      return std::all_of(lanes_.begin(), lanes_.end(), [](const LaneState& lane) { return !lane.stream; });
    });
  };
  if (!close_all([](WorkerStream& stream) { stream.close(); }))
    close_all([](WorkerStream& stream) { stream.call_off(); });
  const std::lock_guard lock(mutex_);
  return std::exchange(arrived_, {});
}

// ---- slots

void Intake::note_rooms(const sdk::Poll& poll) {
  for (LaneState& known : lanes_) known.lane.room = 0;
  for (const sdk::Lane& lane : poll.lanes) {
    const auto found =
        std::find_if(lanes_.begin(), lanes_.end(), [&](const LaneState& known) { return is_same(known.lane, lane); });
    if (found != lanes_.end()) found->lane.room = lane.room;
    else lanes_.push_back({lane, has_workflows(lane)});
  }
}

std::vector<Intake::Act> Intake::plan(const sdk::Poll& poll) {
  std::vector<Act> acts;
  plan_group(poll, false, acts);
  plan_group(poll, true, acts);
  return acts;
}

void Intake::plan_group(const sdk::Poll& poll, bool of_workflows, std::vector<Act>& acts) {
  int free = 0;
  for (const LaneState& each : lanes_) {
    if (each.is_workflow == of_workflows) free += each.lane.room - each.given;
  }
  int wanted = 0;
  for (LaneState& each : lanes_) {
    const int missing = each.lane.room - each.given;
    if (each.is_workflow != of_workflows || missing <= 0) continue;
    const int slots = std::clamp(free, 0, missing);
    free -= slots;
    wanted += missing - slots;
    if (slots == 0) continue;
    Act act{each.stream, false, slots};
    if (!each.stream) {
      v1::Hello hello;
      write(hello, poll, each.lane);
      act.stream = each.stream = streams_.make(weak_from_this(), hello);
      act.begins = true;
    }
    each.given += slots;
    acts.push_back(std::move(act));
  }
  for (LaneState& each : lanes_) {
    const int slots = std::min(wanted, each.given - each.lane.room);
    if (each.is_workflow != of_workflows || slots <= 0 || each.asked_back) continue;
    wanted -= slots;
    each.asked_back = true;
    acts.push_back({each.stream, false, 0, slots});
  }
}

void Intake::perform(const std::vector<Act>& acts) {
  for (const Act& act : acts) {
    if (act.give > 0) act.stream->give(act.give);
    if (act.take_back > 0) act.stream->take_back(act.take_back);
    if (act.begins) streams_.begin(*act.stream);
  }
}

// ---- what streams say

Intake::LaneState* Intake::lane_of(const WorkerStream& stream) {
  const auto found =
      std::find_if(lanes_.begin(), lanes_.end(), [&](const LaneState& lane) { return lane.stream.get() == &stream; });
  return found == lanes_.end() ? nullptr : &*found;
}

void Intake::leased(WorkerStream& from, std::vector<sdk::Lease> leases) {
  holders_.add(leases, std::static_pointer_cast<WorkerStream>(from.shared_from_this()));
  const std::lock_guard lock(mutex_);
  if (LaneState* lane = lane_of(from)) lane->given -= static_cast<int>(leases.size());
  std::move(leases.begin(), leases.end(), std::back_inserter(arrived_));
  changed_.notify_all();
}

/// For those that were not free any more leases have come, or will.
void Intake::took_back(WorkerStream& from, int slots) {
  const std::lock_guard lock(mutex_);
  LaneState* lane = lane_of(from);
  if (lane == nullptr) return;
  lane->given -= slots;
  lane->asked_back = false;
  replan_ = true;
  changed_.notify_all();
}

void Intake::drains(WorkerStream& from) {
  const std::lock_guard lock(mutex_);
  LaneState* lane = lane_of(from);
  if (lane == nullptr) return;
  lane->lose_stream();
  replan_ = true;
  changed_.notify_all();
}

void Intake::ended(WorkerStream& from, const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  LaneState* lane = lane_of(from);
  if (lane == nullptr) return;  // it had been drained
  lane->lose_stream();
  if (!is_ending_) refusal_ = broken_off(status, streams_.address);
  changed_.notify_all();
}

}  // namespace semel::connected
