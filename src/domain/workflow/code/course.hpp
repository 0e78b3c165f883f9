#pragma once
#include <string>
#include <string_view>

#include "base/json/writer.hpp"
#include "domain/workflow/code/workflow.hpp"

namespace semel::domain::code {

/// One decision under way; private to this folder. It changes the workflow, and collects what is to be done.
class Course {
 public:
  explicit Course(Workflow& workflow) : workflow_(workflow), facts_(workflow.facts) {}

  void note(HistoryKind kind, std::string task_key = "", std::string detail = "");

  /// Something has happened that the code has to see. It sees it later where it is being activated, or soon will be.
  void wake();
  /// Nobody works on it, and nothing is to be seen.
  void wait();
  /// Timers go, and what is open below is cancelled or cut loose.
  void drop_below();
  void end(RunEnd end);
  /// One that is being cancelled ends with the last thing below, and with its activation.
  void end_if_nothing_is_left();
  /// How one ends that is being cancelled.
  RunEnd end_of_cancelled() const;

  /// Ends a workflow whose history has become too long.
  Decision settle();

  Decision decision{};

 private:
  Workflow& workflow_;
  Facts& facts_;
};

/// {"command": 7, …}: what follows is added to the writer.
json::Writer command_text(std::int64_t command);

/// Appends what a child came to: {"command", "result" | "error"}.
std::string closing_text(std::int64_t command, const TaskOutcome& outcome);

/// The key of what a command makes; nothing where it has none.
std::optional<std::string> key_of(const Workflow& workflow, const Command& command);
/// What the history keeps of a command. Of all of it only the time of a timer depends on when it is carried out.
std::string record_text(const Workflow& workflow, const Command& command, Time now);
/// When the timer fires.
Time fire_time(const StartTimer& timer, Time now);

/// Carries out one command of an activation: notes it, and adds what it asks for. Refused where it cannot be meant.
Result<void> carry_out_command(Course& course, const Workflow& workflow, const WorkflowData& data,
                               const Command& command, Time now);

/// Refuses an answer that cannot be that of the workflow.
Result<void> check_answer(const Workflow& workflow, const WorkflowData& data, const Answer& answer);

// What commands make.
Result<NewChild> child_of(const Workflow& workflow, const WorkflowData& data, std::int64_t number,
                          const ScheduleTask& task, Time now);
Result<NewChild> child_of(const Workflow& workflow, const WorkflowData& data, std::int64_t number,
                          const StartChild& child, Time now);
Result<NewChild> child_of(const Workflow& workflow, const WorkflowData& data, std::int64_t number,
                          const CreatePromise& promise, Time now);

}  // namespace semel::domain::code
