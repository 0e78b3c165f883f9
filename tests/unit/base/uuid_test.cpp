#include "base/uuid.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace semel {
namespace {

constexpr std::string_view example = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";  // RFC 9562, A.6

TEST(Uuid, ReadsAndWritesItsTextInLowerCase) {
  EXPECT_EQ(Uuid::parse(example)->text(), example);
  EXPECT_EQ(Uuid::parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")->text(), example);
  EXPECT_EQ(Uuid{}.text(), "00000000-0000-0000-0000-000000000000");
}

TEST(Uuid, KeepsItsBytesInNetworkOrder) {
  const Uuid uuid = Uuid::parse("00112233-4455-6677-8899-aabbccddeeff").value();

  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(uuid.bytes[i], i * 0x11);
  EXPECT_EQ(uuid.view().size(), 16u);
  EXPECT_EQ(uuid.view()[1], '\x11');
}

TEST(Uuid, ReadsNothingButThe36CharacterForm) {
  const std::vector<std::string> bad{
      "",
      "017f22e279b07cc398c4dc0c0c07398f",
      "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
      "urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
      "017f22e279b0-7cc3-98c4-dc0c-0c07398f",
      "017f22e2-79b0-7cc3-98c4_dc0c0c07398f",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398 ",
      "-17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
      std::string(36, '-'),
      std::string(36, '0'),
  };
  for (const std::string& text : bad) EXPECT_EQ(Uuid::parse(text), std::nullopt) << text;
}

TEST(Uuid, TellsItsVersionAndVariant) {
  EXPECT_EQ(Uuid::parse(example)->version(), 7);
  EXPECT_TRUE(Uuid::parse(example)->is_rfc_variant());
  EXPECT_EQ(uuid_namespace_dns().version(), 1);
  for (const char variant : std::string_view("01234567cdef")) {
    std::string text(example);
    text[19] = variant;

    EXPECT_FALSE(Uuid::parse(text)->is_rfc_variant()) << variant;
  }
  for (const char variant : std::string_view("89ab")) {
    std::string text(example);
    text[19] = variant;

    EXPECT_TRUE(Uuid::parse(text)->is_rfc_variant()) << variant;
  }
}

TEST(Uuid, MakesTheVersion5OfRfc9562) {
  EXPECT_EQ(Uuid::v5(uuid_namespace_dns(), "www.example.com").text(), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  EXPECT_EQ(Uuid::v5(uuid_namespace_dns(), "python.org").text(), "886313e1-3b8a-5372-9b90-0c9aee199e5d");
}

TEST(Uuid, KnowsTheNamespaceOfDomainNames) {
  EXPECT_EQ(uuid_namespace_dns().text(), "6ba7b810-9dad-11d1-80b4-00c04fd430c8");
}

TEST(Uuid, OrdersByItsBytes) {
  const Uuid low = Uuid::parse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f").value();
  const Uuid high = Uuid::parse("027f22e2-79b0-7cc3-98c4-dc0c0c07398e").value();

  EXPECT_LT(low, high);
  EXPECT_LT(low.text(), high.text());
}

TEST(UuidHasher, TellsUuidsOfOneMillisecondApart) {
  std::set<std::size_t> hashes;
  for (int i = 0; i < 256; ++i) {
    Uuid uuid = Uuid::parse(example).value();
    uuid.bytes[7] = static_cast<std::uint8_t>(i);
    hashes.insert(UuidHasher{}(uuid));
  }

  EXPECT_EQ(hashes.size(), 256u);
}

}  // namespace
}  // namespace semel
