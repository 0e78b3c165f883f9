#pragma once
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

#include "semel/json.hpp"

namespace semel::detail {

/// What a function takes, and what it returns. Not of generic lambdas: nobody could say what JSON becomes for them.
template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};

template <typename R, typename... A>
struct Signature<R (*)(A...)> {
  using Returned = R;
  static constexpr std::size_t count = sizeof...(A);
  template <std::size_t I>
  using Argument = std::tuple_element_t<I, std::tuple<A...>>;
  template <typename T>
  static constexpr bool takes_first = [] {
    if constexpr (count == 0) return false;
    else return std::is_same_v<Argument<0>, T>;
  }();
};

template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};

/// An input that does not fit its type will not fit it the next time.
template <typename T>
T decode_input(const std::string& input) {
  try {
    return decode<T>(input);
  } catch (const ConversionError& error) {
    throw Failure("invalid_input", error.what()).not_retryable();
  }
}

}  // namespace semel::detail
