#include <algorithm>

#include "domain/workflow/code/course.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::domain::code {
namespace {

/// What each kind of command leaves in the history.
bool is_record_of(HistoryKind kind, const Command& command) {
  constexpr HistoryKind of_cancel = HistoryKind::task_cancel_requested;
  constexpr HistoryKind kinds[] = {HistoryKind::task_scheduled,  HistoryKind::timer_started, HistoryKind::child_started,
                                   HistoryKind::promise_created, HistoryKind::marker,        of_cancel};
  const bool cancelled_a_timer = kind == HistoryKind::timer_cancelled;
  return kinds[command.what.index()] == (cancelled_a_timer ? of_cancel : kind);
}

/// What the code gives to what a command makes; null where it gives nothing.
const std::string* input_of(const Command& command) {
  if (const auto* task = std::get_if<ScheduleTask>(&command.what)) return &task->context;
  if (const auto* child = std::get_if<StartChild>(&command.what)) return &child->input;
  return nullptr;
}

/// Whether a command that is sent again says what was recorded. When a timer fires may have been said as a time from
/// the commit on: what that was is not known any more.
bool says_the_same(const HistoryEvent& recorded, const Command& command, const Workflow& workflow,
                   const WorkflowData& data) {
  if (!is_record_of(recorded.kind, command)) return false;
  const auto* const timer = std::get_if<StartTimer>(&command.what);
  if (timer != nullptr && !timer->fire_at) return true;
  if (recorded.detail != record_text(workflow, command, Time{})) return false;
  const std::string* const input = input_of(command);
  if (input == nullptr) return true;
  const std::optional<std::string> was = data.input_of(child_id(workflow.spec.id, command.number));
  return !was || *was == *input;
}

std::size_t bytes_of(const Command& command) {
  if (const auto* task = std::get_if<ScheduleTask>(&command.what)) return task->context.size();
  if (const auto* child = std::get_if<StartChild>(&command.what)) return child->input.size();
  if (const auto* marker = std::get_if<RecordMarker>(&command.what)) return marker->value.size();
  return 0;
}

bool makes_a_child(const Command& command) {
  return std::holds_alternative<ScheduleTask>(command.what) || std::holds_alternative<StartChild>(command.what) ||
         std::holds_alternative<CreatePromise>(command.what);
}

std::size_t bytes_of(const Conclusion& conclusion) {
  if (const auto* complete = std::get_if<Complete>(&conclusion)) return complete->result.value_or("").size();
  if (const auto* fail = std::get_if<Fail>(&conclusion)) return fail->error.size();
  std::size_t most = std::get<ContinueAsNew>(conclusion).input.size();
  for (const Signal& signal : std::get<ContinueAsNew>(conclusion).signals) most = std::max(most, signal.value.size());
  return most;
}

Result<void> check_sizes(const Facts& facts, const Answer& answer) {
  std::size_t most = answer.status.value_or("").size();
  std::int64_t children = facts.open_children;
  for (const Command& command : answer.commands) {
    most = std::max(most, bytes_of(command));
    if (command.number > facts.last_command && makes_a_child(command)) children += 1;
  }
  if (answer.conclusion) most = std::max(most, bytes_of(*answer.conclusion));
  if (most > limits::workflow_value_bytes_max)
    return refuse(ErrorCode::payload_too_large, "a value of {} bytes; at most {} are allowed", most,
                  limits::workflow_value_bytes_max);
  if (answer.commands.size() > limits::activation_commands_max)
    return bad_request("{} commands at once; at most {} are allowed", answer.commands.size(),
                       limits::activation_commands_max);
  if (children > limits::open_children_max)
    return bad_request("{} tasks, promises and workflows would be open at once; at most {} are allowed", children,
                       limits::open_children_max);
  return {};
}

}  // namespace

Result<void> check_answer(const Workflow& workflow, const WorkflowData& data, const Answer& answer) {
  const Facts& facts = workflow.facts;
  if (answer.seen < facts.seen || answer.seen > facts.history_length)
    return refuse(ErrorCode::failed_precondition, "the activation was not given the history up to event {}",
                  answer.seen);
  std::int64_t expected = answer.commands.empty() ? 0 : answer.commands.front().number;
  if (expected > facts.last_command + 1 || expected < 0)
    return refuse(ErrorCode::failed_precondition, "command {} came after command {}", expected, facts.last_command);
  for (const Command& command : answer.commands) {
    if (command.number != expected++)
      return refuse(ErrorCode::failed_precondition, "commands are numbered without gaps, and {} does not follow",
                    command.number);
    if (command.number > facts.last_command) continue;
    if (command.number < facts.first_command)
      return refuse(ErrorCode::failed_precondition, "command {} is of an earlier generation", command.number);
    const std::optional<HistoryEvent> recorded = data.recorded(command.number);
    if (!recorded || !says_the_same(*recorded, command, workflow, data))
      return refuse(ErrorCode::failed_precondition, "command {} was recorded as {} {}, and is another one now",
                    command.number, recorded ? name_of(recorded->kind) : "nothing", recorded ? recorded->detail : "");
  }
  return check_sizes(facts, answer);
}

}  // namespace semel::domain::code
