#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "domain/id.hpp"

namespace semel::domain {

/// A task of a run: a step, or one item of a fan-out.
struct TaskRef {
  std::size_t step = 0;
  std::optional<std::size_t> item{};

  auto operator<=>(const TaskRef&) const = default;
};

/// What names a task within its run: "charge", "mail[17]". A step's name has no bracket.
std::string task_key(std::string_view step, std::optional<std::size_t> item);

/// The name of the step whose task has that key.
std::string step_of(std::string_view task_key);

/// Of an item of a fan-out.
std::optional<std::size_t> index_of(std::string_view task_key);

/// The id of a run's task: always the same for one key, so that a decision that is applied twice makes one task. It
/// begins with the time of the run: ids that are near in time lie together in a primary key.
ExecutionId step_execution_id(ExecutionId run, std::string_view task_key);

}  // namespace semel::domain
