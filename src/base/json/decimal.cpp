#include "base/json/decimal.hpp"

#include <algorithm>

#include "base/json/canonical.hpp"

namespace semel::json {
namespace {

/// The digits after "e", as far as they matter: what exceeds this stays out of range however many zeros the
/// token has, because a token is short.
constexpr std::int64_t exponent_cap = 10 * limits::exponent_max;

std::int64_t parse_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char digit : text) exponent = std::min(exponent * 10 + (digit - '0'), exponent_cap);
  return negative ? -exponent : exponent;
}

int sign_of(const Decimal& value) { return value.zero() ? 0 : value.negative() ? -1 : 1; }

std::string digits_of(const Decimal& value) {
  std::string digits;
  value.append_digits(0, value.digits(), digits);
  return digits;
}

/// Without their signs. Digits begin with no zero, so the point decides first; they end with none, so a longer text
/// that begins alike is greater.
int compare_magnitudes(const Decimal& left, const Decimal& right) {
  if (left.point() != right.point()) return left.point() < right.point() ? -1 : 1;
  const int order = digits_of(left).compare(digits_of(right));
  return (order > 0) - (order < 0);
}

}  // namespace

Result<Decimal> Decimal::parse(std::string_view token) {
  if (token.size() > limits::number_chars_max) {
    return bad_request("number of {} characters (at most {} are allowed)", token.size(), limits::number_chars_max);
  }
  Decimal value;
  value.negative_ = token.starts_with('-');
  if (value.negative_) token.remove_prefix(1);

  const std::size_t e = std::min(token.find_first_of("eE"), token.size());
  const std::string_view mantissa = token.substr(0, e);
  const std::size_t dot = std::min(mantissa.find('.'), mantissa.size());
  value.before_ = mantissa.substr(0, dot);
  if (dot < mantissa.size()) value.after_ = mantissa.substr(dot + 1);
  value.point_ = static_cast<std::int64_t>(dot);
  value.strip_zeros();
  if (value.zero()) return Decimal();

  if (e < token.size()) value.point_ += parse_exponent(token.substr(e + 1));
  const std::int64_t exponent = value.point_ - 1;
  if (exponent > limits::exponent_max || exponent < -limits::exponent_max) {
    return bad_request("number with an exponent beyond ±{}", limits::exponent_max);
  }
  return value;
}

void Decimal::strip_zeros() {
  const auto strip_leading = [this](std::string_view& digits) {
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    digits.remove_prefix(zeros);
    point_ -= static_cast<std::int64_t>(zeros);
  };
  const auto strip_trailing = [](std::string_view& digits) {
    digits = digits.substr(0, digits.find_last_not_of('0') + 1);  // npos + 1 is 0: nothing but zeros
  };
  strip_leading(before_);
  if (before_.empty()) strip_leading(after_);
  strip_trailing(after_);
  if (after_.empty()) strip_trailing(before_);
}

void Decimal::append_digits(std::int64_t begin, std::int64_t end, std::string& out) const {
  const auto from = static_cast<std::size_t>(begin);
  const auto to = static_cast<std::size_t>(end);
  const std::size_t split = before_.size();
  if (from < split) out.append(before_.substr(from, std::min(to, split) - from));
  if (to > split) {
    const std::size_t first = std::max(from, split) - split;
    out.append(after_.substr(first, to - split - first));
  }
}

int compare(const Decimal& left, const Decimal& right) {
  const int sign = sign_of(left);
  if (sign != sign_of(right)) return sign < sign_of(right) ? -1 : 1;
  return sign == 0 ? 0 : sign * compare_magnitudes(left, right);
}

}  // namespace semel::json
