#pragma once
#include <map>
#include <string>
#include <vector>

#include "domain/workflow/code/names.hpp"
#include "domain/workflow/code/workflow.hpp"

namespace semel::domain::code {

inline constexpr Time test_now = Time{1'700'000'000s};

/// What a decision may ask for, as a test says it.
class TestData final : public WorkflowData {
 public:
  QueueSettings settings(const std::string&) const override { return {}; }
  bool has_timer(std::int64_t command) const override { return timer == command; }
  std::int64_t abandoned_children() const override { return abandoned; }
  std::optional<HistoryEvent> recorded(std::int64_t command) const override {
    const auto found = records.find(command);
    return found == records.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::string> input_of(ExecutionId) const override { return input; }
  std::vector<std::string> signals_after(std::int64_t) const override { return signals; }

  std::int64_t timer = 0;
  std::int64_t abandoned = 0;
  std::map<std::int64_t, HistoryEvent> records{};
  std::optional<std::string> input{};
  std::vector<std::string> signals{};
};

/// A workflow that has begun.
inline Workflow begun_workflow(State state = State::suspended) {
  Workflow workflow;
  workflow.spec.tenant = "acme";
  workflow.spec.id = ExecutionId{{{1, 2, 3, 4, 5, 6, 0x70, 8, 0x80}}};
  workflow.spec.kind = Kind::workflow;
  workflow.spec.handler = "workflow:order";
  workflow.spec.queue = "default";
  workflow.spec.context = "{}";
  start_workflow(workflow, test_now, test_now);
  workflow.state = state;
  return workflow;
}

/// The answer of an activation that has seen all.
inline Answer answer_of(const Workflow& workflow, std::vector<decltype(Command::what)> commands = {}) {
  Answer answer;
  answer.seen = workflow.facts.history_length;
  std::int64_t number = workflow.facts.last_command;
  for (auto& what : commands) answer.commands.push_back({++number, std::move(what)});
  return answer;
}

/// "task_scheduled, timer_started"
inline std::string names_of(const Decision& decision) {
  std::string text;
  for (const HistoryEvent& event : decision.events) {
    if (!text.empty()) text += ", ";
    text += name_of(event.kind);
  }
  return text;
}

}  // namespace semel::domain::code
