#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "domain/workflow/code/workflow.hpp"
#include "ports/run.hpp"

/// How decisions about code workflows are carried out (ADR 0018): the same for all stores, which only read and write
/// rows. Everything that is done for one thing that happened is one transaction.
namespace semel::store {

/// What carrying out asks of a store. A child that comes to its end by one of these calls is told to its workflow
/// afterwards, like any other.
class WorkflowRows : public domain::code::WorkflowData {
 public:
  /// Adds to the history.
  virtual void record(std::int64_t sequence, const domain::HistoryEvent& event) = 0;
  /// Makes a child. It enters its queue, or waits for whoever holds its key, or fails at once, as judge_child_key()
  /// says; what that adds to the history is counted by add_event().
  virtual void make(const domain::code::NewChild& child) = 0;
  virtual void start_timer(const domain::code::NewTimer& timer) = 0;
  virtual void stop_timer(std::int64_t command) = 0;
  virtual void stop_timers() = 0;
  /// The child is cancelled, or its worker asked to stop, if it is open.
  virtual void cancel(domain::ExecutionId child) = 0;
  /// So are all that are open. Those that are abandoned are cut loose instead: they belong to nobody from now on, and
  /// cut_loose() is told how many they were.
  virtual void cancel_children() = 0;
  /// The running attempt has ended, by force.
  virtual void stop_activation() = 0;
  /// Replaces the context.
  virtual void set_input(const std::string& input) = 0;
  /// The execution comes to that state; its place in the queue is that of `run_at`. Not called with as_it_is.
  virtual void go_on(domain::code::Next next, Time run_at) = 0;
  /// The workflow closes.
  virtual void end(const domain::RunEnd& end) = 0;
};

/// `workflow` is what the decision was about; the store writes its facts before or after.
void carry_out(const domain::code::Decision& decision, const domain::code::Workflow& workflow, Time now,
               WorkflowRows& rows);

/// What the events say that follow `seen`, as far as an activation brings them along.
class ActivationEvents {
 public:
  /// Whether there is room for more.
  bool add(HistoryEntry entry);
  std::vector<HistoryEntry> take() { return std::move(events_); }

 private:
  std::vector<HistoryEntry> events_{};
  std::size_t bytes_ = 0;
};

/// An activation, without its events.
Activation activation_of(const domain::code::Facts& facts);

/// When something happens to a workflow by itself that has just answered: its deadline, or a timer that it has started.
/// Timers from before were told of before.
std::optional<Time> timer_of_answer(const domain::code::Decision& decision, std::optional<Time> deadline);

}  // namespace semel::store
