#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/execution.hpp"
#include "domain/retry.hpp"

/// What the code of a workflow says. Values are JSON texts.
namespace semel::domain::code {

/// What becomes of something whose key another execution holds (DESIGN §3.6).
enum class KeyConflict : std::uint8_t {
  attach,           // it waits for that one, and comes to the same
  fail,             // it fails
  warn_and_create,  // it is made without the key, and the history says so
};

struct ScheduleTask {
  std::string handler{};
  std::optional<std::string> queue{};  // absent: the workflow's
  std::string context = "{}";
  std::optional<std::string> key{};
  std::optional<Duration> ttl{};  // of the key
  KeyConflict on_conflict = KeyConflict::attach;
  std::optional<int> priority{};         // absent: the workflow's
  std::optional<Duration> head_start{};  // absent: the workflow's
  RetrySettings retry{};
  std::optional<Duration> timeout{};
  Duration delay{0};
  std::optional<Duration> deadline_after{};  // from the time of the commit
  std::optional<std::string> concurrency_key{};
  Labels labels{};
};

struct StartTimer {
  std::optional<Time> fire_at{};
  Duration after{0};  // from the time of the commit, when there is no fire_at
};

struct StartChild {
  std::string kind{};
  std::optional<std::string> workflow_id{};  // absent: "{parent execution}/{number}"
  std::string input = "{}";
  std::optional<std::string> queue{};           // absent: the parent's
  KeyConflict on_conflict = KeyConflict::fail;  // never attach: two could wait for each other
  bool abandon = false;                         // it goes on when its parent ends
  std::optional<Duration> deadline_after{};     // from the time of the commit
  Labels labels{};
  std::optional<Duration> ttl{};  // of its workflow_id
};

struct CreatePromise {
  std::optional<std::string> key{};
  std::optional<Duration> ttl{};  // of the key
  KeyConflict on_conflict = KeyConflict::fail;
  std::optional<Duration> timeout{};
};

/// Something that the code found out by itself, and has to find again when it is replayed.
struct RecordMarker {
  std::string name{};
  std::string value = "null";
};

/// Cancels what an earlier command has begun. What has ended by now stays as it is.
struct CancelEarlier {
  std::int64_t target = 0;
};

/// The number is the command's identity: counted by the code from 1, without gaps.
struct Command {
  std::int64_t number = 0;
  std::variant<ScheduleTask, StartTimer, StartChild, CreatePromise, RecordMarker, CancelEarlier> what{};
};

struct Signal {
  std::string name{};
  std::string value = "null";
};

// How the code of a workflow ends.
struct Complete {
  std::optional<std::string> result{};  // absent: nothing was returned
};
struct Fail {
  std::string error{};  // {"type", "message", …}
};
/// The same execution begins again, with another input and an empty history.
struct ContinueAsNew {
  std::string input = "{}";
  std::vector<Signal> signals{};  // that were seen and that nobody has taken; those that were not seen follow anyway
};
using Conclusion = std::variant<Complete, Fail, ContinueAsNew>;

/// What one activation came to.
struct Answer {
  std::int64_t seen = 0;  // the last event that it was given
  std::vector<Command> commands{};
  std::optional<std::string> status{};  // for people, instead of what was said before
  std::optional<Conclusion> conclusion{};
};

}  // namespace semel::domain::code
