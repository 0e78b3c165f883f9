#include "domain/names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace semel::domain {
namespace {

bool is_name(std::string_view text) { return check_name("queue", text).has_value(); }

std::string refusal_of(std::string_view key) {
  const Result<void> checked = check_key("idempotency_key", key);
  return checked ? "" : checked.error().message;
}

TEST(CheckName, TakesLettersDigitsAndThreeMarks) {
  for (const std::string_view name : {"a", "Z", "0", "_", ".", "-", "payments.v2_EU-1", "..", "-x"}) {
    EXPECT_TRUE(is_name(name)) << name;
  }
}

TEST(CheckName, RefusesEveryOtherByte) {
  const std::string allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);

    EXPECT_EQ(is_name(std::string("a") + c), allowed.find(c) != std::string::npos) << "byte " << byte;
  }
}

TEST(CheckName, TakesOneToAHundredCharacters) {
  EXPECT_FALSE(is_name(""));
  EXPECT_TRUE(is_name(std::string(100, 'n')));
  EXPECT_FALSE(is_name(std::string(101, 'n')));
}

TEST(CheckName, SaysWhichFieldAndWhatIsAllowed) {
  const Result<void> checked = check_name("queue", "a b");

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::bad_request);
  EXPECT_EQ(checked.error().message, "queue must be 1 to 100 characters of A-Z a-z 0-9 _ . -");
}

TEST(CheckKey, CountsBytesNotCharacters) {
  std::string two_bytes_each;
  for (int i = 0; i < 127; ++i) two_bytes_each += "é";

  EXPECT_EQ(refusal_of("k"), "");
  EXPECT_EQ(refusal_of(std::string(255, 'k')), "");
  EXPECT_EQ(refusal_of(std::string(256, 'k')), "idempotency_key is 256 bytes long; at most 255 are allowed");
  EXPECT_EQ(refusal_of(two_bytes_each + "k"), "");
  EXPECT_EQ(refusal_of(two_bytes_each + "é"), "idempotency_key is 256 bytes long; at most 255 are allowed");
}

TEST(CheckKey, RefusesAnEmptyKey) {
  EXPECT_EQ(refusal_of(""), "idempotency_key must not be empty; leave it out to send none");
}

TEST(CheckKey, RefusesExactlyTheControlCharactersOfAscii) {
  for (int byte = 0; byte < 0x80; ++byte) {
    const std::string key = std::string("a") + static_cast<char>(byte) + "b";
    const bool control = byte < 0x20 || byte == 0x7F;

    EXPECT_EQ(refusal_of(key), control ? "idempotency_key must not contain control characters" : "") << "byte " << byte;
  }
}

TEST(CheckKey, RefusesExactlyTheControlCharactersOfLatin1) {
  for (int second = 0x80; second <= 0xBF; ++second) {
    const std::string key = std::string("\xC2") + static_cast<char>(second);

    EXPECT_EQ(refusal_of(key).empty(), second >= 0xA0) << "C2 " << second;
  }
}

TEST(CheckKey, TakesCharactersWhoseBytesLookLikeControls) {
  EXPECT_EQ(refusal_of("\xC3\x80"), "");          // À: a continuation byte below A0 after another lead byte
  EXPECT_EQ(refusal_of("\xE2\x82\xAC"), "");      // €
  EXPECT_EQ(refusal_of("\xF0\x9F\x98\x80"), "");  // 😀
  EXPECT_EQ(refusal_of("\xE0\xA4\x82\xC3\x82"), "");
}

TEST(CheckKey, RefusesInvalidUtf8) {
  const std::vector<std::string> bad{"\x80", "\xC2", "\xC0\x80", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                     "\xFF", "a\xC2"};
  for (const std::string& key : bad) EXPECT_EQ(refusal_of(key), "idempotency_key is not valid UTF-8");
}

}  // namespace
}  // namespace semel::domain
