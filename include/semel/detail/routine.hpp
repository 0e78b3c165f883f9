#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "semel/detail/signature.hpp"
#include "semel/workflow.hpp"
#include "semel/workflow_context.hpp"

namespace semel::detail {

/// The coroutine of a workflow, whatever its types.
class Routine {
 public:
  virtual ~Routine() = default;
  virtual void start(Scheduler& scheduler) = 0;
  virtual bool is_done() const = 0;
  /// JSON text, or nothing; throws what has left the coroutine.
  virtual std::optional<std::string> take() = 0;
};

/// Makes the coroutine for an input; throws a Failure when that does not fit.
using WorkflowFunction = std::function<std::unique_ptr<Routine>(WorkflowContext& context, const std::string& input)>;

template <typename T>
class RoutineOf final : public Routine {
 public:
  explicit RoutineOf(Workflow<T> workflow) : workflow_(std::move(workflow)) {}

  void start(Scheduler& scheduler) override { workflow_.start(scheduler, nullptr); }
  bool is_done() const override { return workflow_.is_done(); }
  std::optional<std::string> take() override {
    if constexpr (std::is_void_v<T>) {
      workflow_.take();
      return std::nullopt;
    } else {
      return encode(workflow_.take());
    }
  }

 private:
  Workflow<T> workflow_;
};

template <typename T>
inline constexpr bool is_workflow = false;
template <typename T>
inline constexpr bool is_workflow<Workflow<T>> = true;

/// The function stays where it is for as long as its coroutines live: a lambda's captures are used by them.
template <typename F>
WorkflowFunction make_workflow(F function) {
  using Form = Signature<F>;
  static_assert(is_workflow<typename Form::Returned>, "a workflow returns semel::Workflow<T>");
  static_assert(Form::template takes_first<WorkflowContext&>, "a workflow takes semel::WorkflowContext& first");
  static_assert(Form::count <= 2, "a workflow takes its context, and one input or none");
  if constexpr (is_workflow<typename Form::Returned> && Form::template takes_first<WorkflowContext&>) {
    using Result = typename Form::Returned::Value;
    const auto kept = std::make_shared<F>(std::move(function));
    if constexpr (Form::count == 1) {
      return [kept](WorkflowContext& context, const std::string&) -> std::unique_ptr<Routine> {
        return std::make_unique<RoutineOf<Result>>((*kept)(context));
      };
    } else {
      using Input = typename Form::template Argument<1>;
      static_assert(!std::is_reference_v<Input>,
                    "a workflow takes its input by value: a reference would dangle after the first co_await");
      return [kept](WorkflowContext& context, const std::string& input) -> std::unique_ptr<Routine> {
        return std::make_unique<RoutineOf<Result>>((*kept)(context, decode_input<std::remove_cvref_t<Input>>(input)));
      };
    }
  }
}

}  // namespace semel::detail
