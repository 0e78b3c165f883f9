#include "dispatch/pool.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"

namespace semel::dispatch {
namespace {

http_client::Outcome failure(std::string message, bool is_begun) {
  http_client::Failure failure;
  failure.is_begun = is_begun;
  failure.message = std::move(message);
  return tl::unexpected(std::move(failure));
}

/// They may send again at once, so nothing of the pool may be half done.
void tell(const std::vector<Pool::Done>& late) {
  for (const Pool::Done& done : late) done(failure("no connection was free in time", false));
}

http_client::Outcome is_stopping(bool is_begun) { return failure("this server is stopping", is_begun); }

}  // namespace

Pool::Pool(boost::asio::io_context& loop, std::shared_ptr<const http_client::Peer> peer, Limits limits)
    : loop_(loop), peer_(std::move(peer)), limits_(limits) {}

Pool::~Pool() = default;

void Pool::send(http_client::Call call, Done done) {
  if (idle_.empty() && busy_.size() >= limits_.connections_max) {
    waiting_.push_back({std::move(call), std::move(done), std::chrono::steady_clock::now() + limits_.wait_time});
    return;
  }
  std::unique_ptr<Slot> slot;
  if (idle_.empty()) {
    slot = std::make_unique<Slot>();
    slot->connection = std::make_unique<http_client::Connection>(loop_, peer_);
  } else {
    slot = std::move(idle_.back());
    idle_.pop_back();
  }
  start(std::move(slot), std::move(call), std::move(done));
}

void Pool::start(std::unique_ptr<Slot> slot, http_client::Call call, Done done) {
  Slot& started = *slot;
  started.done = std::move(done);
  busy_.push_back(std::move(slot));
  // One that was closed meanwhile is dropped here, and made again by the call.
  static_cast<void>(started.connection->is_open());
  started.connection->send(std::move(call),
                           [this, &started](http_client::Outcome outcome) { ended(started, std::move(outcome)); });
}

void Pool::ended(Slot& slot, http_client::Outcome outcome) {
  const auto found = std::find_if(busy_.begin(), busy_.end(), [&](const auto& each) { return each.get() == &slot; });
  ensure(found != busy_.end());
  std::unique_ptr<Slot> own = std::exchange(*found, std::move(busy_.back()));
  busy_.pop_back();
  const Done done = std::exchange(own->done, nullptr);
  own->used_at = std::chrono::steady_clock::now();
  const std::vector<Done> late = take_late();
  if (waiting_.empty()) {
    idle_.push_back(std::move(own));
  } else {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(own), std::move(next.call), std::move(next.done));
  }
  done(std::move(outcome));
  tell(late);
}

void Pool::close_idle(Moment since) {
  std::erase_if(idle_, [&](const std::unique_ptr<Slot>& slot) { return slot->used_at <= since; });
}

void Pool::give_up_waiting() { tell(take_late()); }

std::vector<Pool::Done> Pool::take_late() {
  const Moment now = std::chrono::steady_clock::now();
  std::vector<Done> late;
  for (; !waiting_.empty() && waiting_.front().until <= now; waiting_.pop_front())
    late.push_back(std::move(waiting_.front().done));
  return late;
}

void Pool::close() {
  idle_.clear();
  for (const std::unique_ptr<Slot>& slot : std::exchange(busy_, {})) {
    const bool is_begun = slot->connection->is_begun();
    slot->connection->abandon();
    slot->done(is_stopping(is_begun));
  }
  for (const Waiting& waiting : std::exchange(waiting_, {})) waiting.done(is_stopping(false));
}

}  // namespace semel::dispatch
