#include "store/postgres/pool.hpp"

#include <algorithm>

namespace semel::store::postgres {
namespace {

constexpr Duration first_pause = 50ms;
constexpr Duration longest_pause = 3s;

}  // namespace

Pool::Loan Pool::borrow() {
  std::unique_ptr<Connection> connection;
  {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [this] { return free_places_ > 0; });
    free_places_ -= 1;
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!connection) {
    try {
      connection = connect();
    } catch (...) {
      give_back(nullptr);
      throw;
    }
  }
  return {*this, std::move(connection)};
}

std::unique_ptr<Connection> Pool::connect() {
  {
    const std::lock_guard lock(mutex_);
    if (std::chrono::steady_clock::now() < not_before_) throw StoreFault(reason_);
  }
  try {
    auto connection = std::make_unique<Connection>(target_, plans_);
    const std::lock_guard lock(mutex_);
    pause_ = Duration{0};
    return connection;
  } catch (const StoreFault& fault) {
    const std::lock_guard lock(mutex_);
    pause_ = std::clamp(2 * pause_, first_pause, longest_pause);
    not_before_ = std::chrono::steady_clock::now() + pause_;
    reason_ = fault.what();
    throw;
  }
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    free_places_ += 1;
    if (connection && !connection->is_broken()) idle_.push_back(std::move(connection));
    else if (connection) idle_.clear();  // those beside it have most likely broken too
  }
  returned_.notify_one();
}

}  // namespace semel::store::postgres
