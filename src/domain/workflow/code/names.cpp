#include "domain/workflow/code/names.hpp"

#include <charconv>

#include "domain/workflow/step_id.hpp"

namespace semel::domain::code {

std::string handler_of_workflow(std::string_view kind) { return std::string(workflow_prefix).append(kind); }

std::string_view kind_of_workflow(std::string_view handler) {
  return is_workflow_handler(handler) ? handler.substr(workflow_prefix.size()) : handler;
}

std::string child_key(std::string_view what, std::int64_t command) {
  return std::string(what).append("#").append(std::to_string(command));
}

std::optional<std::int64_t> command_of(std::string_view task_key) {
  const std::size_t mark = task_key.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  std::int64_t command = 0;
  const char* const end = task_key.data() + task_key.size();
  const auto [read, error] = std::from_chars(task_key.data() + mark + 1, end, command);
  return error == std::errc{} && read == end ? std::optional(command) : std::nullopt;
}

ExecutionId child_id(ExecutionId workflow, std::int64_t command) {
  return step_execution_id(workflow, child_key("", command));
}

}  // namespace semel::domain::code
