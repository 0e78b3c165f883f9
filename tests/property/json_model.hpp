#pragma once
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace semel::json {

/// A JSON value by meaning alone: what two texts must share to be one identity. Independent of the code under
/// test.
struct Model {
  enum class Kind { null, yes, no, number, string, array, object };

  Kind kind = Kind::null;
  // A number is ±digits × 10^exponent; digits neither begin nor end with a zero, and none at all is zero,
  // which has no sign and no exponent. So equal members mean equal values.
  bool negative = false;
  std::string digits;
  int exponent = 0;
  std::u32string string;
  std::vector<Model> elements;
  std::map<std::u32string, Model> members;

  bool operator==(const Model&) const = default;
};

/// Makes values and spells them, each choice by a seeded generator.
class Speller {
 public:
  explicit Speller(std::uint32_t seed) : random_(seed) {}

  /// Small on purpose: two values must often be equal, or nearly so.
  Model any_value(int depth);
  Model any_object();
  Model any_number();
  std::u32string any_string(int length_max);

  /// One of the many texts that mean the value.
  std::string spell(const Model& value);

 private:
  int pick(int end) { return static_cast<int>(random_() % static_cast<std::uint32_t>(end)); }
  bool coin() { return pick(2) == 0; }
  char32_t any_character();
  std::string space();
  std::string spell_number(const Model& value);
  std::string spell_zero();
  std::string spell_exponent(int exponent);
  std::string spell_string(const std::u32string& string);
  std::string spell_character(char32_t c);
  std::string spell_array(const Model& value);
  std::string spell_object(const Model& value);

  std::mt19937 random_;
};

std::string to_utf8(const std::u32string& string);
std::u16string to_utf16(const std::u32string& string);

}  // namespace semel::json
