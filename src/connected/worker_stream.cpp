#include "connected/worker_stream.hpp"

#include <fmt/format.h>

#include <utility>

#include "connected/convert.hpp"
#include "connected/refusal.hpp"

namespace semel::connected {
namespace {

// Servers take 1,000 outcomes and 16 MiB in a message. Most results are small; the commands of one activation may have
// more than all else that is said together, and travel alone then.
constexpr std::size_t things_a_message_max = 1'000;
constexpr std::size_t message_bytes_max = 8 << 20;
constexpr std::size_t outcome_bytes_max = 15 << 20;

/// The same would be too large again.
sdk::Refusal larger_than_a_message(std::size_t bytes) {
  return {"PAYLOAD_TOO_LARGE",
          fmt::format("the outcome has {} bytes, and a message to the server at most {}: give tasks less to carry, or "
                      "begin fewer of them at once",
                      bytes, outcome_bytes_max),
          false};
}

}  // namespace

WorkerStream::WorkerStream(UnderWay& under_way, const Address& address, std::weak_ptr<Listener> listener,
                           v1::Hello hello)
    : ClientStream(under_way), address_(address), listener_(std::move(listener)) {
  *waiting_.emplace_back().mutable_hello() = std::move(hello);
}

v1::WorkerMessage& WorkerStream::last_waiting() {
  if (waiting_.empty()) waiting_.emplace_back();
  return waiting_.back();
}

void WorkerStream::give(int slots) {
  {
    const std::lock_guard lock(mutex_);
    v1::WorkerMessage& message = last_waiting();
    message.set_slots(message.slots() + static_cast<std::uint32_t>(slots));
  }
  write_more();
}

void WorkerStream::take_back(int slots) {
  {
    const std::lock_guard lock(mutex_);
    v1::WorkerMessage& message = last_waiting();
    message.set_slots_back(message.slots_back() + static_cast<std::uint32_t>(slots));
  }
  write_more();
}

/// In as few messages as the server takes. A message that is too large would end the stream, and with it the answers to
/// all that others have said.
void WorkerStream::say(std::span<const Said> all) {
  v1::WorkerMessage message;
  std::vector<Said> said;
  std::size_t bytes = 0;
  const auto send = [&] {
    if (!said.empty()) say_message(std::exchange(message, {}), std::exchange(said, {}));
    bytes = 0;
  };
  const auto add = [&](const Said& each, auto part, auto& parts) {
    const std::size_t size = part.ByteSizeLong();
    if (size > outcome_bytes_max) return each.by->settle(each.index, tl::unexpected(larger_than_a_message(size)));
    if (said.size() >= things_a_message_max || bytes + size > message_bytes_max) send();
    parts.Add(std::move(part));
    said.push_back(each);
    bytes += size;
  };
  for (const Said& each : all) {
    const sdk::Answer& answer = *each.answer;
    if (const auto* beat = std::get_if<sdk::Heartbeat>(&answer.what)) {
      v1::Heartbeat heartbeat;
      write(heartbeat, answer.attempt_id, *beat);
      add(each, std::move(heartbeat), *message.mutable_heartbeats());
    } else {
      v1::Outcome outcome;
      write(outcome, answer);
      add(each, std::move(outcome), *message.mutable_outcomes());
    }
  }
  send();
  write_more();
}

/// Goes with slots that wait: the server does both in one commit.
void WorkerStream::say_message(v1::WorkerMessage message, const std::vector<Said>& all) {
  const std::lock_guard lock(mutex_);
  for (const Said& each : all) {
    if (end_) {
      each.by->settle(each.index, tl::unexpected(*end_));
      continue;
    }
    const bool is_beat = std::holds_alternative<sdk::Heartbeat>(each.answer->what);
    (is_beat ? heartbeats_ : outcomes_)[each.answer->attempt_id] = {each.by, each.index};
  }
  v1::WorkerMessage& last = last_waiting();
  if (last.outcomes_size() > 0 || last.heartbeats_size() > 0) {
    waiting_.push_back(std::move(message));
  } else {
    message.MergeFrom(last);
    last.Swap(&message);
  }
}

WorkerStream::Waiting WorkerStream::take(ByAttempt& from, const std::string& attempt_id) {
  const std::lock_guard lock(mutex_);
  const auto found = from.find(attempt_id);
  if (found == from.end()) return {};
  Waiting waiting = std::move(found->second);
  from.erase(found);
  return waiting;
}

void WorkerStream::received(const v1::ServerMessage& message) {
  for (const v1::OutcomeAnswer& each : message.outcomes()) {
    if (const Waiting waiting = take(outcomes_, each.attempt_id()); waiting.by)
      waiting.by->settle(waiting.index, outcome_of(each));
  }
  for (const v1::HeartbeatAnswer& each : message.heartbeats()) {
    if (const Waiting waiting = take(heartbeats_, each.attempt_id()); waiting.by)
      waiting.by->settle(waiting.index, outcome_of(each));
  }
  const std::shared_ptr<Listener> listener = listener_.lock();
  if (!listener) return;
  if (message.leases_size() > 0) {
    std::vector<sdk::Lease> leases;
    leases.reserve(static_cast<std::size_t>(message.leases_size()));
    for (const v1::Lease& each : message.leases()) leases.push_back(lease_of(each));
    listener->leased(*this, std::move(leases));
  }
  if (message.has_slots_back()) listener->took_back(*this, static_cast<int>(message.slots_back()));
  if (message.draining()) listener->drains(*this);
}

void WorkerStream::ended(const grpc::Status& status) {
  ByAttempt outcomes;
  ByAttempt heartbeats;
  {
    const std::lock_guard lock(mutex_);
    end_ = broken_off(status, address_);
    outcomes.swap(outcomes_);
    heartbeats.swap(heartbeats_);
  }
  for (const ByAttempt& all : {outcomes, heartbeats}) {
    for (const auto& [id, waiting] : all) waiting.by->settle(waiting.index, tl::unexpected(*end_));
  }
  if (const std::shared_ptr<Listener> listener = listener_.lock()) listener->ended(*this, status);
}

}  // namespace semel::connected
