#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "domain/window.hpp"
#include "sdk/backend.hpp"

namespace semel::sdk {

// As servers have them.
inline constexpr std::string_view promise_handler = "promise:";
inline constexpr const char* promise_context = "{}";

/// What a key stands for, and for how long.
struct MemoryIdentity {
  Hash32 fingerprint{};
  domain::Window window{};
};

/// A task, a workflow or a promise in the memory of a test.
struct MemoryExecution {
  enum class Kind : std::uint8_t { task, workflow, promise };

  std::string id{};
  Kind kind = Kind::task;
  std::string handler{};  // "workflow:<kind>" of a workflow
  std::string key{};
  MemoryIdentity identity{};  // of the key
  std::string context{};
  detail::TaskSettings settings{};
  Status status = Status::pending;
  detail::Closing closing{};
  std::uint64_t made = 0;  // their order
  Time created_at{};
  std::optional<Time> closed_at{};

  // Of a task or an activation.
  Time run_at{};
  int attempts = 0;
  int failed_activations = 0;
  std::string attempt_id{};
  Time lease_until{};
  bool is_cancel_requested = false;

  // Of what a workflow has made.
  std::string run{};
  std::uint64_t command = 0;
  bool is_abandoned = false;
  std::string attached_to{};  // the execution whose result is its own

  std::optional<Time> deadline{};

  // Of a workflow.
  std::vector<Event> history{};
  std::uint64_t from = 1;
  std::uint64_t seen = 0;
  std::uint64_t last_command = 0;
  std::map<std::uint64_t, Time> timers{};
  std::optional<std::string> status_text{};
  std::set<std::string> signal_keys{};

  struct Waiter {
    Time until{};
    std::function<void(Reply<State>)> then{};
  };
  std::vector<Waiter> waiters{};
};

}  // namespace semel::sdk
