#include "base/json/number.hpp"

#include <gtest/gtest.h>

#include "tests/unit/base/canonical_text.hpp"

namespace semel::json {
namespace {

using test::canonical;  // by way of it, so that the grammar of numbers is tried too
using test::refused;

TEST(JsonNumber, IsOneIdentityHoweverItIsWritten) {
  for (const std::string_view one :
       {"1", "1.0", "1.000", "1e0", "1E+0", "1e-0", "10e-1", "0.1e1", "0.001e3", "1000e-3"}) {
    EXPECT_EQ(canonical(one), "1") << one;
  }
  for (const std::string_view hundred : {"100", "100.0", "1e2", "1E2", "0.1e3", "10.00e1", "1e0002"}) {
    EXPECT_EQ(canonical(hundred), "100") << hundred;
  }
  for (const std::string_view value : {"-12.5", "-12.50", "-1.25e1", "-125e-1", "-0.125e2"}) {
    EXPECT_EQ(canonical(value), "-12.5") << value;
  }
}

TEST(JsonNumber, ZeroHasNoSignAndNoExponent) {
  for (const std::string_view zero :
       {"0", "-0", "0.0", "-0.0", "0e5", "-0e5", "0.000e-7", "0e99999999999999999999", "-0.0E-99999999999999999999"}) {
    EXPECT_EQ(canonical(zero), "0") << zero;
  }
}

TEST(JsonNumber, IsNeverRoundedToADouble) {
  EXPECT_EQ(canonical("9007199254740993"), "9007199254740993");
  EXPECT_EQ(canonical("9007199254740992"), "9007199254740992");
  EXPECT_EQ(canonical("0.10000000000000000000"), "0.1");
  EXPECT_EQ(canonical("0.10000000000000000001"), "0.10000000000000000001");
  EXPECT_EQ(canonical("0.1000000000000000055511151231257827"), "0.1000000000000000055511151231257827");
  EXPECT_EQ(canonical("18446744073709551617"), "18446744073709551617");
  EXPECT_EQ(canonical("1e400"), "1e+400");
  EXPECT_EQ(canonical("1e-400"), "1e-400");
}

TEST(JsonNumber, KeepsTheSamplesOfRfc8785AppendixB) {
  for (const std::string_view sample : {"5e-324",
                                        "-5e-324",
                                        "1.7976931348623157e+308",
                                        "-1.7976931348623157e+308",
                                        "9007199254740992",
                                        "-9007199254740992",
                                        "295147905179352830000",
                                        "9.999999999999997e+22",
                                        "1e+23",
                                        "1.0000000000000001e+23",
                                        "999999999999999700000",
                                        "999999999999999900000",
                                        "1e+21",
                                        "9.999999999999997e-7",
                                        "0.000001",
                                        "333333333.3333332",
                                        "333333333.33333325",
                                        "333333333.3333333",
                                        "333333333.3333334",
                                        "333333333.33333343",
                                        "-0.0000033333333333333333",
                                        "1424953923781206.2"}) {
    EXPECT_EQ(canonical(sample), sample);
  }
}

TEST(JsonNumber, IsLaidOutAsEcmaScriptDoes) {
  EXPECT_EQ(canonical("1e20"), "100000000000000000000");
  EXPECT_EQ(canonical("1e21"), "1e+21");
  EXPECT_EQ(canonical("123e19"), "1.23e+21");
  EXPECT_EQ(canonical("999999999999999999999"), "999999999999999999999");
  EXPECT_EQ(canonical("1234567890123456789012"), "1.234567890123456789012e+21");
  EXPECT_EQ(canonical("-1000000000000000000000"), "-1e+21");
  EXPECT_EQ(canonical("123456789012345678901.5"), "123456789012345678901.5");
  EXPECT_EQ(canonical("1234567890123456789012.5"), "1.2345678901234567890125e+21");
  EXPECT_EQ(canonical("1e-6"), "0.000001");
  EXPECT_EQ(canonical("12.5e-7"), "0.00000125");
  EXPECT_EQ(canonical("1e-7"), "1e-7");
  EXPECT_EQ(canonical("0.00000012"), "1.2e-7");
  EXPECT_EQ(canonical("-1.5E+300"), "-1.5e+300");
  EXPECT_EQ(canonical("120.034"), "120.034");
  EXPECT_EQ(canonical("1200.0340e-1"), "120.0034");
  EXPECT_EQ(canonical("100.001e3"), "100001");
  EXPECT_EQ(canonical("100.001e2"), "10000.1");
}

TEST(JsonNumber, AllowsExponentsUpToTheLimitOnceNormalised) {
  EXPECT_EQ(canonical("1e999999999"), "1e+999999999");
  EXPECT_EQ(canonical("9.99e999999999"), "9.99e+999999999");
  EXPECT_EQ(canonical("0.01e1000000001"), "1e+999999999");
  EXPECT_EQ(canonical("1e-999999999"), "1e-999999999");
  EXPECT_EQ(canonical("100e-1000000001"), "1e-999999999");
  EXPECT_EQ(canonical("1e000000000000000000000000000000005"), "100000");
}

TEST(JsonNumber, RefusesExponentsBeyondTheLimit) {
  EXPECT_EQ(canonical("[1e1000000000]"), "refused: number with an exponent beyond ±999999999 at byte 1");
  for (const std::string_view text :
       {"10e999999999", "0.01e1000000002", "1e-1000000000", "0.1e-999999999", "100e-1000000002",
        "1e99999999999999999999", "1e-99999999999999999999", "1e9223372036854775807", "-1e18446744073709551616"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(JsonNumber, AllowsTokensOf1000CharactersAndRefuses1001) {
  const std::string digits(1000, '7');

  EXPECT_EQ(canonical(digits), "7." + digits.substr(1) + "e+999");
  EXPECT_EQ(canonical("0." + std::string(997, '0') + "1"), "1e-998");
  EXPECT_EQ(canonical("-1." + std::string(997, '0')), "-1");
  EXPECT_EQ(canonical("[1" + digits + "]"), "refused: number of 1001 characters (at most 1000 are allowed) at byte 1");
  EXPECT_TRUE(refused("0." + std::string(999, '0')));
  EXPECT_TRUE(refused("1e" + std::string(999, '0')));
}

TEST(JsonNumber, RefusesWhatTheGrammarDoesNotAllow) {
  EXPECT_EQ(canonical("01"), "refused: number with a leading zero at byte 0");
  EXPECT_EQ(canonical("1.e5"), "refused: expected a digit at byte 2, found 'e'");
  EXPECT_EQ(canonical("+1"), "refused: expected a value at byte 0, found '+'");
  for (const std::string_view text : {"00",    "-01",   "-",    "--1",   "1.",    ".5", "-.5", "1e",   "1e+", "1E-",
                                      "1e5.0", "1.2.3", "0x10", "1_000", "1,000", "1f", "0e",  "1 e5", "- 1", "١"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(JsonNumber, AppendsToWhatIsThere) {
  std::string out = "x";

  ASSERT_TRUE(append_canonical_number("1.50", out));
  ASSERT_TRUE(append_canonical_number("-7", out));

  EXPECT_EQ(out, "x1.5-7");
}

}  // namespace
}  // namespace semel::json
