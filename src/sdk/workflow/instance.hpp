#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sdk/workflow/replay.hpp"
#include "semel/detail/routine.hpp"
#include "semel/workflow_context.hpp"

namespace semel::sdk {

/// What the code said when it was told of new events.
struct Turn {
  std::vector<Command> commands{};
  std::optional<std::string> status{};
  std::optional<End> end{};
  std::optional<std::string> fault{};  // JSON text: nothing of the above counts
};

/// One workflow in the memory of a worker: its coroutine, suspended where it waits, and what it was told. Destroying it
/// destroys the coroutine and its locals. One thread at a time.
class Instance {
 public:
  /// The function outlives it.
  Instance(WorkflowIdentity identity, const detail::WorkflowFunction& function, std::string input);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Tells the code what has happened since the last time; `last_command` is the last one that the server knows.
  Turn advance(std::span<const Event> events, std::uint64_t last_command);
  /// The events up to this one were written for its own commands: it need not be told of them.
  void skip_to(std::uint64_t sequence) { position_ = std::max(position_, sequence); }

  /// The last event that the code was told of.
  std::uint64_t position() const { return position_; }
  std::uint64_t last_number() const { return replay_.last_number(); }
  std::uint64_t from() const { return replay_.identity().from; }

 private:
  /// False when an event cannot be read.
  bool read(std::span<const Event> events, std::vector<Recorded>& into);
  void tell(const Recorded& recorded, const Event& event);
  void start();
  void run();
  Turn turn();
  std::optional<End> end();

  const detail::WorkflowFunction& function_;
  std::string input_;
  std::uint64_t position_ = 0;
  bool has_started_ = false;
  std::optional<End> refused_;  // the code could not begin
  detail::Scheduler scheduler_;
  Replay replay_;
  WorkflowContext context_;
  std::unique_ptr<detail::Routine> routine_;  // last: its frames use all of the above
};

}  // namespace semel::sdk
