#include "connected/waits.hpp"

#include <algorithm>

namespace semel::connected {
namespace {

constexpr std::size_t calls_a_connection_max = 500;  // servers take 1,000

}  // namespace

v1::TaskService::Stub& Waits::begin(std::size_t& place) {
  const std::lock_guard lock(mutex_);
  const auto free = std::find_if(entries_.begin(), entries_.end(),
                                 [](const Entry& entry) { return entry.calls < calls_a_connection_max; });
  place = static_cast<std::size_t>(free - entries_.begin());
  if (free == entries_.end()) entries_.push_back({v1::TaskService::NewStub(channels_.open())});
  ++entries_[place].calls;
  return *entries_[place].stub;
}

void Waits::end(std::size_t place) {
  const std::lock_guard lock(mutex_);
  --entries_[place].calls;
}

}  // namespace semel::connected
