#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel::json {

/// The exact value of a number token: 0.DIGITS × 10^point, where DIGITS, the significant digits, neither
/// begin nor end with a zero; none at all is the value zero. They lie in the token on both sides of the
/// decimal point, hence the two views.
class Decimal {
 public:
  /// `token` fits JSON's grammar. Refused when it is too long or its exponent is out of range.
  static Result<Decimal> parse(std::string_view token);

  bool negative() const { return negative_; }
  bool zero() const { return digits() == 0; }
  std::int64_t digits() const { return static_cast<std::int64_t>(before_.size() + after_.size()); }
  std::int64_t point() const { return point_; }
  /// Appends the significant digits from number `begin` up to, not including, number `end`.
  void append_digits(std::int64_t begin, std::int64_t end, std::string& out) const;

 private:
  void strip_zeros();

  bool negative_ = false;
  std::string_view before_;  // significant digits before the decimal point of the token
  std::string_view after_;   // and after it
  std::int64_t point_ = 0;
};

/// By value: negative, zero or positive.
int compare(const Decimal& left, const Decimal& right);

}  // namespace semel::json
