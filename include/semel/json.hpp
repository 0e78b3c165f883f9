#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "semel/error.hpp"

/// Values become JSON, and JSON becomes values, by nlohmann's to_json and from_json: a type of yours joins with
/// NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, id, amount).
namespace semel {

using Json = nlohmann::json;

/// JSON that is passed on byte for byte, for numbers that neither an integer of 64 bits nor a double can hold.
class JsonText {
 public:
  explicit JsonText(std::string text) : text_(std::move(text)) {}

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

namespace detail {

// Compiled once, in the library: the parser is most of what nlohmann costs.
Json read_json(std::string_view text);  // throws ConversionError
std::string write_json(const Json& value);

template <typename T>
std::string encode(const T& value) {
  if constexpr (std::is_same_v<T, JsonText>) return value.text();
  else if constexpr (std::is_same_v<T, Json>) return write_json(value);
  else return write_json(Json(value));
}

template <typename T>
T decode(std::string_view text) {
  if constexpr (std::is_same_v<T, JsonText>) {
    return JsonText(std::string(text));
  } else if constexpr (std::is_same_v<T, Json>) {
    return read_json(text);
  } else {
    try {
      return read_json(text).get<T>();
    } catch (const Json::exception& error) {
      throw ConversionError(error.what());
    }
  }
}

template <typename T>
std::optional<T> read_if(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return decode<T>(*text);
}

}  // namespace detail
}  // namespace semel
