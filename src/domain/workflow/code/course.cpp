#include "domain/workflow/code/course.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "domain/workflow/advance.hpp"

namespace semel::domain::code {
namespace {

HistoryKind kind_of_end(State state) {
  switch (state) {
    case State::completed: return HistoryKind::run_completed;
    case State::failed: return HistoryKind::run_failed;
    case State::cancelled: return HistoryKind::run_cancelled;
    default: return HistoryKind::run_timed_out;
  }
}

/// {"result": …} or {"error": …}; nothing of what returned nothing.
std::string end_text(const RunEnd& end) {
  if (!end.result && !end.error) return "";
  json::Writer writer;
  writer.begin_object();
  if (end.result) writer.raw("result", *end.result);
  if (end.error) writer.raw("error", *end.error);
  return writer.end_object().take();
}

bool is_too_long(const Facts& facts) {
  const std::int64_t events = facts.history_length - facts.first_event + 1;
  return events > limits::history_events_max || facts.history_bytes > limits::history_bytes_max;
}

RunEnd history_too_long() {
  return {State::failed, std::nullopt,
          error_text("HISTORY_TOO_LONG",
                     fmt::format("the history has more than {} events or {} bytes; continue as new before that",
                                 limits::history_events_max, limits::history_bytes_max))};
}

}  // namespace

std::int64_t add_event(Facts& facts, const HistoryEvent& event) {
  facts.history_bytes += static_cast<std::int64_t>(event.task_key.size() + event.detail.size());
  return ++facts.history_length;
}

void Course::note(HistoryKind kind, std::string task_key, std::string detail) {
  decision.events.push_back({kind, std::move(task_key), std::move(detail)});
  add_event(facts_, decision.events.back());
}

void Course::wake() {
  if (facts_.phase != RunPhase::open || workflow_.state != State::suspended) return;
  workflow_.state = State::pending;
  decision.next = Next::is_ready;
}

void Course::wait() {
  workflow_.state = State::suspended;
  decision.next = Next::waits;
}

void Course::drop_below() {
  decision.stop_all = true;
  decision.cancel_all = decision.cancel_all || facts_.open_children > 0;
}

void Course::end(RunEnd end) {
  drop_below();
  workflow_.state = end.state;
  facts_.phase = RunPhase::closed;
  note(kind_of_end(end.state), "", end_text(end));
  decision.next = Next::as_it_is;
  decision.end = std::move(end);
}

RunEnd Course::end_of_cancelled() const {
  if (facts_.phase != RunPhase::out_of_time) return {State::cancelled, std::nullopt, std::nullopt};
  return {State::timed_out, std::nullopt, error_text("TIMED_OUT", "the deadline passed before the workflow had ended")};
}

void Course::end_if_nothing_is_left() {
  const bool is_being_cancelled = facts_.phase == RunPhase::cancelling || facts_.phase == RunPhase::out_of_time;
  if (is_being_cancelled && workflow_.state != State::running && facts_.open_children == 0) end(end_of_cancelled());
}

/// While it is being activated nobody takes it away from its worker: the answer finds out.
Decision Course::settle() {
  const bool may_end = facts_.phase == RunPhase::open && workflow_.state != State::running;
  if (may_end && is_too_long(facts_)) end(history_too_long());
  return std::move(decision);
}

std::optional<std::int64_t> command_recorded_by(const HistoryEvent& event) {
  switch (event.kind) {
    case HistoryKind::task_scheduled:
    case HistoryKind::timer_started:
    case HistoryKind::timer_cancelled:
    case HistoryKind::child_started:
    case HistoryKind::promise_created:
    case HistoryKind::marker:
    case HistoryKind::task_cancel_requested: break;
    default: return std::nullopt;
  }
  constexpr std::string_view beginning = R"({"command":)";  // command_text()
  std::int64_t command = 0;
  const char* const end = event.detail.data() + event.detail.size();
  if (!event.detail.starts_with(beginning)) return std::nullopt;
  const auto [read, error] = std::from_chars(event.detail.data() + beginning.size(), end, command);
  return error == std::errc{} ? std::optional(command) : std::nullopt;
}

json::Writer command_text(std::int64_t command) {
  json::Writer writer;
  writer.begin_object().integer("command", command);
  return writer;
}

std::string closing_text(std::int64_t command, const TaskOutcome& outcome) {
  json::Writer writer = command_text(command);
  if (outcome.result) writer.raw("result", *outcome.result);
  if (outcome.error) writer.raw("error", *outcome.error);
  return writer.end_object().take();
}

}  // namespace semel::domain::code
