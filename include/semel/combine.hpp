#pragma once
#include <array>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "semel/detail/group.hpp"
#include "semel/pending.hpp"
#include "semel/workflow.hpp"

/// Waiting for several things at once. Each may be a Pending or a Workflow; they are moved in. Of those that lose,
/// tasks and timers go on unless they are cancelled, and the code of workflows is left where it stands.
namespace semel {

namespace detail {

template <typename T>
Workflow<T> as_routine(Pending<T> pending) {
  co_return co_await pending;
}
template <typename T>
Workflow<T> as_routine(Workflow<T> workflow) {
  return workflow;
}

template <typename T>
concept Combinable = requires { typename T::Value; } &&
                     (std::is_same_v<T, Pending<typename T::Value>> || std::is_same_v<T, Workflow<typename T::Value>>);

template <typename T>
CellPointer cell_of(const T& awaitable) {
  if constexpr (std::is_base_of_v<PendingBase, T>) return awaitable.cell();
  else return nullptr;
}

/// void is a value here, as in std::variant.
template <typename T>
using ValueOf = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <typename T>
ValueOf<T> take_value(Workflow<T>& routine) {
  if constexpr (std::is_void_v<T>) {
    routine.take();
    return {};
  } else {
    return routine.take();
  }
}

template <typename... T>
class TupleAwaiter : public Group {
 public:
  TupleAwaiter(GroupEnd end, Workflow<T>... routines) : Group(end, sizeof...(T)), routines_(std::move(routines)...) {}

  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> parent) {
    begin(parent, *parent.promise().scheduler);
    std::size_t index = 0;
    std::apply([&](auto&... each) { (start(index++, each), ...); }, routines_);
  }

 protected:
  std::tuple<Workflow<T>...> routines_;
};

template <typename... T>
class AllOf final : public TupleAwaiter<T...> {
 public:
  using TupleAwaiter<T...>::TupleAwaiter;
  std::tuple<ValueOf<T>...> await_resume() {
    return std::apply([](auto&... each) { return std::tuple<ValueOf<T>...>{take_value(each)...}; }, this->routines_);
  }
};

template <typename... T>
class FirstOf final : public TupleAwaiter<T...> {
 public:
  using TupleAwaiter<T...>::TupleAwaiter;
  std::variant<ValueOf<T>...> await_resume() { return take_at<0>(this->winner()); }

 private:
  template <std::size_t I>
  std::variant<ValueOf<T>...> take_at(std::size_t index) {
    if constexpr (I + 1 < sizeof...(T)) {
      if (index != I) return take_at<I + 1>(index);
    }
    return std::variant<ValueOf<T>...>(std::in_place_index<I>, take_value(std::get<I>(this->routines_)));
  }
};

template <typename T>
class VectorAwaiter : public Group {
 public:
  VectorAwaiter(GroupEnd end, std::vector<Workflow<T>> routines)
      : Group(end, routines.size()), routines_(std::move(routines)) {}

  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> parent) {
    begin(parent, *parent.promise().scheduler);
    for (std::size_t i = 0; i < routines_.size(); ++i) start(i, routines_[i]);
  }

 protected:
  std::vector<Workflow<T>> routines_;
};

template <typename T>
class AllOfMany final : public VectorAwaiter<T> {
 public:
  using VectorAwaiter<T>::VectorAwaiter;
  auto await_resume() {
    if constexpr (std::is_void_v<T>) {
      for (Workflow<T>& each : this->routines_) each.take();
    } else {
      std::vector<T> values;
      values.reserve(this->routines_.size());
      for (Workflow<T>& each : this->routines_) values.push_back(each.take());
      return values;
    }
  }
};

template <typename T>
class FirstOfMany final : public VectorAwaiter<T> {
 public:
  using VectorAwaiter<T>::VectorAwaiter;
  std::pair<std::size_t, ValueOf<T>> await_resume() {
    const std::size_t index = this->winner();
    return {index, take_value(this->routines_[index])};
  }
};

template <template <typename...> typename Awaiter, typename... A>
auto combine(GroupEnd end, A... awaitables) {
  const std::array<CellPointer, sizeof...(A)> cells{cell_of(awaitables)...};
  put_in_order(cells);
  return Awaiter<typename A::Value...>(end, as_routine(std::move(awaitables))...);
}

template <template <typename> typename Awaiter, typename A>
auto combine_many(GroupEnd end, std::vector<A> awaitables) {
  std::vector<Workflow<typename A::Value>> routines;
  routines.reserve(awaitables.size());
  for (A& each : awaitables) routines.push_back(as_routine(std::move(each)));
  return Awaiter<typename A::Value>(end, std::move(routines));
}

}  // namespace detail

/// Waits until all have ended, whatever they come to, and gives their values as a tuple; then throws the failure of the
/// first in order that has none. So nothing is left running unseen when a workflow begins to compensate.
template <detail::Combinable... A>
  requires(sizeof...(A) > 0)
auto all(A... awaitables) {
  return detail::combine<detail::AllOf>(detail::GroupEnd::all, std::move(awaitables)...);
}
/// The same of many of one kind: a vector of values, or nothing where they have none.
template <detail::Combinable A>
auto all(std::vector<A> awaitables) {
  return detail::combine_many<detail::AllOfMany>(detail::GroupEnd::all, std::move(awaitables));
}

/// Waits for the first that ends, and gives its value, or throws its failure. The index of the variant says which.
template <detail::Combinable... A>
  requires(sizeof...(A) > 0)
auto race(A... awaitables) {
  return detail::combine<detail::FirstOf>(detail::GroupEnd::first, std::move(awaitables)...);
}
/// The same of many of one kind: which, and its value. There must be one at least.
template <detail::Combinable A>
auto race(std::vector<A> awaitables) {
  if (awaitables.empty()) throw std::invalid_argument("race() of nothing would never end");
  return detail::combine_many<detail::FirstOfMany>(detail::GroupEnd::first, std::move(awaitables));
}

/// Waits for the first that succeeds; when none does, throws the failure of the first in order.
template <detail::Combinable... A>
  requires(sizeof...(A) > 0)
auto any(A... awaitables) {
  return detail::combine<detail::FirstOf>(detail::GroupEnd::first_success, std::move(awaitables)...);
}
template <detail::Combinable A>
auto any(std::vector<A> awaitables) {
  if (awaitables.empty()) throw std::invalid_argument("any() of nothing would never end");
  return detail::combine_many<detail::FirstOfMany>(detail::GroupEnd::first_success, std::move(awaitables));
}

}  // namespace semel
