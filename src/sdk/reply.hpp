#pragma once
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace semel::sdk {

/// Why a server did not do what it was asked for. The code is the server's own word, so that a client knows what a
/// newer server says.
struct Refusal {
  std::string code{};  // "IDEMPOTENCY_KEY_MISMATCH"
  std::string message{};
  bool may_be_asked_again = false;  // nobody answered, or it is not known whether it was done
};

template <typename T>
using Reply = tl::expected<T, Refusal>;

inline tl::unexpected<Refusal> refused(std::string code, std::string message) {
  return tl::unexpected<Refusal>(Refusal{std::move(code), std::move(message), false});
}

inline tl::unexpected<Refusal> unavailable(std::string message) {
  return tl::unexpected<Refusal>(Refusal{"UNAVAILABLE", std::move(message), true});
}

}  // namespace semel::sdk
