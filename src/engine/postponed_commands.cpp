#include "engine/postponed_commands.hpp"

#include <utility>

namespace semel::engine {
namespace {

void refuse_now(const CommitQueue::Entry& entry) { entry.done({Time{}, tl::unexpected<Error>(nothing_changed())}); }

}  // namespace

void PostponedCommands::add(CommitQueue::Entry entry, Duration delay) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!is_over_ && entries_.size() < entries_max_) {
      number = ++last_;
      entries_.emplace(number, std::move(entry));
    }
  }
  if (number == 0) return refuse_now(entry);
  timers_.after(delay, [this, number] { retry(number); });
}

void PostponedCommands::retry(std::uint64_t number) {
  CommitQueue::Entry entry;
  {
    const std::lock_guard lock(mutex_);
    auto found = entries_.extract(number);
    if (found.empty()) return;
    entry = std::move(found.mapped());
  }
  again_(std::move(entry));
}

void PostponedCommands::release_all() {
  std::map<std::uint64_t, CommitQueue::Entry> left;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    left = std::exchange(entries_, {});
  }
  for (const auto& [number, entry] : left) refuse_now(entry);
}

std::size_t PostponedCommands::waiting() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace semel::engine
