#pragma once
#include <type_traits>

/// g++ 12 destroys some temporaries twice when a co_await is in the same statement, without a warning. What can be seen
/// from types is refused here, by every compiler, so that code which is written with another one stays sound.
namespace semel::detail {

/// Not `Order{.id = 7}`: an aggregate with a destructor, as a temporary.
template <typename T>
inline constexpr bool is_safe_input = std::is_lvalue_reference_v<T> || !std::is_aggregate_v<std::remove_cvref_t<T>> ||
                                      std::is_trivially_destructible_v<std::remove_cvref_t<T>>;

/// Not `[order] { … }`: a closure that owns what it has captured, as a temporary.
template <typename F>
inline constexpr bool is_safe_function =
    std::is_lvalue_reference_v<F> || std::is_trivially_destructible_v<std::remove_cvref_t<F>>;

}  // namespace semel::detail

#define SEMEL_CHECK_INPUT(Type)                                                                                   \
  static_assert(::semel::detail::is_safe_input<Type>,                                                             \
                "name the value first and pass it by its name (it is only read): g++ 12 destroys a temporary of " \
                "such a type twice in a statement with co_await")
#define SEMEL_CHECK_FUNCTION(Type)                                                                                  \
  static_assert(::semel::detail::is_safe_function<Type>,                                                            \
                "name the lambda first, or capture by reference: g++ 12 destroys a temporary lambda that owns its " \
                "captures twice in a statement with co_await")
