#pragma once
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "semel/detail/scheduler.hpp"

namespace semel::detail {

/// When a group of coroutines has been waited for long enough.
enum class GroupEnd : std::uint8_t { all, first, first_success };

/// Runs several coroutines beside each other, and wakes the one that waits for them. It lives in that one's frame, and
/// is moved only before it begins.
class Group {
 public:
  Group(GroupEnd end, std::size_t size);

  bool await_ready() const noexcept { return members_.empty(); }

 protected:
  void begin(std::coroutine_handle<> parent, Scheduler& scheduler);
  template <typename Routine>
  void start(std::size_t index, Routine& routine) {
    routine.start(*scheduler_, &members_[index]);
    members_[index].is_success_of = [](const void* of) { return !static_cast<const Routine*>(of)->has_failed(); };
    members_[index].routine = &routine;
  }
  /// The first that ended, or succeeded. When none has: the first in order.
  std::size_t winner() const { return winner_.value_or(0); }

 private:
  struct Member final : WhenDone {
    void is_done() override { group->has_ended(*this); }

    Group* group = nullptr;
    const void* routine = nullptr;
    bool (*is_success_of)(const void*) = nullptr;
  };

  void has_ended(const Member& member);

  const GroupEnd end_;
  std::vector<Member> members_;
  std::size_t ended_ = 0;
  std::optional<std::size_t> winner_;
  bool is_over_ = false;
  std::coroutine_handle<> parent_;
  Scheduler* scheduler_ = nullptr;
};

}  // namespace semel::detail
