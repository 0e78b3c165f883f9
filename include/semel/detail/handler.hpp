#pragma once
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "semel/detail/signature.hpp"
#include "semel/task_context.hpp"

namespace semel::detail {

/// Does a task: JSON text in, JSON text or nothing out; throws when it fails.
using TaskFunction = std::function<std::optional<std::string>(TaskContext& context, const std::string& input)>;

/// Of a function that takes its context, an input, both in this order, or nothing.
template <typename F>
TaskFunction make_task(F function) {
  using Form = Signature<F>;
  constexpr bool has_context = Form::template takes_first<TaskContext&>;
  constexpr std::size_t inputs = Form::count - (has_context ? 1 : 0);
  static_assert(inputs <= 1, "a handler takes semel::TaskContext&, one input, both in this order, or nothing");
  return [function = std::move(function)](TaskContext& context,
                                          const std::string& input) mutable -> std::optional<std::string> {
    const auto call = [&]() -> decltype(auto) {
      if constexpr (inputs == 0 && has_context) return function(context);
      else if constexpr (inputs == 0) return function();
      else {
        using Input = std::remove_cvref_t<typename Form::template Argument<has_context ? 1 : 0>>;
        Input value = decode_input<Input>(input);
        if constexpr (has_context) return function(context, std::move(value));
        else return function(std::move(value));
      }
    };
    if constexpr (std::is_void_v<typename Form::Returned>) {
      call();
      return std::nullopt;
    } else {
      return encode(call());
    }
  };
}

}  // namespace semel::detail
