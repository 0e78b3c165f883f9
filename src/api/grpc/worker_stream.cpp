#include "api/grpc/worker_stream.hpp"

#include <algorithm>

#include "api/grpc/work.hpp"

namespace semel::rpc {
namespace {

constexpr std::size_t slots_max = 10'000;
constexpr std::size_t things_under_way_max = 4'000;
constexpr std::size_t parcel_bytes_max = 1 << 20;  // of contexts: clients take messages of 4 MiB unless told otherwise
constexpr std::size_t parcel_leases_max = 1'000;

std::vector<domain::AttemptId> ids_of(const auto& leases) {
  std::vector<domain::AttemptId> ids;
  ids.reserve(leases.size());
  for (const Lease& lease : leases) ids.push_back(lease.attempt_id);
  return ids;
}

std::size_t bytes_of(const Lease& lease) {
  std::size_t bytes = lease.execution.spec.context.size();
  if (!lease.activation) return bytes;
  for (const HistoryEntry& entry : lease.activation->events) bytes += entry.event.detail.size();
  return bytes;
}

Result<void> check_count(std::string_view field, int count) {
  if (count <= static_cast<int>(engine::limits::batch_max)) return {};
  return bad_request("{}: at most {} are allowed in a message", field, engine::limits::batch_max);
}

}  // namespace

void WorkerStream::received(const v1::WorkerMessage& message) {
  if (Result<void> good = read_head(message); !good) {
    const std::lock_guard lock(mutex_);
    return end_with(status_of(good.error()));
  }
  take_heartbeats(message);
  take_outcomes(message);
  if (message.slots_back() > 0) take_back(message.slots_back());
  claim();
}

Result<void> WorkerStream::read_head(const v1::WorkerMessage& message) {
  if (Result<void> fits = check_count("outcomes", message.outcomes_size()); !fits) return fits;
  if (Result<void> fits = check_count("heartbeats", message.heartbeats_size()); !fits) return fits;
  const std::lock_guard lock(mutex_);
  if (message.has_hello() == hello_.has_value())
    return bad_request("hello belongs into the first message of a stream, and only there");
  if (message.has_hello()) {
    if (Result<void> allowed = engine::require(principal_, domain::Permission::workers); !allowed) return allowed;
    Result<Engine::PollRequest> hello = read_hello(message.hello());
    if (!hello) return pass_on(hello.error());
    hello_ = *std::move(hello);
    hello_->wait = engine::limits::wait_max;
  }
  slots_ += message.slots();
  if (slots_ > slots_max) return bad_request("slots: {} are free; at most {} are allowed", slots_, slots_max);
  return {};
}

void WorkerStream::take_heartbeats(const v1::WorkerMessage& message) {
  {
    const std::lock_guard lock(mutex_);
    under_way_ += static_cast<std::size_t>(message.heartbeats_size());
  }
  for (const v1::Heartbeat& heartbeat : message.heartbeats()) {
    const auto answer = [self = self(), id = heartbeat.attempt_id()](Result<AttemptAnswer> said) {
      const std::lock_guard lock(self->mutex_);
      self->under_way_ -= 1;
      self->answers_.heartbeats.push_back({id, std::move(said)});
      self->pump_later();
    };
    Result<HeartbeatValues> values = read_heartbeat(heartbeat);
    if (!values) answer(pass_on(values.error()));
    else backend_.engine.heartbeat(principal_, values->attempt_id, values->lease, std::move(values->progress), answer);
  }
}

void WorkerStream::take_outcomes(const v1::WorkerMessage& message) {
  if (message.outcomes_size() == 0) return;
  std::vector<std::string> ids;
  std::vector<Result<Engine::Ending>> endings;
  for (const v1::Outcome& outcome : message.outcomes()) {
    ids.push_back(outcome.attempt_id());
    endings.push_back(read_outcome(outcome));
  }
  std::optional<Engine::PollRequest> more;
  {
    const std::lock_guard lock(mutex_);
    under_way_ += ids.size();
    if (begins_claim()) more = request_for_slots();
  }
  if (more) {
    more->wait = Duration{0};  // outcomes are answered at once; the next claim waits
    backend_.engine.work(principal_, *std::move(more), std::move(endings),
                         [self = self(), ids = std::move(ids)](Result<Engine::WorkAnswer> answer) {
                           self->worked(ids, std::move(answer));
                         });
  } else {
    backend_.engine.end(principal_, std::move(endings),
                        [self = self(), ids = std::move(ids)](std::vector<Result<AttemptAnswer>> answers) {
                          self->ended(ids, std::move(answers));
                        });
  }
}

void WorkerStream::take_back(std::size_t slots) {
  std::shared_ptr<Engine::Poll> poll;
  {
    const std::lock_guard lock(mutex_);
    wanted_back_ = wanted_back_.value_or(0) + slots;
    if (!claiming_) answer_back();
    else poll = std::exchange(poll_, nullptr);
    pump_later();
  }
  if (poll) poll->abandon();  // what it has just got comes to claimed()
}

void WorkerStream::answer_back() {
  if (!wanted_back_) return;
  const std::size_t free = std::min(slots_, *std::exchange(wanted_back_, std::nullopt));
  slots_ -= free;
  answers_.slots_back = answers_.slots_back.value_or(0) + free;
}

bool WorkerStream::begins_claim() {
  if (claiming_ || slots_ == 0 || !hello_ || takes_no_more()) return false;
  claiming_ = true;
  claims_ += 1;
  return true;
}

WorkerStream::Engine::PollRequest WorkerStream::request_for_slots() const {
  Engine::PollRequest request = *hello_;
  request.max = std::min(slots_, engine::limits::leases_max);
  return request;
}

/// Waits for tasks as long as there are slots. The answer may come before poll() returns.
void WorkerStream::claim() {
  Engine::PollRequest request;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!begins_claim()) return;
    number = claims_;
    request = request_for_slots();
  }
  std::shared_ptr<Engine::Poll> poll =
      backend_.engine.poll(principal_, std::move(request),
                           [self = self()](Result<std::vector<Lease>> leases) { self->claimed(std::move(leases)); });
  {
    const std::lock_guard lock(mutex_);
    if (!claiming_ || claims_ != number) return;  // answered already
    if (!takes_no_more() && !wanted_back_) {
      poll_ = std::move(poll);
      return;
    }
  }
  if (poll) poll->abandon();
}

