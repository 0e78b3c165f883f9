#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/pointer.hpp"
#include "base/result.hpp"

namespace semel::domain {

/// What a key is filled in from. All texts are canonical JSON.
struct KeyValues {
  std::string_view context{};
  std::optional<std::string_view> item{};  // of a fan-out
  std::size_t index = 0;                   // too
};

/// A key with places to fill in: "payment-{{/order_id}}". `{{/pointer}}` is a value of the context, `{{item}}` and
/// `{{item/pointer}}` one of the item of a fan-out, `{{index}}` the item's number.
class KeyTemplate {
 public:
  static Result<KeyTemplate> parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Whether the items of a fan-out get keys of their own.
  bool tells_items_apart() const;

  /// The key. Refused where a place has no value, or one that is no text, number or boolean, and where the whole is no
  /// good key.
  Result<std::string> fill_in(const KeyValues& values) const;

  bool operator==(const KeyTemplate&) const = default;

 private:
  enum class From : std::uint8_t { text, context, item, index };
  struct Part {
    From from = From::text;
    std::string text{};       // as written, without the braces
    json::Pointer pointer{};  // into the context or the item

    bool operator==(const Part&) const = default;
  };

  static Result<Part> parse_place(std::string_view text);
  static Result<std::string> value_of(const Part& part, const KeyValues& values);

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace semel::domain
