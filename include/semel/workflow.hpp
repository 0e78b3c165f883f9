#pragma once
#include <concepts>
#include <coroutine>
#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "semel/detail/scheduler.hpp"

namespace semel {

template <typename T>
class Workflow;

namespace detail {

template <typename T>
struct WorkflowPromise;

/// What is alike for all results.
template <typename T, typename Stored>
struct WorkflowPromiseBase : RoutineState {
  struct Finish {
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<WorkflowPromise<T>> routine) noexcept {
      if (routine.promise().when_done) routine.promise().when_done->is_done();
    }
    void await_resume() noexcept {}
  };

  Workflow<T> get_return_object();
  std::suspend_always initial_suspend() noexcept { return {}; }
  Finish final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept {
    result.template emplace<2>(std::current_exception());
    has_failed = true;
  }

  std::variant<std::monostate, Stored, std::exception_ptr> result;
};

struct Nothing {};

template <typename T>
struct WorkflowPromise : WorkflowPromiseBase<T, T> {
  void return_value(T value) { this->result.template emplace<1>(std::move(value)); }
};

template <>
struct WorkflowPromise<void> : WorkflowPromiseBase<void, Nothing> {
  void return_void() { result.emplace<1>(); }
};

template <typename T>
class RoutineAwaiter;

}  // namespace detail

/// What a workflow function returns: a coroutine that waits for tasks, timers, promises, signals and children.
///
///   semel::Workflow<Shipment> process_order(semel::WorkflowContext& ctx, Order order) {
///     auto receipt = co_await ctx.task<Receipt>("charge_card", order);
///     co_return co_await ctx.task<Shipment>("ship", order);
///   }
///
/// It begins when somebody awaits it, or the worker starts it; a workflow may so be made of several such functions.
/// Destroying it destroys the locals of a suspended one. One thread at a time.
template <typename T = void>
class [[nodiscard("a workflow does nothing until it is awaited")]] Workflow {
 public:
  using promise_type = detail::WorkflowPromise<T>;
  using Coroutine = std::coroutine_handle<promise_type>;
  using Value = T;

  explicit Workflow(Coroutine coroutine) : coroutine_(coroutine) {}
  Workflow(Workflow&& other) noexcept : coroutine_(std::exchange(other.coroutine_, {})) {}
  Workflow& operator=(Workflow&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Workflow() {
    if (!coroutine_) return;
    if (coroutine_.promise().scheduler) coroutine_.promise().scheduler->forget(coroutine_);
    coroutine_.destroy();
  }

  detail::RoutineAwaiter<T> operator co_await() noexcept { return detail::RoutineAwaiter<T>(*this); }

  // For whoever runs it.
  void start(detail::Scheduler& scheduler, detail::WhenDone* when_done) {
    if (!coroutine_ || coroutine_.promise().scheduler) throw std::logic_error("a Workflow can be awaited once");
    coroutine_.promise().scheduler = &scheduler;
    coroutine_.promise().when_done = when_done;
    scheduler.ready(coroutine_);
  }
  bool is_done() const noexcept { return coroutine_.done(); }
  bool has_failed() const noexcept { return coroutine_.promise().has_failed; }
  /// The value, once; throws what has left the coroutine.
  T take() {
    auto& result = coroutine_.promise().result;
    if (result.index() == 2) std::rethrow_exception(std::get<2>(result));
    if constexpr (!std::is_void_v<T>) return std::move(std::get<1>(result));
  }

 private:
  Coroutine coroutine_;
};

namespace detail {

template <typename T, typename Stored>
Workflow<T> WorkflowPromiseBase<T, Stored>::get_return_object() {
  auto& promise = static_cast<WorkflowPromise<T>&>(*this);
  return Workflow<T>(std::coroutine_handle<WorkflowPromise<T>>::from_promise(promise));
}

/// Lives in the frame of the one that waits, as long as it waits.
template <typename T>
class RoutineAwaiter final : WhenDone {
 public:
  explicit RoutineAwaiter(Workflow<T>& routine) : routine_(&routine) {}

  bool await_ready() const noexcept { return false; }
  template <std::derived_from<RoutineState> Promise>
  void await_suspend(std::coroutine_handle<Promise> parent) {
    parent_ = parent;
    scheduler_ = parent.promise().scheduler;
    routine_->start(*scheduler_, this);
  }
  T await_resume() { return routine_->take(); }

 private:
  void is_done() override { scheduler_->ready(parent_); }

  Workflow<T>* routine_;
  std::coroutine_handle<> parent_;
  Scheduler* scheduler_ = nullptr;
};

}  // namespace detail
}  // namespace semel
