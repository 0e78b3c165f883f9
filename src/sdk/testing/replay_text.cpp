#include <span>

#include "sdk/testing/stored_history.hpp"

namespace semel::testkit {
namespace {

/// The input of the run of the code that such an event begins.
std::optional<std::string> input_in(const sdk::Event& first) {
  std::optional<std::string> input;
  if (first.detail.empty()) return input;
  json::Reader reader(first.detail);
  static_cast<void>(read_object(reader, [&](const std::string& key) -> Result<void> {
    const Result<std::string_view> raw = reader.read_raw();
    if (!raw) return pass_on(raw.error());
    if (key == "input") input.emplace(*raw);
    return {};
  }));
  return input;
}

std::string how_code_ends(const sdk::Turn& turn) {
  if (!turn.end) return "waits";
  if (std::holds_alternative<sdk::EndWith>(*turn.end)) return "completes";
  return std::holds_alternative<sdk::FailWith>(*turn.end) ? "fails" : "continues as new";
}

/// What does not fit in one run of the code, whose history is followed by `next`, if by anything.
std::string problem_of(const detail::WorkflowFunction& workflow, const StoredHistory& history,
                       std::span<const sdk::Event> events, const sdk::Event* next) {
  sdk::WorkflowIdentity identity = history.identity;
  identity.from = events.front().sequence;
  const std::string input = input_in(events.front()).value_or(history.input);
  sdk::Instance instance(identity, workflow, input);
  const sdk::Turn turn = instance.advance(events, 0);
  if (turn.fault) return *turn.fault;
  const std::string found = how_code_ends(turn);
  const std::string& last = next ? next->kind : events.back().kind;
  const std::string expected = last == "run_completed" ? "completes"
                               : last == "run_failed"  ? "fails"
                               : last == "continued"   ? "continues as new"
                                                       : found;
  if (found == expected) return {};
  return fmt::format("the history ends with {}, the code {}", last, found);
}

}  // namespace

ReplayReport replay(const detail::WorkflowFunction& workflow, const StoredHistory& history) {
  const std::span<const sdk::Event> events = history.events;
  std::size_t begin = 0;
  while (begin < events.size()) {
    std::size_t end = begin + 1;
    while (end < events.size() && events[end].kind != "continued") ++end;
    const sdk::Event* next = end < events.size() ? &events[end] : nullptr;
    std::string problem = problem_of(workflow, history, events.subspan(begin, end - begin), next);
    if (!problem.empty()) return ReplayReport(std::move(problem));
    begin = end;
  }
  return ReplayReport("");
}

ReplayReport replay_text(const detail::WorkflowFunction& workflow, std::string_view text) {
  const Result<StoredHistory> history = read_history(text);
  if (!history) return ReplayReport("the history cannot be read: " + history.error().message);
  return replay(workflow, *history);
}

}  // namespace semel::testkit
