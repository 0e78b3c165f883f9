#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "sdk/commands.hpp"
#include "sdk/workflow/cell.hpp"
#include "sdk/workflow/recorded.hpp"
#include "semel/detail/cell.hpp"
#include "semel/detail/scheduler.hpp"

namespace semel::sdk {

/// Which workflow, and which run of its code.
struct WorkflowIdentity {
  std::string execution_id{};
  std::string workflow_id{};
  std::string kind{};
  std::uint64_t from = 1;  // the first event of this generation
};

/// What the code of one workflow has asked for, beside what its history says that it asked for, and what came of it.
///
/// The code is a function of the events that are not its own, one after the other: each is told, and the code runs
/// until it waits again. Where activations begin and end is not part of that, so the same history always leads to the
/// same commands, whether it comes at once or bit by bit.
///
/// A command gets its number when the code waits next, and not where it is asked for, so that all() can say in which
/// order its arguments are meant. One thread at a time.
class Replay {
 public:
  Replay(WorkflowIdentity identity, detail::Scheduler& scheduler);

  // ---- what the code does: replay.cpp
  detail::CellPointer begin(Order order);
  detail::CellPointer receive(std::string_view name);
  void put_in_order(std::span<const detail::CellPointer> cells);
  void cancel(const detail::CellPointer& cell);
  std::string id_of(const Cell& cell);
  /// Nobody has the Pending any more.
  void drop(Cell& cell) noexcept;
  /// Before the code waits, and at its end.
  void number_drafts();
  void set_status(std::string json) { status_ = std::move(json); }
  [[noreturn]] void continue_with(std::string input);

  // ---- replay_values.cpp
  std::optional<detail::Closing> begin_run(std::string_view name);
  detail::Closing end_run(std::string_view name, detail::Closing closing);
  int version(std::string_view change, int min, int max);
  std::string uuid();
  std::uint64_t random();
  Time now() const { return now_; }
  const WorkflowIdentity& identity() const { return identity_; }
  bool is_replaying() const { return next_ <= last_recorded_; }

  // ---- what the history says: replay_events.cpp
  /// Of all new events first, since an answer to the code may lie behind what it was an answer to.
  void note(const Recorded& recorded);
  /// One after the other; the code runs in between.
  void happen(const Recorded& recorded, const Event& event);
  void set_time(Time now) { now_ = now; }
  /// The numbers up to this one are known to the server.
  void set_known(std::uint64_t last_command) { known_ = last_command; }
  /// After all events: the code must have asked for all that the history says.
  void expect_all_asked();
  void fail(std::string_view type, const std::string& message);
  /// The coroutine is about to be destroyed, and what its locals do then is of no account.
  void close() noexcept { is_dead_ = true; }

  // ---- what came of it
  const std::optional<std::string>& fault() const { return fault_; }  // JSON text
  bool has_continued() const { return continuation_.has_value(); }
  std::optional<ContinueWith> take_continuation() { return std::exchange(continuation_, std::nullopt); }
  std::vector<Command> take_commands() { return std::exchange(fresh_, {}); }
  std::optional<std::string> take_status() { return std::exchange(status_, std::nullopt); }
  std::uint64_t last_number() const { return next_ - 1; }

 private:
  struct Draft {
    detail::CellPointer cell;
    Order order;
  };
  struct Known {
    Asked asked = Asked::task;
    std::string name{};
    std::string value{};  // of a marker
  };
  struct Arrived {
    std::uint64_t sequence = 0;
    std::string value{};
  };
  struct Signals {
    std::deque<Arrived> arrived{};
    std::deque<detail::CellPointer> waiting{};
    std::vector<std::weak_ptr<Cell>> handed_out{};  // some of them have been taken since
  };

  bool is_over() const { return is_dead_ || fault_ || continuation_; }
  void expect_outside_run() const;
  /// The next number, compared with the history; the command is sent if it is not there.
  std::uint64_t issue(Order order);
  /// What the history says that the code asked for by its next number, if it is that; another thing ends the replay.
  std::optional<Known> take_recorded(Asked asked, std::string_view name);
  [[noreturn]] void abandon(std::string_view type, const std::string& message);
  void hand_out(Signals& signals);
  Hash32 next_hash(std::string_view purpose);

  const WorkflowIdentity identity_;
  detail::Scheduler& scheduler_;
  Time now_{};

  std::vector<Draft> drafts_;
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, Known> recorded_;  // by number, until the code asks for it
  std::uint64_t last_recorded_ = 0;
  std::uint64_t known_ = 0;
  std::unordered_map<std::uint64_t, detail::CellPointer> cells_;  // by number, until they have ended
  std::map<std::string, Signals, std::less<>> signals_;
  std::map<std::string, int, std::less<>> versions_;
  std::uint64_t hashes_ = 0;
  bool is_in_run_ = false;
  bool is_dead_ = false;

  std::vector<Command> fresh_;
  std::optional<std::string> status_;
  std::optional<ContinueWith> continuation_;
  std::optional<std::string> fault_;
};

}  // namespace semel::sdk
