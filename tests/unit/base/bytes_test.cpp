#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.hpp"

namespace semel {
namespace {

Hash32 counting() {
  Hash32 hash{};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] = static_cast<std::uint8_t>(i * 8 + 7);
  return hash;
}

TEST(Hex, IsLowerCaseWithTwoDigitsAByte) {
  const std::array<std::uint8_t, 4> bytes{0x00, 0x0F, 0xA0, 0xFF};

  EXPECT_EQ(to_hex(bytes.data(), bytes.size()), "000fa0ff");
  EXPECT_EQ(to_hex(bytes.data(), 0), "");
}

TEST(Hex, IsReadBackInEitherCase) {
  std::string upper = to_hex(counting());
  for (char& digit : upper) digit = static_cast<char>(std::toupper(digit));

  EXPECT_EQ(hash_from_hex(to_hex(counting())), counting());
  EXPECT_EQ(hash_from_hex(upper), counting());
}

TEST(Hex, IsReadOnlyWhenItIsADigest) {
  const std::string good = to_hex(counting());

  EXPECT_EQ(hash_from_hex(""), std::nullopt);
  EXPECT_EQ(hash_from_hex(good.substr(1)), std::nullopt);
  EXPECT_EQ(hash_from_hex(good + "0"), std::nullopt);
  EXPECT_EQ(hash_from_hex(good + "00"), std::nullopt);
  for (const char bad : std::string_view("g -/:@G`")) {
    for (const std::size_t at : {0u, 31u, 63u}) {
      std::string text = good;
      text[at] = bad;

      EXPECT_EQ(hash_from_hex(text), std::nullopt) << text;
    }
  }
}

TEST(Hash32, IsSeenAsItsBytes) { EXPECT_EQ(as_text(counting()).substr(0, 2), "\x07\x0F"); }

TEST(Hash32Hasher, GivesEqualDigestsOneHash) {
  Hash32 other = counting();
  other[0] ^= 1;

  EXPECT_EQ(Hash32Hasher{}(counting()), Hash32Hasher{}(counting()));
  EXPECT_NE(Hash32Hasher{}(counting()), Hash32Hasher{}(other));
}

TEST(Utf8Prefix, NeverCutsACharacter) {
  const std::string text = "aé€😀";  // 1, 2, 3 and 4 bytes

  EXPECT_EQ(utf8_prefix(text, 0), "");
  EXPECT_EQ(utf8_prefix(text, 1), "a");
  EXPECT_EQ(utf8_prefix(text, 2), "a");
  EXPECT_EQ(utf8_prefix(text, 3), "aé");
  EXPECT_EQ(utf8_prefix(text, 5), "aé");
  EXPECT_EQ(utf8_prefix(text, 6), "aé€");
  EXPECT_EQ(utf8_prefix(text, 9), "aé€");
  EXPECT_EQ(utf8_prefix(text, 10), text);
  EXPECT_EQ(utf8_prefix(text, 11), text);
}

}  // namespace
}  // namespace semel
