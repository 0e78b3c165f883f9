#pragma once
#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/error.hpp"

namespace semel {

/// A value, or the reason why it was refused.
template <typename T>
using Result = tl::expected<T, Error>;

/// `return refuse(ErrorCode::bad_request, "queue '{}' …", name);`
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(text, std::forward<Args>(args)...)});
}

template <typename... Args>
[[nodiscard]] tl::unexpected<Error> bad_request(fmt::format_string<Args...> text, Args&&... args) {
  return refuse(ErrorCode::bad_request, text, std::forward<Args>(args)...);
}

/// Passes a refusal on to a Result of another type.
[[nodiscard]] inline tl::unexpected<Error> pass_on(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace semel
