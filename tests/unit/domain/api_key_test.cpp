#include "domain/api_key.hpp"

#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "domain/principal.hpp"

namespace semel::domain {
namespace {

TEST(KeySecret, IsMadeOfAllTheRandomBits) {
  const KeySecret secret = make_key_secret({0xABCD'0123'4567'89AB, 1, 2, 0xFFFF'FFFF'FFFF'FFFF});

  EXPECT_EQ(secret.id, "0123456789ab");
  EXPECT_EQ(secret.text, "semel_0123456789ab_00000000000000010000000000000002ffffffffffffffff");
  EXPECT_EQ(secret.hash, sha256(secret.text));
  EXPECT_EQ(hash_of_secret(secret.text), secret.hash);
}

TEST(ApiKey, IsValidUntilItExpiresOrIsRevoked) {
  ApiKey key;
  const Time now = from_ms(1'000'000);
  EXPECT_TRUE(key.is_valid(now));
  key.expires_at = now;
  EXPECT_TRUE(key.is_valid(now - 1ms));
  EXPECT_FALSE(key.is_valid(now));
  key.expires_at.reset();
  key.revoked_at = now + 1h;
  EXPECT_FALSE(key.is_valid(now));
}

TEST(Permission, NamesGoThereAndBack) {
  const std::vector<std::string_view> names = permission_names(all_permissions);
  EXPECT_EQ(names, (std::vector<std::string_view>{"tasks:create", "tasks:read", "tasks:cancel", "workers", "admin"}));
  std::uint8_t bits = 0;
  for (const std::string_view name : names) bits |= static_cast<std::uint8_t>(parse_permission(name).value());
  EXPECT_EQ(bits, all_permissions);
  EXPECT_EQ(parse_permission("root"), std::nullopt);
  EXPECT_EQ(permission_names(0).size(), 0u);
}

TEST(Principal, OnlyAdministratorsOfTheDefaultTenantAreOperators) {
  EXPECT_TRUE((Principal{"default", "k", all_permissions}.is_operator()));
  EXPECT_FALSE((Principal{"acme", "k", all_permissions}.is_operator()));
  EXPECT_FALSE((Principal{"default", "k", 15}.is_operator()));
}

}  // namespace
}  // namespace semel::domain
