#pragma once
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "semel/client.hpp"
#include "semel/detail/handler.hpp"
#include "semel/detail/routine.hpp"

/// Workflows in unit tests: without a server, a thread or a moment of waiting.
namespace semel::testkit {

/// The workflow waits for something that never comes: a task without a fake, a promise, a signal. The text says what.
class Stuck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The code does not fit the history that it made itself: it uses a clock, a random number or a global of its own.
class NotDeterministic : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs a workflow with fakes for its tasks, and a clock that jumps over all waiting:
///
///   semel::testkit::WorkflowTest test("process_order", process_order);
///   test.task("charge_card", [](Order order) { return Receipt{order.id}; });
///   test.at(24h, [](semel::Client& outside) { outside.resolve_promise("approve-7", true); });
///   Shipment shipment = test.run<Shipment>(order);
///
/// One thread at a time.
class WorkflowTest {
 public:
  template <typename F>
  WorkflowTest(std::string kind, F workflow)
      : WorkflowTest(std::move(kind), detail::make_workflow(std::move(workflow))) {}
  WorkflowTest(std::string kind, detail::WorkflowFunction workflow);
  ~WorkflowTest();
  WorkflowTest(const WorkflowTest&) = delete;
  WorkflowTest& operator=(const WorkflowTest&) = delete;

  /// What a task does; in the forms that a worker's handlers have. A fake that throws fails its attempt.
  template <typename F>
  WorkflowTest& task(std::string name, F fake) {
    add_task(std::move(name), detail::make_task(std::move(fake)));
    return *this;
  }
  /// Another workflow, which this one starts as its child.
  template <typename F>
  WorkflowTest& workflow(std::string kind, F workflow) {
    add_workflow(std::move(kind), detail::make_workflow(std::move(workflow)));
    return *this;
  }
  /// What comes from outside when so much time has passed. The workflow's id is "test".
  WorkflowTest& at(Duration after_start, std::function<void(Client& outside)> act);
  /// How many waiting coroutines a worker would keep; with 0 every step replays the whole history.
  WorkflowTest& cached_workflows(std::size_t count);

  /// Until its end. Throws ExecutionFailed when it has no result.
  template <typename T = Json, typename Input>
  T run(const Input& input) {
    return detail::unwrap<T>(run_text(detail::encode(input)));
  }
  template <typename T = Json, typename Input>
  Settled<T> settle(const Input& input) {
    return Settled<T>::from(run_text(detail::encode(input)));
  }

  /// Runs it again and again, and lets the worker die at each place where the code waits: once before it has told the
  /// server what the code wants, and once after. Throws NotDeterministic when a run does not end as the first one did,
  /// or asks for other things. Returns how many deaths it was. Fakes must give the same each time.
  template <typename Input>
  std::size_t check_crashes(const Input& input) {
    return crash_everywhere(detail::encode(input));
  }

  // ---- of the last run
  /// The tasks whose fakes were called, in that order.
  const std::vector<std::string>& tasks_done() const;
  /// What the clock says has passed.
  Duration elapsed() const;
  /// What the workflow has set; null when it has not.
  Json status() const;
  /// As text that replay() reads.
  std::string history() const;

 private:
  class Stage;

  void add_task(std::string name, detail::TaskFunction fake);
  void add_workflow(std::string kind, detail::WorkflowFunction workflow);
  detail::Closing run_text(std::string input);
  std::size_t crash_everywhere(std::string input);

  std::unique_ptr<Stage> stage_;
};

/// Whether code fits a history.
class [[nodiscard]] ReplayReport {
 public:
  explicit ReplayReport(std::string problem) : problem_(std::move(problem)) {}

  bool fits() const { return problem_.empty(); }
  /// What does not, in words; empty when all does.
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

ReplayReport replay_text(const detail::WorkflowFunction& workflow, std::string_view history);

/// Replays a history that was stored, such as one of a workflow in production, against this code: so a change of the
/// code can be checked before it is deployed. `history` is JSON: {"workflow_execution_id", "workflow_id", "kind",
/// "input", "events": […]}, the events as the server lists them.
template <typename F>
ReplayReport replay(F workflow, std::string_view history) {
  return replay_text(detail::make_workflow(std::move(workflow)), history);
}

}  // namespace semel::testkit
