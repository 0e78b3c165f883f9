#pragma once
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json/pointer.hpp"
#include "domain/workflow/run.hpp"

/// A run and its tasks in memory: does what decisions say, as a store would, and stops at one that cannot be done.
namespace semel::test {

struct ModelTask {
  domain::State state = domain::State::pending;
  bool held = false;
  std::optional<std::string> result{};
  std::optional<std::string> key{};
  std::optional<std::string> item{};
  int starts = 0;

  bool operator==(const ModelTask&) const = default;
};

class RunModel final : public domain::RunData {
 public:
  explicit RunModel(domain::Graph graph, std::string context = "{}")
      : graph_(std::move(graph)), context_(std::move(context)) {}

  std::string context() const override { return context_; }
  std::optional<std::string> result_of(std::size_t step) const override {
    if (is_kept_as_outcome(graph_.step(step), facts_.steps[step].state)) return outcomes_.at(step).result;
    return tasks_.at({step, std::nullopt}).result;
  }
  std::vector<domain::TaskOutcome> items_of(std::size_t step) const override {
    std::vector<domain::TaskOutcome> items;
    for (const auto& [ref, task] : tasks_) {
      if (ref.step == step && ref.item) items.push_back({task.state, task.result, std::nullopt});
    }
    return items;
  }

  void start() { carry_out(domain::start_run(graph_, facts_, *this)); }

  /// Closes the task, and tells the run of it.
  void close(domain::TaskRef ref, domain::State how, std::optional<std::string> result = std::nullopt) {
    ModelTask& task = tasks_.at(ref);
    if (!is_open(task.state)) throw std::logic_error("the task is closed");
    task.state = how;
    task.result = std::move(result);
    tell(ref);
  }
  /// Tells of a closed task, perhaps again.
  void tell(domain::TaskRef ref) { carry_out(domain::task_closed(graph_, facts_, *this, ref, tasks_.at(ref).state)); }

  /// Held tasks are cancelled at once, as all that nobody works on; the others are left running.
  void cancel(domain::WhyCancelled why = domain::WhyCancelled::asked_for, bool force = false) {
    carry_out(domain::cancel_run(graph_, facts_, *this, {why, {"admin", "because"}, force}));
  }
  Result<void> retry(const std::vector<std::size_t>& steps = {}) {
    Result<domain::Decision> decision = domain::retry_steps(graph_, facts_, *this, steps, {"admin", "again"});
    if (decision) end_.reset();  // the run is open again
    return take(std::move(decision));
  }
  Result<void> resolve(std::size_t step, std::string result) {
    return take(domain::resolve_step(graph_, facts_, *this, step, std::move(result), {"admin", "by hand"}));
  }

  /// What a restart does: only what is stored is left.
  void restart() {
    const std::optional<domain::RunFacts> read = domain::decode_facts(domain::encode_facts(facts_));
    if (!read || *read != facts_) throw std::logic_error("the facts do not read back: " + encode_facts(facts_));
    facts_ = *read;
  }

  const domain::Graph& graph() const { return graph_; }
  const domain::RunFacts& facts() const { return facts_; }
  const std::map<domain::TaskRef, ModelTask>& tasks() const { return tasks_; }
  const std::map<std::size_t, domain::StepOutcome>& outcomes() const { return outcomes_; }
  const std::optional<domain::RunEnd>& end() const { return end_; }
  const std::vector<domain::HistoryEvent>& history() const { return history_; }
  const domain::Decision& last() const { return last_; }
  /// Open tasks that a worker could have.
  std::vector<domain::TaskRef> running() const {
    std::vector<domain::TaskRef> refs;
    for (const auto& [ref, task] : tasks_) {
      if (is_open(task.state) && !task.held) refs.push_back(ref);
    }
    return refs;
  }
  /// The step's state as it is shown, by name.
  std::string state_of(std::string_view name) const {
    return std::string(shown_state(facts_.steps[graph_.find(name).value()].state));
  }

 private:
  static void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  }

  Result<void> take(Result<domain::Decision> decision) {
    if (!decision) return pass_on(decision.error());
    carry_out(*std::move(decision));
    return {};
  }

  /// A step that has begun goes on with its other items, also when one that it depends on is tried again meanwhile.
  void begin(domain::TaskRef ref, bool is_first) {
    ++tasks_.at(ref).starts;
    for (const std::size_t upstream : graph_.upstreams(ref.step))
      require(!is_first || is_closed(facts_.steps[upstream].state),
              "a step starts before one that it depends on has ended");
  }

  void carry_out(domain::Decision decision) {
    for (domain::StepTask& made : decision.make) {
      const bool held = made.held;
      ModelTask task{domain::State::pending, held, {}, std::move(made.key), std::move(made.item), 0};
      require(tasks_.emplace(made.ref, std::move(task)).second, "a task is made twice");
      if (!held) begin(made.ref, true);
    }
    for (const domain::TaskRef ref : decision.release) {
      ModelTask& task = tasks_.at(ref);
      require(task.held && is_open(task.state), "a task is released that was not held");
      task.held = false;
      begin(ref, false);
    }
    for (const domain::TaskRef ref : decision.reopen) {
      ModelTask& task = tasks_.at(ref);
      require(is_closed(task.state) && task.state != domain::State::completed, "a task is reopened that is open");
      task = {domain::State::pending, false, {}, task.key, task.item, task.starts};
      begin(ref, !ref.item);
    }
    for (domain::StepOutcome& outcome : decision.outcomes) outcomes_.insert_or_assign(outcome.step, outcome);
    history_.insert(history_.end(), decision.events.begin(), decision.events.end());
    if (decision.end) {
      require(!end_, "a run ends twice");
      end_ = decision.end;
    }
    last_ = decision;
    for (const domain::TaskRef ref : decision.cancel) {
      ModelTask& task = tasks_.at(ref);
      require(is_open(task.state), "a closed task is cancelled");
      if (!task.held) continue;
      task.held = false;
      close(ref, domain::State::cancelled);
    }
    if (!decision.cancel.empty()) last_ = std::move(decision);
  }

  domain::Graph graph_;
  std::string context_;
  domain::RunFacts facts_;
  std::map<domain::TaskRef, ModelTask> tasks_;
  std::map<std::size_t, domain::StepOutcome> outcomes_;
  std::vector<domain::HistoryEvent> history_;
  std::optional<domain::RunEnd> end_;
  domain::Decision last_;
};

}  // namespace semel::test
