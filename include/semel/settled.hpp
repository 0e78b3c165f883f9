#pragma once
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "semel/detail/unwrap.hpp"

namespace semel {

/// How something ended, where a failure is an answer and not an accident: compensation, and `all` of many. C++ has no
/// co_await in a catch block, so this is what a workflow asks for when it wants to wait for more after a failure.
template <typename T>
class [[nodiscard]] Settled {
 public:
  using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

  static Settled from(const detail::Closing& closing) {
    Settled settled;
    if (closing.status != Status::completed) settled.failure_.emplace(closing.status, closing.error);
    else if constexpr (std::is_void_v<T>) settled.value_.emplace();
    else settled.value_.emplace(detail::unwrap<T>(closing));
    return settled;
  }

  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }

  /// Throws the failure when there is no value.
  const Value& value() const& {
    if (!value_) throw *failure_;
    return *value_;
  }
  Value value() && {
    if (!value_) throw *failure_;
    return std::move(*value_);
  }
  /// Only where there is no value.
  const ExecutionFailed& failure() const { return failure_.value(); }

 private:
  Settled() = default;

  std::optional<Value> value_;
  std::optional<ExecutionFailed> failure_;
};

}  // namespace semel
