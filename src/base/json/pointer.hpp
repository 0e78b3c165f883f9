#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace semel::json {

/// A JSON Pointer (RFC 6901), kept as written and as its decoded tokens.
class Pointer {
 public:
  /// "" or "/token/token…"; `~` only as `~0` or `~1`; valid UTF-8.
  static Result<Pointer> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<std::string>& tokens() const { return tokens_; }
  bool operator==(const Pointer&) const = default;

 private:
  std::string text_;
  std::vector<std::string> tokens_;
};

/// `token` with `~` and `/` escaped, as it stands in a pointer.
std::string escape_token(std::string_view token);

// The functions below take texts that canonicalize() made.

/// The value that the pointer leads to, as canonical text; nothing when there is none. Array elements are
/// found by index ("0", "1", … without leading zeros).
std::optional<std::string_view> find(std::string_view canonical, const Pointer& pointer);

/// The canonical object {pointer as written: value}; pointers that lead nowhere are left out.
std::string select(std::string_view canonical, std::span<const Pointer> pointers);

/// The canonical value without the members that the pointers lead to. Pointers that lead nowhere change nothing;
/// one that leads to an element of an array, or through one, is refused: removing it would move the others.
Result<std::string> remove(std::string_view canonical, std::span<const Pointer> pointers);

}  // namespace semel::json
