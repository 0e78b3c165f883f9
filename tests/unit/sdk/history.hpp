#pragma once
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "sdk/workflow/instance.hpp"
#include "semel/semel.hpp"

namespace semel::sdk {

using namespace std::chrono_literals;

/// Histories written by hand, as the server writes them.
class History {
 public:
  History() { add("run_started", "", ""); }

  History& scheduled(int number, const std::string& handler) {
    return add("task_scheduled", fmt::format("{}#{}", handler, number),
               fmt::format(R"({{"command":{},"handler":"{}"}})", number, handler));
  }
  History& completed(int number, const std::string& result) {
    return add("task_completed", "", fmt::format(R"({{"command":{},"result":{}}})", number, result));
  }
  History& failed(int number, const std::string& type) {
    return add("task_failed", "",
               fmt::format(R"({{"command":{},"error":{{"type":"{}","message":"no"}}}})", number, type));
  }
  History& timer(int number) { return add("timer_started", "", fmt::format(R"({{"command":{}}})", number)); }
  History& fired(int number) { return add("timer_fired", "", fmt::format(R"({{"command":{}}})", number)); }
  History& signal(const std::string& name, const std::string& value) {
    return add("signal_received", "", fmt::format(R"({{"name":"{}","value":{}}})", name, value));
  }
  History& marker(int number, const std::string& name, const std::string& value) {
    return add("marker", "", fmt::format(R"({{"command":{},"name":"{}","value":{}}})", number, name, value));
  }
  History& add(std::string kind, std::string task_key, std::string detail) {
    const auto sequence = events_.size() + 1;
    const Time at = Time(1'700'000'000s) + sequence * 1s;
    events_.push_back({sequence, at, std::move(kind), std::move(task_key), std::move(detail)});
    return *this;
  }

  const std::vector<Event>& events() const { return events_; }
  std::vector<Event> from(std::size_t sequence) const {
    return {events_.begin() + static_cast<std::ptrdiff_t>(sequence) - 1, events_.end()};
  }

 private:
  std::vector<Event> events_;
};

/// A workflow in memory, which is told of events.
struct Told {
  template <typename F>
  explicit Told(F function, std::string input = "{}")
      : code(detail::make_workflow(std::move(function))),
        instance({"018f0000-0000-7000-8000-000000000001", "order-1", "order", 1}, code, std::move(input)) {}

  Turn advance(const std::vector<Event>& events, std::uint64_t last_command = 0) {
    return instance.advance(events, last_command);
  }
  Turn advance(const History& history) { return instance.advance(history.events(), 0); }

  detail::WorkflowFunction code;
  Instance instance;
};

/// "task charge", "timer", "marker a": what a command asks for.
inline std::string text_of(const Command& command) {
  struct Visitor {
    std::string operator()(const ScheduleTask& task) const { return "task " + task.handler; }
    std::string operator()(const StartTimer&) const { return "timer"; }
    std::string operator()(const StartChild& child) const { return "child " + child.kind; }
    std::string operator()(const MakePromise& promise) const { return "promise " + promise.key.value_or("-"); }
    std::string operator()(const Record& record) const { return "marker " + record.name; }
    std::string operator()(const CancelWhat& cancel) const { return "cancel " + std::to_string(cancel.target); }
  };
  return fmt::format("{} {}", command.number, std::visit(Visitor{}, command.order));
}

inline std::vector<std::string> texts_of(const Turn& turn) {
  std::vector<std::string> texts;
  for (const Command& command : turn.commands) texts.push_back(text_of(command));
  return texts;
}

/// "completed {…}", "failed {…}", "continued {…}", or "waits".
inline std::string end_of(const Turn& turn) {
  if (turn.fault) return "fault " + *turn.fault;
  if (!turn.end) return "waits";
  if (const auto* done = std::get_if<EndWith>(&*turn.end)) return "completed " + done->result.value_or("-");
  if (const auto* failed = std::get_if<FailWith>(&*turn.end)) return "failed " + failed->error;
  return "continued " + std::get<ContinueWith>(*turn.end).input;
}

}  // namespace semel::sdk
