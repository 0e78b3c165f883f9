#include "domain/queue.hpp"

#include <gtest/gtest.h>

#include "domain/queue_option.hpp"

namespace semel::domain {
namespace {

const Time midnight = from_ms(1'768'867'200'000);

TEST(RateLimit, ReadsCountsAndTimes) {
  EXPECT_EQ(parse_rate("100/sec"), (RateLimit{100, 1s, std::nullopt}));
  EXPECT_EQ(parse_rate("500/min"), (RateLimit{500, 1min, std::nullopt}));
  EXPECT_EQ(parse_rate("20/hour"), (RateLimit{20, 1h, std::nullopt}));
  EXPECT_EQ(parse_rate("1/day"), (RateLimit{1, 24h, std::nullopt}));
  EXPECT_EQ(parse_rate("none")->count, 0);
  for (const char* bad :
       {"", "0/sec", "-1/sec", "1", "1/", "1/s", "1 /sec", "/sec", "1000001/sec", "1.5/sec", "a/sec"}) {
    EXPECT_EQ(parse_rate(bad), std::nullopt) << bad;
  }
  for (const char* text : {"100/sec", "500/min", "20/hour", "1/day", "none"})
    EXPECT_EQ(to_text(*parse_rate(text)), text);
}

TEST(TokenBucket, BeginsWithABurstOfATenthOfASecond) {
  const RateLimit limit{100, 1s, std::nullopt};
  TokenBucket bucket = full_bucket(limit, midnight);

  EXPECT_EQ(tokens(bucket, limit, midnight), 10);
  take(bucket, limit, 10);
  EXPECT_EQ(tokens(bucket, limit, midnight), 0);
  EXPECT_EQ(next_token(bucket, limit), midnight + 10ms);
}

TEST(TokenBucket, GivesOneAtLeast) {
  const RateLimit rare{1, 24h, std::nullopt};
  TokenBucket bucket = full_bucket(rare, midnight);

  EXPECT_EQ(tokens(bucket, rare, midnight), 1);
  take(bucket, rare, 1);
  EXPECT_EQ(tokens(bucket, rare, midnight + 24h - 1ms), 0);
  EXPECT_EQ(next_token(bucket, rare), midnight + 24h);
  EXPECT_EQ(tokens(bucket, rare, midnight + 24h), 1);
}

TEST(TokenBucket, LosesNothingToRounding) {
  const RateLimit odd{7, 1s, 1};
  TokenBucket bucket = full_bucket(odd, midnight);
  std::int64_t taken = 0;
  for (int ms = 0; ms < 100'000; ++ms) {
    if (tokens(bucket, odd, midnight + Duration{ms}) == 0) continue;
    take(bucket, odd, 1);
    taken += 1;
  }
  EXPECT_EQ(taken, 700);
}

TEST(TokenBucket, IsNotFooledByClocksOrChangedLimits) {
  const RateLimit limit{10, 1s, 5};
  TokenBucket bucket = full_bucket(limit, midnight);
  take(bucket, limit, 5);

  EXPECT_EQ(tokens(bucket, limit, midnight - 1h), 0);
  EXPECT_EQ(tokens(bucket, limit, from_ms(253'402'300'799'000)), 5);
  EXPECT_EQ(tokens(bucket, {2, 1s, 1}, from_ms(253'402'300'799'000)), 1);  // a smaller one holds less
}

TEST(QueueSettings, TheTenantCountsBeforeTheConfiguration) {
  QueueOptions tenant;
  tenant.max_running = 0;
  tenant.rate_limit = RateLimit{};
  QueueOptions all;
  all.max_running = 5;
  all.rate_limit = RateLimit{1, 1s, std::nullopt};
  all.paused = true;
  all.retention = 1h;

  const QueueSettings settings = settle(tenant, all);

  EXPECT_EQ(settings.max_running, std::nullopt);
  EXPECT_EQ(settings.rate_limit, std::nullopt);
  EXPECT_TRUE(settings.paused);
  EXPECT_EQ(settings.retention, 1h);
  EXPECT_EQ(settings.max_running_per_key, 1);
  EXPECT_EQ(settle({}, {}), QueueSettings{});
}

TEST(QueueOption, IsReadByItsName) {
  QueueOptions options;
  for (const auto& [name, text] : {std::pair{"retention", "0"},
                                   {"rate_burst", "7"},
                                   {"rate_limit", "5/min"},
                                   {"max_running", "0"},
                                   {"max_running_per_key", "2"},
                                   {"paused", "true"},
                                   {"reuse", "reject_duplicate"},
                                   {"dedup_window", "forever"}}) {
    ASSERT_TRUE(set_queue_option(options, name, text)) << name;
  }

  EXPECT_EQ(options.retention, 0s);
  EXPECT_EQ(options.rate_limit, (RateLimit{5, 1min, 7}));
  EXPECT_EQ(options.max_running, 0);
  EXPECT_EQ(options.max_running_per_key, 2);
  EXPECT_EQ(options.paused, true);
  EXPECT_EQ(options.reuse, Reuse::reject_duplicate);
  EXPECT_EQ(options.dedup_window->kind, DedupWindow::Kind::forever);
  EXPECT_TRUE(check(options));
}

TEST(QueueOption, SaysWhatItShouldBe) {
  const std::pair<std::pair<const char*, const char*>, const char*> cases[] = {
      {{"retention", "soon"}, "retention must be a duration such as \"30d\", or \"0\" to keep nothing"},
      {{"rate_limit", "5"},
       "rate_limit must be a count from 1 to 1000000 and a time, such as \"100/sec\", \"500/min\", \"20/hour\" or "
       "\"1000/day\", or \"none\""},
      {{"rate_burst", "0"}, "rate_burst must be a whole number from 1 to 1000000"},
      {{"max_running", "-1"}, "max_running must be a whole number from 0 to 1000000"},
      {{"max_running_per_key", "0"}, "max_running_per_key must be a whole number from 1 to 1000000"},
      {{"max_running_per_key", "1x"}, "max_running_per_key must be a whole number from 1 to 1000000"},
      {{"paused", "yes"}, "paused must be true or false"},
      {{"reuse", "always"}, "reuse must be one of allow_duplicate_failed_only, reject_duplicate, allow_duplicate"},
      {{"dedup_window", "never"}, "dedup_window must be a duration such as \"24h\", \"retention\" or \"forever\""},
      {{"rate", "1"}, "a queue has no option 'rate'; did you mean rate_limit?"},
      {{"max_runing", "1"}, "a queue has no option 'max_runing'; did you mean max_running?"},
      {{"speed", "1"},
       "a queue has no option 'speed'; it has retention, rate_limit, rate_burst, max_running, max_running_per_key, "
       "paused, reuse, dedup_window, target, target_timeout, target_dedup_window, heartbeat_timeout, max_in_flight"},
      {{"target", "ftp://x"}, "target must be \"http://…\", \"https://…\" or \"cloudtasks://projects/…\", or \"none\""},
      {{"target_timeout", "31m"}, "target_timeout must be a duration from 1ms to 30m"},
      {{"heartbeat_timeout", "0"}, "heartbeat_timeout must be a duration from 1ms to 365d"},
      {{"max_in_flight", "0"}, "max_in_flight must be a whole number from 1 to 1000"}};
  for (const auto& [given, refusal] : cases) {
    QueueOptions options;
    const Result<void> set = set_queue_option(options, given.first, given.second);
    ASSERT_FALSE(set) << given.first;
    EXPECT_EQ(set.error().message, refusal);
  }
  QueueOptions burst;
  ASSERT_TRUE(set_queue_option(burst, "rate_burst", "5"));
  EXPECT_EQ(check(burst).error().message, "rate_burst needs a rate_limit");
}

}  // namespace
}  // namespace semel::domain
