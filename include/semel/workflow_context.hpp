#pragma once
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "semel/detail/guards.hpp"
#include "semel/pending.hpp"
#include "semel/step_options.hpp"

namespace semel {

namespace sdk {
class Replay;
}

/// All that a workflow does to the world goes through this. The code of a workflow runs again from its first line
/// whenever a worker has lost it, and must then ask for the same things in the same order: so it takes the time, random
/// numbers and what it reads elsewhere from here, and uses no thread, clock or global of its own.
///
/// What is begun in one statement as arguments of all(), any() or race() is numbered in the order of the arguments.
/// Lives as long as the workflow's coroutine; one thread at a time.
class WorkflowContext {
 public:
  explicit WorkflowContext(sdk::Replay& replay) : replay_(&replay) {}
  WorkflowContext(const WorkflowContext&) = delete;
  WorkflowContext& operator=(const WorkflowContext&) = delete;

  /// A task: made once, however often this code is replayed.
  template <typename T = Json, typename Input>
    requires(!std::is_same_v<std::remove_cvref_t<Input>, StepOptions>)
  Pending<T> task(std::string_view handler, Input&& input, const StepOptions& options = StepOptions()) {
    SEMEL_CHECK_INPUT(Input);
    return Pending<T>(schedule(handler, detail::encode<std::remove_cvref_t<Input>>(input), options));
  }
  /// With {} as its input.
  template <typename T = Json>
  Pending<T> task(std::string_view handler, const StepOptions& options = StepOptions()) {
    return Pending<T>(schedule(handler, "{}", options));
  }

  /// Durable: it goes on while no worker and no server runs. The time counts from the commit that begins it.
  Pending<void> timer(Duration time) { return Pending<void>(start_timer(time)); }
  Pending<void> timer_at(Time time) { return Pending<void>(start_timer_at(time)); }
  /// `co_await ctx.sleep(24h)`
  Pending<void> sleep(Duration time) { return timer(time); }

  /// A value that comes from outside, once, by its key (a webhook, a person) or by the id of the Pending.
  template <typename T = Json>
  Pending<T> promise(std::string_view key, const PromiseOptions& options = PromiseOptions()) {
    return Pending<T>(make_promise(std::string(key), options));
  }
  template <typename T = Json>
  Pending<T> promise(const PromiseOptions& options = PromiseOptions()) {
    return Pending<T>(make_promise(std::nullopt, options));
  }

  /// The next signal of that name. Signals wait until somebody asks for them, in the order in which they came.
  template <typename T = Json>
  Pending<T> signal(std::string_view name) {
    return Pending<T>(receive(name));
  }

  /// Another workflow, whose end is waited for.
  template <typename T = Json, typename Input>
  Pending<T> child(std::string_view kind, Input&& input, const ChildOptions& options = ChildOptions()) {
    SEMEL_CHECK_INPUT(Input);
    return Pending<T>(start_child(kind, detail::encode<std::remove_cvref_t<Input>>(input), options));
  }

  /// Does something that is not the same each time, and keeps what came of it: a replay gets that. It may be done again
  /// when the worker dies before its result is recorded. The function does not use this context.
  template <typename F>
  auto run(std::string_view name, F&& function) {
    SEMEL_CHECK_FUNCTION(F);
    using T = std::invoke_result_t<F&>;
    std::optional<detail::Closing> closing = begin_run(name);
    if (!closing) closing = end_run(name, outcome_of(function));
    return detail::unwrap<T>(*closing);
  }

  /// Which form of changed code this workflow takes: `max` for all that come here first, and for those whose history
  /// was written before the change was made, `min`. The answer stays the same for the life of the workflow.
  int version(std::string_view change, int min, int max);

  /// What can be read from outside while the workflow runs.
  template <typename T>
  void set_status(const T& value) {
    set_status_text(detail::encode(value));
  }

  /// Ends this run of the code, and begins it again with another input and an empty history: for workflows that never
  /// end. What was begun and has not ended is cancelled.
  template <typename Input>
  [[noreturn]] void continue_as_new(const Input& input) {
    continue_with(detail::encode(input));
  }

  /// The time of the event by which the code goes on: a little behind the clock, and the same in every replay.
  Time now() const;
  /// A UUID of version 8 that no other call gets.
  std::string uuid();
  std::uint64_t random();

  /// A text for other services that know idempotency keys; the same in every replay.
  std::string idempotency_key(std::string_view name) const;

  const std::string& id() const;           // of the execution
  const std::string& workflow_id() const;  // as whoever started it calls it
  /// Whether the code does now what it has done before. For logs only.
  bool is_replaying() const;

 private:
  detail::CellPointer schedule(std::string_view handler, std::string context, const StepOptions& options);
  detail::CellPointer start_timer(Duration time);
  detail::CellPointer start_timer_at(Time time);
  detail::CellPointer make_promise(std::optional<std::string> key, const PromiseOptions& options);
  detail::CellPointer receive(std::string_view name);
  detail::CellPointer start_child(std::string_view kind, std::string input, const ChildOptions& options);
  void set_status_text(std::string json);
  [[noreturn]] void continue_with(std::string input);

  /// What was recorded, or nothing when it is to be done now.
  std::optional<detail::Closing> begin_run(std::string_view name);
  detail::Closing end_run(std::string_view name, detail::Closing closing);
  static detail::Closing failure_of(const std::exception& error);

  template <typename F>
  static detail::Closing outcome_of(F& function) {
    detail::Closing closing;
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<F&>>) function();
      else closing.result = detail::encode(function());
    } catch (const std::exception& error) {
      closing = failure_of(error);
    }
    return closing;
  }

  sdk::Replay* replay_;
};

}  // namespace semel
