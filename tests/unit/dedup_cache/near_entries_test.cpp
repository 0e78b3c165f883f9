#include "store/dedup_cache/near_entries.hpp"

#include <gtest/gtest.h>

#include "tests/support/builders.hpp"

namespace semel::store {
namespace {

using Clock = NearEntries::Clock;

const Time start = test::ManualClock::start;
const Clock::time_point noon{};

DedupCache::Identity identity(const std::string& name) { return {"acme", test::hash_of(name)}; }

std::shared_ptr<const CacheEntry> entry(const std::string& name, Time until = start + 5s) {
  return std::make_shared<const CacheEntry>(CacheEntry{identity(name), until, {}});
}

TEST(NearEntriesTest, AreFoundUntilEitherClockSaysThatTheyAreOver) {
  NearEntries near({});
  near.put(entry("a"), noon + 5s);

  EXPECT_TRUE(near.find(identity("a"), start + 4999ms, noon + 4999ms));
  EXPECT_FALSE(near.find({"globex", identity("a").hash}, start, noon));
  EXPECT_FALSE(near.find(identity("a"), start + 5s, noon));
  near.put(entry("a"), noon + 5s);
  EXPECT_FALSE(near.find(identity("a"), start, noon + 5s));
  near.put(entry("a"), noon + 5s);
  near.forget(identity("a"));
  EXPECT_FALSE(near.find(identity("a"), start, noon));
}

TEST(NearEntriesTest, AskForAnEntryOnceWhenAnIdentityIsMetTwiceInAShortTime) {
  NearEntries near({.met_within = 10s});

  EXPECT_FALSE(near.met(identity("a"), noon));
  EXPECT_FALSE(near.met(identity("a"), noon + 10s));
  EXPECT_TRUE(near.met(identity("a"), noon + 11s));
  EXPECT_FALSE(near.met(identity("a"), noon + 11s));
  near.put(entry("a"), noon + 16s);
  EXPECT_TRUE(near.met(identity("a"), noon + 16s));
}

TEST(NearEntriesTest, LeaveAnIdentityAloneThatNothingIsPromisedOf) {
  NearEntries near({.met_within = 10s});
  near.met(identity("a"), noon);
  near.met(identity("a"), noon);

  near.asked_in_vain(identity("a"), noon);

  EXPECT_FALSE(near.met(identity("a"), noon + 1s));
  EXPECT_FALSE(near.met(identity("a"), noon + 9s));
  EXPECT_TRUE(near.met(identity("a"), noon + 10s));
}

TEST(NearEntriesTest, ForgetTheOldestWhenThereAreTooMany) {
  NearEntries near({.identities_max = 4});

  for (const char* name : {"a", "b", "c", "d", "e"}) near.put(entry(name), noon + 5s);

  EXPECT_FALSE(near.find(identity("a"), start, noon));
  EXPECT_FALSE(near.find(identity("b"), start, noon));
  for (const char* name : {"c", "d", "e"}) EXPECT_TRUE(near.find(identity(name), start, noon)) << name;
}

}  // namespace
}  // namespace semel::store
