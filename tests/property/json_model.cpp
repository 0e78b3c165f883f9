#include "tests/property/json_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace semel::json {

Model Speller::any_value(int depth) {
  Model value;
  value.kind = static_cast<Model::Kind>(pick(depth > 0 ? 7 : 5));
  switch (value.kind) {
    case Model::Kind::number: return any_number();
    case Model::Kind::string: value.string = any_string(2); break;
    case Model::Kind::array:
      for (int i = pick(4); i > 0; --i) value.elements.push_back(any_value(depth - 1));
      break;
    case Model::Kind::object:
      for (int i = pick(5); i > 0; --i) value.members[any_string(1)] = any_value(depth - 1);
      break;
    default: break;
  }
  return value;
}

Model Speller::any_object() {
  Model value;
  value.kind = Model::Kind::object;
  for (int i = pick(6); i > 0; --i) value.members[any_string(1)] = any_value(3);
  return value;
}

Model Speller::any_number() {
  Model value;
  value.kind = Model::Kind::number;
  for (int i = coin() ? 1 : pick(25); i > 0; --i) value.digits += static_cast<char>('0' + pick(10));
  value.digits.erase(0, value.digits.find_first_not_of('0'));
  value.digits.erase(value.digits.find_last_not_of('0') + 1);
  if (value.digits.empty()) return value;
  value.negative = coin();
  value.exponent = coin() ? pick(3) - 1 : pick(60) - 30;
  return value;
}

std::u32string Speller::any_string(int length_max) {
  std::u32string string;
  for (int i = pick(length_max + 1); i > 0; --i) string += any_character();
  return string;
}

char32_t Speller::any_character() {
  struct Block {
    char32_t first, last;
  };
  static constexpr std::array<Block, 8> blocks = {
      {{'a', 'c'}, {'"', '"'}, {'\\', '\\'}, {'/', '/'}, {0, 0x1F}, {0x7F, 0x801}, {0xD7FE, 0xD7FF}, {0xE000, 0xFFFF}}};
  const int block = pick(9);
  if (block == 8) return static_cast<char32_t>(coin() ? 0x10000 + pick(3) : 0x10FFFF - pick(3));
  const auto [first, last] = blocks[static_cast<std::size_t>(block)];
  return first + static_cast<char32_t>(pick(static_cast<int>(last - first) + 1));
}

std::string Speller::space() {
  std::string text;
  while (pick(3) == 0) text += " \t\r\n"[pick(4)];
  return text;
}

std::string Speller::spell(const Model& value) {
  const auto text = [&]() -> std::string {
    switch (value.kind) {
      case Model::Kind::null: return "null";
      case Model::Kind::yes: return "true";
      case Model::Kind::no: return "false";
      case Model::Kind::number: return value.digits.empty() ? spell_zero() : spell_number(value);
      case Model::Kind::string: return spell_string(value.string);
      case Model::Kind::array: return spell_array(value);
      case Model::Kind::object: return spell_object(value);
    }
    return {};
  };
  return space() + text() + space();
}

/// With some zeros appended, the decimal point set anywhere, and the exponent making up for both.
std::string Speller::spell_number(const Model& value) {
  const int zeros = coin() ? 0 : pick(25);
  const std::string digits = value.digits + std::string(static_cast<std::size_t>(zeros), '0');
  const int length = static_cast<int>(digits.size());
  const int after_point = coin() ? 0 : pick(length + 25);
  const int exponent = value.exponent - zeros + after_point;

  const std::string padded = std::string(static_cast<std::size_t>(std::max(0, after_point + 1 - length)), '0') + digits;
  std::string text = padded.substr(0, padded.size() - static_cast<std::size_t>(after_point));
  if (after_point > 0) text += '.' + padded.substr(text.size());
  return (value.negative ? "-" : "") + text + (exponent == 0 && coin() ? "" : spell_exponent(exponent));
}

std::string Speller::spell_zero() {
  std::string text = coin() ? "-0" : "0";
  if (coin()) text += '.' + std::string(static_cast<std::size_t>(1 + pick(9)), '0');
  return coin() ? text : text + spell_exponent(pick(2'000'000'000) - 1'000'000'000);
}

std::string Speller::spell_exponent(int exponent) {
  const std::string sign = exponent < 0 ? "-" : exponent == 0 && coin() ? "-" : coin() ? "+" : "";
  return (coin() ? "e" : "E") + sign + std::string(static_cast<std::size_t>(pick(3)), '0') +
         std::to_string(std::abs(exponent));
}

std::string Speller::spell_string(const std::u32string& string) {
  std::string text = "\"";
  for (const char32_t c : string) text += spell_character(c);
  return text + '"';
}

std::string Speller::spell_character(char32_t c) {
  static constexpr std::string_view short_forms = "\"\"\\\\//\bb\ff\nn\rr\tt";
  const bool must_escape = c < 0x20 || c == '"' || c == '\\';
  const int style = pick(3);
  if (style == 0 && !must_escape) return to_utf8({c});
  for (std::size_t i = 0; style == 1 && i < short_forms.size(); i += 2) {
    if (c == static_cast<char32_t>(short_forms[i])) return {'\\', short_forms[i + 1]};
  }
  std::string text;
  for (const char16_t unit : to_utf16({c})) {
    text += coin() ? fmt::format("\\u{:04x}", static_cast<unsigned>(unit))
                   : fmt::format("\\u{:04X}", static_cast<unsigned>(unit));
  }
  return text;
}

std::string Speller::spell_array(const Model& value) {
  std::string text;
  for (const Model& element : value.elements) text += (text.empty() ? "" : ",") + spell(element);
  return "[" + (text.empty() ? space() : text) + "]";
}

std::string Speller::spell_object(const Model& value) {
  std::vector<std::string> members;
  for (const auto& [key, member] : value.members) {
    members.push_back(space() + spell_string(key) + space() + ":" + spell(member));
  }
  std::shuffle(members.begin(), members.end(), random_);
  std::string text;
  for (const std::string& member : members) text += (text.empty() ? "" : ",") + member;
  return "{" + (text.empty() ? space() : text) + "}";
}

std::string to_utf8(const std::u32string& string) {
  std::string text;
  const auto put = [&text](char32_t byte) { text += static_cast<char>(byte); };
  for (const char32_t c : string) {
    const int tail = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static constexpr char32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    put(lead[tail] | (c >> (6 * tail)));
    for (int i = tail - 1; i >= 0; --i) put(0x80 | ((c >> (6 * i)) & 0x3F));
  }
  return text;
}

std::u16string to_utf16(const std::u32string& string) {
  std::u16string text;
  for (const char32_t c : string) {
    if (c < 0x10000) {
      text += static_cast<char16_t>(c);
    } else {
      text += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
      text += static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
  }
  return text;
}

}  // namespace semel::json
