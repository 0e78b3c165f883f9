#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include "domain/execution.hpp"

namespace semel {

/// An execution came to a state; the first is pending. After an attempt that is tried again, it is pending anew.
struct Change {
  std::string tenant{};
  domain::ExecutionId id{};
  domain::State state = domain::State::pending;
  std::string queue{};
  std::string handler{};
  std::string namespace_{};  // of the named task, with the name; empty for ad-hoc tasks
  std::string name{};
  int attempt = 0;              // the number of its newest attempt
  bool is_new = false;          // it was created just now
  bool took_over = false;       // and has the identity of another
  bool is_ready = false;        // it is pending, and a worker may have it at once
  std::optional<Time> timer{};  // when something will happen to it by itself, if nothing does before
  domain::Kind kind = domain::Kind::task;

  auto operator<=>(const Change&) const = default;
};

inline Change change_of(const domain::ExecutionSpec& spec, domain::State state) {
  Change change;
  change.tenant = spec.tenant;
  change.id = spec.id;
  change.kind = spec.kind;
  change.state = state;
  change.queue = spec.queue;
  change.handler = spec.handler;
  if (!spec.named_task) return change;
  change.namespace_ = spec.named_task->namespace_;
  change.name = spec.named_task->name;
  return change;
}

/// When something happens by itself to an execution that nobody works on.
inline std::optional<Time> pending_timer(bool is_ready, Time run_at, std::optional<Time> deadline) {
  if (is_ready) return deadline;
  return deadline ? std::min(run_at, *deadline) : run_at;
}

}  // namespace semel
