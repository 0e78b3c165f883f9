#include "base/sha256.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace semel {
namespace {

TEST(Sha256, GivesTheDigestsThatNistPublished) {
  struct Case {
    std::string message;
    std::string digest;
  };
  const std::vector<Case> cases{
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopq"
       "rstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const Case& each : cases) EXPECT_EQ(to_hex(sha256(each.message)), each.digest) << each.message.size();
}

TEST(Sha256, GivesOneDigestHoweverTheMessageIsCut) {
  const std::string message(200, 'x');
  Sha256 hasher;

  for (const std::size_t cut : {0u, 1u, 55u, 63u, 64u, 65u, 199u, 200u}) {
    const Hash32 digest = hasher.update(message.substr(0, cut)).update(message.substr(cut)).finish();

    EXPECT_EQ(digest, sha256(message)) << cut;
  }
}

TEST(Sha256, StartsAnewAfterEachMessage) {
  Sha256 hasher;
  hasher.update("something else").finish();

  EXPECT_EQ(hasher.update("abc").finish(), sha256("abc"));
  EXPECT_EQ(hasher.finish(), sha256(""));
}

TEST(Sha256, HashesZeroBytes) { EXPECT_NE(sha256(std::string_view("a\0b", 3)), sha256("a")); }

}  // namespace
}  // namespace semel
