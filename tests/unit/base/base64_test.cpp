#include "base/base64.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace semel {
namespace {

// RFC 4648, section 10.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> base64_vectors{{{"", ""},
                                                                                       {"f", "Zg=="},
                                                                                       {"fo", "Zm8="},
                                                                                       {"foo", "Zm9v"},
                                                                                       {"foob", "Zm9vYg=="},
                                                                                       {"fooba", "Zm9vYmE="},
                                                                                       {"foobar", "Zm9vYmFy"}}};

TEST(Base64, GivesTheVectorsOfTheRfc) {
  for (const auto& [bytes, text] : base64_vectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes) << text;
  }
}

TEST(Base64, OfUrlsHasItsOwnAlphabetAndNoPadding) {
  EXPECT_EQ(to_base64("\xfb\xff\xfe"), "+//+");
  EXPECT_EQ(to_base64url("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(from_base64url("-__-"), "\xfb\xff\xfe");
  EXPECT_EQ(to_base64url("f"), "Zg");
  EXPECT_EQ(from_base64url("Zg"), "f");
}

TEST(Base64, ReadsBackEveryByte) {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);

  EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
}

TEST(Base64, HasOneTextForEachBytes) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Zh==", "Z", "Zm9v=", "Zm9v\n", "Zm 9", "-__-", "====", "Zg==Zg=="})
    EXPECT_FALSE(from_base64(text)) << text;
  for (const char* text : {"Zg==", "Zh", "Z", "+//+", "Zm9v "}) EXPECT_FALSE(from_base64url(text)) << text;
}

}  // namespace
}  // namespace semel
