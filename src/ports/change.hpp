#pragma once
#include <string>

#include "domain/execution.hpp"

namespace semel {

/// An execution came to a state; the first is pending.
struct Change {
  std::string tenant{};
  domain::ExecutionId id{};
  domain::State state = domain::State::pending;
  std::string queue{};
  std::string handler{};
  std::string namespace_{};  // of the named task, with the name; empty for ad-hoc tasks
  std::string name{};
  bool took_over = false;  // it was created with the identity of another

  auto operator<=>(const Change&) const = default;
};

inline Change change_of(const domain::ExecutionSpec& spec, domain::State state) {
  Change change{spec.tenant, spec.id, state, spec.queue, spec.handler, {}, {}, false};
  if (spec.named_task) {
    change.namespace_ = spec.named_task->namespace_;
    change.name = spec.named_task->name;
  }
  return change;
}

}  // namespace semel
