#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/client/query.hpp"

namespace CLI {
class App;
}

namespace semel::cli {

/// Which tasks, as a command line says it.
struct TaskFilter {
  std::optional<std::string> namespace_{}, name{}, queue{}, handler{}, created_after{}, created_before{}, parent{},
      kind{}, context_path{}, context_text{};
  std::vector<std::string> states{}, labels{};
};

std::shared_ptr<TaskFilter> add_task_filter(CLI::App& command);
/// What can be said of all executions alike.
void add_execution_filter(CLI::App& command, TaskFilter& filter);

/// As the server takes it.
Result<Query> query_of(const TaskFilter& filter, Time now);

}  // namespace semel::cli
