#include "domain/workflow/advance.hpp"

#include <algorithm>
#include <utility>

#include "base/json/canonical.hpp"
#include "base/json/pointer.hpp"
#include "base/json/writer.hpp"

namespace semel::domain {

void Advance::note(HistoryKind kind, std::size_t step, std::string detail) {
  decision.events.push_back({kind, graph_.step(step).name, std::move(detail)});
}

void Advance::note(HistoryKind kind, TaskRef task) {
  decision.events.push_back({kind, task_key(graph_.step(task.step).name, task.item), ""});
}

void Advance::note_run(HistoryKind kind, std::string detail) {
  decision.events.push_back({kind, "", std::move(detail)});
}

void Advance::close(std::size_t step, StepState state) {
  facts_of(step).state = state;
  closed_.push_back(step);
}

void Advance::close_unfit(std::size_t step, std::string_view type, std::string_view message) {
  std::string error = error_text(type, message);
  note(HistoryKind::step_unfit, step, error);
  decision.outcomes.push_back({step, std::nullopt, std::move(error)});
  close(step, StepState::unfit);
}

Decision Advance::settle() {
  while (!closed_.empty()) {
    const std::size_t step = closed_.back();
    closed_.pop_back();
    for (const std::size_t downstream : graph_.downstreams(step)) judge(downstream);
  }
  end_if_all_is_closed();
  return std::move(decision);
}

/// It was canonicalised when it was submitted, so that it can be.
const std::string& Advance::canonical_context() {
  if (!canonical_context_) canonical_context_ = json::canonicalize(data_.context()).value();
  return *canonical_context_;
}

std::optional<std::string> Advance::result_of(std::size_t step) const {
  for (const StepOutcome& outcome : decision.outcomes) {
    if (outcome.step == step) return outcome.result;
  }
  return data_.result_of(step);
}

Result<std::optional<std::string>> Advance::look_up(const Source& source) {
  const auto find_in = [&](const std::string& text) -> std::optional<std::string> {
    const std::optional<std::string_view> found = json::find(text, source.path);
    if (!found) return std::nullopt;
    return std::string(*found);
  };
  if (source.step.empty()) return find_in(canonical_context());
  const std::size_t step = graph_.find(source.step).value();
  if (!has_succeeded(facts_of(step).state)) return std::nullopt;
  const std::optional<std::string> result = result_of(step);
  if (!result) return std::nullopt;
  const Result<std::string> canonical = json::canonicalize(*result);  // joined results may be nested too deeply
  if (!canonical) return bad_request("the result of step '{}': {}", source.step, canonical.error().message);
  return find_in(*canonical);
}

std::string error_text(std::string_view type, std::string_view message) {
  return json::Writer().begin_object().string("type", type).string("message", message).end_object().take();
}

std::string by_hand_text(const ByHand& by) {
  json::Writer writer;
  writer.begin_object();
  if (!by.by.empty()) writer.string("by", by.by);
  if (!by.why.empty()) writer.string("why", by.why);
  return writer.end_object().take();
}

}  // namespace semel::domain