/// From the engine: the thread is the commits' or the timers', or that of claim().
void WorkerStream::claimed(Result<std::vector<Lease>> leases) {
  const std::lock_guard lock(mutex_);
  keep_claimed(std::move(leases));
  pump_later();
}

void WorkerStream::worked(const std::vector<std::string>& ids, Result<Engine::WorkAnswer> answer) {
  const std::lock_guard lock(mutex_);
  if (answer) {
    keep_ended(ids, std::move(answer->endings));
    keep_claimed(std::move(answer->leases));
  } else {
    keep_ended(ids, std::vector<Result<AttemptAnswer>>(ids.size(), pass_on(answer.error())));
    keep_claimed(pass_on(answer.error()));
  }
  pump_later();
}

void WorkerStream::ended(const std::vector<std::string>& ids, std::vector<Result<AttemptAnswer>> answers) {
  const std::lock_guard lock(mutex_);
  keep_ended(ids, std::move(answers));
  pump_later();
}

void WorkerStream::keep_claimed(Result<std::vector<Lease>> leases) {
  claiming_ = false;
  poll_ = nullptr;
  if (!leases) return end_with(status_of(leases.error()));
  if (takes_no_more()) return give_back(ids_of(*leases));
  slots_ -= std::min(slots_, leases->size());
  for (Lease& lease : *leases) leases_.push_back(std::move(lease));
  answer_back();
}

void WorkerStream::keep_ended(const std::vector<std::string>& ids, std::vector<Result<AttemptAnswer>> answers) {
  under_way_ -= ids.size();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_over = answers[i] || answers[i].error().code == ErrorCode::stale_attempt;
    if (is_over && leased_ > 0) leased_ -= 1;
    answers_.outcomes.push_back({ids[i], std::move(answers[i])});
  }
}

std::vector<domain::AttemptId> WorkerStream::take_unsent() {
  std::vector<domain::AttemptId> unsent = ids_of(leases_);
  leases_.clear();
  return unsent;
}

/// The poll is over without being answered by leases; what it had just got comes back to claimed().
void WorkerStream::no_more() {
  std::shared_ptr<Engine::Poll> poll;
  std::vector<domain::AttemptId> unsent;
  {
    const std::lock_guard lock(mutex_);
    poll = std::exchange(poll_, nullptr);
    unsent = take_unsent();
  }
  if (poll) poll->abandon();
  give_back(std::move(unsent));
}

bool WorkerStream::take_next() {
  const bool tells = draining_ && !told_draining_;
  const bool answers = !answers_.outcomes.empty() || !answers_.heartbeats.empty() || answers_.slots_back;
  if (leases_.empty() && !answers && !tells) return false;
  current_ = std::exchange(answers_, {});
  current_.draining = tells;
  told_draining_ = told_draining_ || tells;
  std::size_t bytes = 0;
  while (!leases_.empty() && current_.leases.size() < parcel_leases_max) {
    bytes += bytes_of(leases_.front());
    if (bytes > parcel_bytes_max && !current_.leases.empty()) break;
    current_.leases.push_back(std::move(leases_.front()));
    leases_.pop_front();
  }
  delivering_ = ids_of(current_.leases);
  leased_ += delivering_.size();
  return true;
}

void WorkerStream::write(v1::ServerMessage& message) {
  for (const Lease& lease : current_.leases) write_lease(*message.add_leases(), lease);
  for (const Answered& each : current_.outcomes) {
    v1::OutcomeAnswer& answer = *message.add_outcomes();
    answer.set_attempt_id(each.attempt_id);
    write_outcome(answer, each.answer);
  }
  for (const Answered& each : current_.heartbeats) {
    v1::HeartbeatAnswer& answer = *message.add_heartbeats();
    answer.set_attempt_id(each.attempt_id);
    write_heartbeat(answer, each.answer);
  }
  if (current_.slots_back) message.set_slots_back(static_cast<std::uint32_t>(*current_.slots_back));
  message.set_draining(current_.draining);
}

void WorkerStream::written(bool ok) {
  std::vector<domain::AttemptId> delivered;
  {
    const std::lock_guard lock(mutex_);
    delivered = std::exchange(delivering_, {});
  }
  if (!ok) give_back(std::move(delivered));
}

bool WorkerStream::may_read() const {
  return under_way_ + answers_.outcomes.size() + answers_.heartbeats.size() < things_under_way_max;
}

void WorkerStream::give_back(std::vector<domain::AttemptId> attempts) {
  if (!attempts.empty()) backend_.engine.give_back(principal_, std::move(attempts));
}

}  // namespace semel::rpc
