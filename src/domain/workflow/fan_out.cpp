#include <fmt/format.h>

#include <algorithm>

#include "base/json/reader.hpp"
#include "base/json/writer.hpp"
#include "domain/workflow/advance.hpp"

namespace semel::domain {
namespace {

std::size_t parallel_max(const Step& step) {
  const auto& limit = step.for_each->max_parallel;
  return limit ? static_cast<std::size_t>(*limit) : limits::fan_out_max;
}

/// The elements of a canonical array.
std::vector<std::string> elements_of(const std::string& array) {
  std::vector<std::string> elements;
  json::Reader reader(array);
  static_cast<void>(reader.begin_array());
  while (reader.next_element().value()) elements.emplace_back(reader.read_raw().value());
  return elements;
}

bool is_array(const std::optional<std::string>& text) { return text && text->starts_with('['); }

/// [result, …]; what returned nothing is null.
std::string results_of_all(const std::vector<TaskOutcome>& items) {
  json::Writer writer;
  writer.begin_array();
  for (const TaskOutcome& item : items) writer.raw(item.result.value_or("null"));
  return writer.end_array().take();
}

/// [{"status", "result" | "error"}, …]
std::string outcomes_of_all(const std::vector<TaskOutcome>& items) {
  json::Writer writer;
  writer.begin_array();
  for (const TaskOutcome& item : items) {
    writer.begin_object().string("status", name_of(item.state));
    if (item.state == State::completed) writer.raw("result", item.result.value_or("null"));
    else if (item.error) writer.raw("error", *item.error);
    writer.end_object();
  }
  return writer.end_array().take();
}

std::string items_failed(const std::vector<ItemState>& items) {
  const auto is_failure = [](ItemState item) { return item != ItemState::completed; };
  const auto first = std::find_if(items.begin(), items.end(), is_failure);
  return fmt::format("{} of {} items did not complete; the first is [{}]",
                     std::count_if(items.begin(), items.end(), is_failure), items.size(), first - items.begin());
}

}  // namespace

/// Nothing when the step is unfit; then it is closed.
std::optional<std::vector<StepTask>> Advance::tasks_of_items(std::size_t step) {
  const Step& described = graph_.step(step);
  const Result<std::optional<std::string>> array = look_up(described.for_each->over);
  if (!array || !is_array(*array)) {
    close_unfit(step, "FOR_EACH_UNFIT",
                array ? fmt::format("for_each found no array at '{}'", described.for_each->over.path.text())
                      : array.error().message);
    return std::nullopt;
  }
  std::vector<std::string> items = elements_of(**array);
  if (items.size() > limits::fan_out_max) {
    close_unfit(step, "FOR_EACH_UNFIT",
                fmt::format("for_each found {} items; at most {} are allowed", items.size(), limits::fan_out_max));
    return std::nullopt;
  }
  std::vector<StepTask> tasks;
  for (std::size_t i = 0; i < items.size(); ++i) {
    StepTask task{TaskRef{step, i}, std::nullopt, std::move(items[i]), i >= parallel_max(described)};
    if (const auto& key = described.idempotency_key) {
      Result<std::string> filled_in = key->fill_in({canonical_context(), *task.item, i});
      if (!filled_in) {
        close_unfit(step, "KEY_UNFIT", fmt::format("item [{}]: {}", i, filled_in.error().message));
        return std::nullopt;
      }
      task.key = *std::move(filled_in);
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

void Advance::expand(std::size_t step) {
  auto tasks = tasks_of_items(step);
  if (!tasks) return;
  StepFacts& facts = facts_of(step);
  note(HistoryKind::fan_out_started, step, fmt::format(R"({{"items":{}}})", tasks->size()));
  if (tasks->empty()) return join(step);
  facts.state = StepState::scheduled;
  facts.made = true;
  for (StepTask& task : *tasks) {
    facts.items.push_back(task.held ? ItemState::held : ItemState::scheduled);
    decision.make.push_back(std::move(task));
  }
}

/// The items stay as they were when it was first expanded; those that did not complete are tried again.
void Advance::expand_again(std::size_t step) {
  StepFacts& facts = facts_of(step);
  facts.state = StepState::scheduled;
  for (ItemState& item : facts.items) {
    if (!is_open(item) && item != ItemState::completed) item = ItemState::held_again;
  }
  go_on_with_items(step);
}

void Advance::go_on_with_items(std::size_t step) {
  std::vector<ItemState>& items = facts_of(step).items;
  if (facts_.phase == RunPhase::open) {
    auto running = static_cast<std::size_t>(std::count(items.begin(), items.end(), ItemState::scheduled));
    const std::size_t limit = parallel_max(graph_.step(step));
    for (std::size_t i = 0; i < items.size() && running < limit; ++i) {
      if (items[i] != ItemState::held && items[i] != ItemState::held_again) continue;
      auto& due = items[i] == ItemState::held ? decision.release : decision.reopen;
      due.push_back({step, i});
      items[i] = ItemState::scheduled;
      ++running;
    }
  }
  if (std::none_of(items.begin(), items.end(), [](ItemState item) { return is_open(item); })) join(step);
}

void Advance::join(std::size_t step) {
  const std::vector<ItemState>& items = facts_of(step).items;
  const bool all_completed =
      std::all_of(items.begin(), items.end(), [](ItemState item) { return item == ItemState::completed; });
  // A run that is cancelled has settled nothing.
  const bool is_settled = graph_.step(step).for_each->join == Join::settled && facts_.phase == RunPhase::open;
  StepOutcome outcome{step, std::nullopt, std::nullopt};
  if (all_completed || is_settled) {
    const std::vector<TaskOutcome> outcomes = items.empty() ? std::vector<TaskOutcome>{} : data_.items_of(step);
    outcome.result = is_settled ? outcomes_of_all(outcomes) : results_of_all(outcomes);
    if (outcome.result->size() > limits::run_result_bytes_max) {
      outcome.error = error_text("RESULT_TOO_LARGE", fmt::format("the results of all items are {} bytes; at most {} "
                                                                 "are allowed",
                                                                 outcome.result->size(), limits::run_result_bytes_max));
      outcome.result.reset();
    }
  } else {
    outcome.error = error_text("ITEMS_FAILED", items_failed(items));
  }
  const bool has_failed = outcome.error.has_value();
  note(HistoryKind::step_joined, step, has_failed ? *outcome.error : "");
  decision.outcomes.push_back(std::move(outcome));
  const StepState failure = facts_.phase == RunPhase::open ? StepState::failed : StepState::cancelled;
  close(step, has_failed ? failure : StepState::completed);
}

}  // namespace semel::domain
