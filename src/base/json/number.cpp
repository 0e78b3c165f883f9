#include "base/json/number.hpp"

#include <algorithm>
#include <cstdint>

#include "base/json/decimal.hpp"

namespace semel::json {
namespace {

/// ECMAScript (Number::toString) writes no exponent for values from 1e-6 up to, not including, 1e21.
constexpr std::int64_t plain_digits_max = 21;
constexpr std::int64_t leading_zeros_max = 6;

/// Most numbers are short integers, and those are canonical as they stand.
bool is_canonical_integer(std::string_view token) {
  const bool negative = token.starts_with('-');
  const std::string_view digits = token.substr(negative ? 1 : 0);
  if (digits.size() > plain_digits_max || token == "-0") return false;
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void append_zeros(std::int64_t count, std::string& out) { out.append(static_cast<std::size_t>(count), '0'); }

/// d.ddde+dd
void append_with_exponent(const Decimal& value, std::string& out) {
  value.append_digits(0, 1, out);
  if (value.digits() > 1) {
    out += '.';
    value.append_digits(1, value.digits(), out);
  }
  const std::int64_t exponent = value.point() - 1;
  out += exponent < 0 ? "e" : "e+";
  out += std::to_string(exponent);
}

void append_decimal(const Decimal& value, std::string& out) {
  const std::int64_t digits = value.digits();
  const std::int64_t point = value.point();
  if (value.negative()) out += '-';
  if (point > plain_digits_max || point <= -leading_zeros_max) return append_with_exponent(value, out);
  if (point <= 0) {
    out += "0.";
    append_zeros(-point, out);
    return value.append_digits(0, digits, out);
  }
  value.append_digits(0, std::min(digits, point), out);
  if (digits <= point) return append_zeros(point - digits, out);
  out += '.';
  value.append_digits(point, digits, out);
}

}  // namespace

Result<void> append_canonical_number(std::string_view token, std::string& out) {
  if (is_canonical_integer(token)) {
    out += token;
    return {};
  }
  const Result<Decimal> value = Decimal::parse(token);
  if (!value) return pass_on(value.error());
  if (value->zero()) {
    out += '0';
  } else {
    append_decimal(*value, out);
  }
  return {};
}

}  // namespace semel::json
