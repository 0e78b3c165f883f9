#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/id.hpp"

/// How workflows that are written as code (ADR 0018), and what they make, are named.
namespace semel::domain::code {

/// Stands before the kind of a workflow in the name of its handler. Names have no colon: it never meets that of a task.
inline constexpr std::string_view workflow_prefix = "workflow:";
inline constexpr std::string_view promise_handler = "promise:";

/// "workflow:process_order"
std::string handler_of_workflow(std::string_view kind);
constexpr bool is_workflow_handler(std::string_view handler) { return handler.starts_with(workflow_prefix); }
/// "process_order" of "workflow:process_order".
std::string_view kind_of_workflow(std::string_view handler);

/// What names in its workflow what a command has made: "charge#7", "promise#8", "workflow:pack#9". A step of a template
/// has no such name.
std::string child_key(std::string_view what, std::int64_t command);
/// The command of such a name; nothing for a step of a template.
std::optional<std::int64_t> command_of(std::string_view task_key);

/// The id of what a command has made. It stands on the number alone, so that whoever knows the number finds it, and no
/// other command can ever make it.
ExecutionId child_id(ExecutionId workflow, std::int64_t command);

}  // namespace semel::domain::code
