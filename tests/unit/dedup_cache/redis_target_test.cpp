#include "store/dedup_cache/redis_target.hpp"

#include <gmock/gmock.h>

namespace semel::store {
namespace {

TEST(RedisTargets, AreReadFromUrls) {
  const auto plain = parse_redis("redis://cache.example");
  const auto full = parse_redis("redis://semel:p%40ss%2f@[::1]:7000/3");
  const auto password = parse_redis("redis://:secret@127.0.0.1/");

  ASSERT_TRUE(plain && full && password);
  EXPECT_EQ(plain->host, "cache.example");
  EXPECT_EQ(plain->port, 6379);
  EXPECT_EQ(plain->database, 0);
  EXPECT_EQ(full->host, "::1");
  EXPECT_EQ(full->port, 7000);
  EXPECT_EQ(full->user, "semel");
  EXPECT_EQ(full->password, "p@ss/");
  EXPECT_EQ(full->database, 3);
  EXPECT_EQ(password->user, "");
  EXPECT_EQ(password->password, "secret");
}

TEST(RedisTargets, AreRefusedWithWhatIsWrongAndWithoutThePassword) {
  for (const char* url :
       {"", "rediss://cache", "redis://", "redis://:secret@", "redis://u:secret@host:0", "redis://u:secret@host:99999",
        "redis://u:secret@host/x", "redis://u:secret%4@host", "redis://user@host", "redis://[::1"}) {
    const auto target = parse_redis(url);
    ASSERT_FALSE(target) << url;
    EXPECT_THAT(target.error().message, testing::HasSubstr("redis://HOST"));
    EXPECT_THAT(target.error().message, testing::Not(testing::HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace semel::store
