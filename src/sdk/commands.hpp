#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semel/detail/task_settings.hpp"
#include "semel/step_options.hpp"

/// What the code of a workflow says. Commands are numbered by the code, from 1 and without gaps, in the order in which
/// it issues them; the number is a command's identity, so one that is sent again is never done twice.
namespace semel::sdk {

struct ScheduleTask {
  std::string handler{};
  std::string context{};  // JSON text
  detail::TaskSettings settings{};
  std::optional<std::string> key{};
  std::optional<Duration> key_ttl{};
  OnKeyConflict key_conflict = OnKeyConflict::attach;
};

struct StartTimer {
  std::optional<Time> fire_at{};
  std::optional<Duration> after{};  // one of the two
};

struct StartChild {
  std::string kind{};
  std::string input{};  // JSON text
  std::optional<std::string> workflow_id{};
  std::string queue{};
  OnKeyConflict key_conflict = OnKeyConflict::fail;
  bool abandon = false;
  std::optional<Duration> deadline_after{};
  std::optional<Duration> key_ttl{};  // of the workflow_id
};

struct MakePromise {
  std::optional<std::string> key{};
  std::optional<Duration> key_ttl{};
  std::optional<Duration> timeout{};
  OnKeyConflict key_conflict = OnKeyConflict::fail;
};

/// A marker: what the code will want to know when it is replayed.
struct Record {
  std::string name{};
  std::string value{};  // JSON text
};

struct CancelWhat {
  std::uint64_t target = 0;  // the number of a timer, a task, a promise or a child
};

using Order = std::variant<ScheduleTask, StartTimer, StartChild, MakePromise, Record, CancelWhat>;

struct Command {
  std::uint64_t number = 0;
  Order order{};
};

// How the code ends, if it does.
struct EndWith {
  std::optional<std::string> result{};  // JSON text; absent = nothing
};
struct FailWith {
  std::string error{};  // JSON text
};
struct UnreadSignal {
  std::string name{};
  std::string value{};  // JSON text
};
struct ContinueWith {
  std::string input{};                  // JSON text
  std::vector<UnreadSignal> signals{};  // that nobody has asked for: the next run of the code gets them first
};
using End = std::variant<EndWith, FailWith, ContinueWith>;

}  // namespace semel::sdk
