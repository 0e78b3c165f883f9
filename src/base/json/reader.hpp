#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel::json {

enum class Type : std::uint8_t { null, boolean, number, string, array, object };

/// "a string", "an object" …: for messages such as "queue must be a string".
std::string_view name_of(Type type);

/// Whether `text` is one JSON value by grammar and well-formed UTF-8, whatever its depth and size (iterative).
/// What canonicalize() refuses beyond that (duplicate keys, depth, numbers, lone surrogates) is not looked at.
/// The refusal names the byte offset.
Result<void> check_grammar(std::string_view text);

/// Reads a JSON text front to back without building a tree, so that a request is decoded straight from the
/// bytes that arrived. Views point into the text, which must outlive the reader. After a refusal the reader must
/// not be used further.
///
///   Reader reader(body);
///   auto begun = reader.begin_object();            // Result<void>
///   while (true) {
///     auto key = reader.next_member();             // Result<std::optional<std::string>>: decoded key, or the end
///     ...
///     auto value = reader.read_string();           // or one of the others: exactly one value a member
///   }
///   auto end = reader.expect_end();
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  /// The type of the next value, by its first character; refused where no value can begin.
  Result<Type> peek();

  Result<void> begin_object();
  /// The next member's key (escapes decoded, well-formed), or nothing when the object has ended.
  /// Duplicate keys are for the caller to notice: it knows which fields it has seen.
  Result<std::optional<std::string>> next_member();

  Result<void> begin_array();
  /// True when another element follows.
  Result<bool> next_element();

  /// The decoded string. Refuses other types, invalid UTF-8, and lone surrogates.
  Result<std::string> read_string();
  /// An integer by value: `3`, `3.0` and `3e0` are all 3. Refuses fractions and what does not fit.
  Result<std::int64_t> read_integer();
  Result<bool> read_boolean();
  Result<void> read_null();
  /// Any value, checked for grammar and UTF-8 only; its text as written, without surrounding white space.
  Result<std::string_view> read_raw();
  /// Any value with all checks of canonicalize(), its depth counted from itself. Appends the canonical form to
  /// `canonical`, returns the text as written.
  Result<std::string_view> read_canonical(std::string& canonical);

  /// Refuses anything but white space after the value.
  Result<void> expect_end();
  std::size_t offset() const { return position_; }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  bool first_ = true;  // no member or element of the object or array just begun has been read yet
};

}  // namespace semel::json
