#include "api/http/transport/roster.hpp"

namespace semel::http {

bool Roster::admit(const std::shared_ptr<Session>& session) {
  const std::scoped_lock lock(mutex_);
  const bool has_seat = seats_taken_.size() < seats_;
  (has_seat ? seats_taken_ : standing_).insert(session);
  seated_ = seats_taken_.size();
  return has_seat;
}

void Roster::leave(const std::shared_ptr<Session>& session) {
  const std::scoped_lock lock(mutex_);
  if (seats_taken_.erase(session) == 0) standing_.erase(session);
  seated_ = seats_taken_.size();
  if (seats_taken_.empty() && standing_.empty()) left_.notify_all();
}

std::size_t Roster::standing() const {
  const std::scoped_lock lock(mutex_);
  return standing_.size();
}

std::vector<std::shared_ptr<Session>> Roster::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::shared_ptr<Session>> sessions(seats_taken_.begin(), seats_taken_.end());
  sessions.insert(sessions.end(), standing_.begin(), standing_.end());
  return sessions;
}

void Roster::wait_until_empty(Duration limit) {
  std::unique_lock lock(mutex_);
  left_.wait_for(lock, limit, [this] { return seats_taken_.empty() && standing_.empty(); });
}

}  // namespace semel::http
