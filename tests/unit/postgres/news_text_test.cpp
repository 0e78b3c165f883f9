#include "store/postgres/news_text.hpp"

#include <gmock/gmock.h>

#include "tests/support/manual_clock.hpp"

namespace semel::store::postgres {
namespace {

Change change_of_number(int number) {
  Change change;
  change.tenant = "acme";
  change.queue = number % 2 == 0 ? "mail" : "default";
  change.handler = "send";
  change.id.uuid.bytes[15] = static_cast<std::uint8_t>(number);
  change.id.uuid.bytes[14] = static_cast<std::uint8_t>(number >> 8);
  change.state = domain::State::completed;
  change.attempt = number;
  return change;
}

News some_news() {
  News news;
  news.now = test::ManualClock::start;
  return news;
}

/// What arrives when all texts have, in order.
News received(const std::vector<std::string>& texts) {
  News all;
  for (const std::string& text : texts) {
    const auto part = decode_news(text);
    EXPECT_TRUE(part) << text;
    if (!part) continue;
    EXPECT_EQ(part->server, "server-1");
    all.now = part->news.now;
    all.changes.insert(all.changes.end(), part->news.changes.begin(), part->news.changes.end());
    all.ready.insert(all.ready.end(), part->news.ready.begin(), part->news.ready.end());
    all.templates_changed = all.templates_changed || part->news.templates_changed;
    all.queues_changed = all.queues_changed || part->news.queues_changed;
    all.keys_changed = all.keys_changed || part->news.keys_changed;
    all.schedules_changed = all.schedules_changed || part->news.schedules_changed;
    all.something_was_missed = all.something_was_missed || part->news.something_was_missed;
  }
  return all;
}

TEST(NewsText, BringsEveryPartOfAChange) {
  News news = some_news();
  Change change = change_of_number(3);
  change.namespace_ = "shop";
  change.name = "charge";
  change.is_new = change.took_over = change.is_ready = true;
  change.timer = news.now + 30s;
  Change run = change_of_number(5);
  run.kind = domain::Kind::workflow;
  Change promise = change_of_number(6);
  promise.kind = domain::Kind::promise;
  news.changes = {change, change_of_number(4), run, promise};
  news.ready = {{"acme", "mail", "send"}};

  const News read = received(encode_news("server-1", news));

  EXPECT_EQ(read.now, news.now);
  EXPECT_EQ(read.changes, news.changes);
  EXPECT_EQ(read.ready, news.ready);
  EXPECT_FALSE(read.templates_changed || read.queues_changed || read.keys_changed || read.schedules_changed);
  EXPECT_FALSE(read.something_was_missed);
}

TEST(NewsText, BringsWhatElseHasChangedEachAlone) {
  for (bool News::* each : {&News::templates_changed, &News::queues_changed, &News::keys_changed,
                            &News::schedules_changed, &News::something_was_missed}) {
    News news = some_news();
    news.*each = true;

    const News read = received(encode_news("server-1", news));

    EXPECT_TRUE(read.*each);
    EXPECT_EQ(read.templates_changed + read.queues_changed + read.keys_changed + read.schedules_changed +
                  read.something_was_missed,
              1);
  }
}

TEST(NewsText, IsCutWhereNotifyTakesNoMore) {
  News news = some_news();
  for (int i = 0; i < 1'000; ++i) news.changes.push_back(change_of_number(i));

  const std::vector<std::string> texts = encode_news("server-1", news);

  EXPECT_GT(texts.size(), 5u);
  EXPECT_LT(texts.size(), 20u);
  for (const std::string& text : texts) EXPECT_LE(text.size(), news_bytes_max);
  EXPECT_EQ(received(texts).changes, news.changes);
}

TEST(NewsText, OfNothingIsNothing) { EXPECT_THAT(encode_news("server-1", some_news()), testing::IsEmpty()); }

TEST(NewsText, PassesOverLinesOfNewerServers) {
  const auto read = decode_news("1 server-9 17\nr acme mail send\nshiny new things\n");

  ASSERT_TRUE(read);
  EXPECT_EQ(read->server, "server-9");
  EXPECT_EQ(read->news.ready.size(), 1u);
}

TEST(NewsText, RefusesWhatIsNoNews) {
  for (const char* text :
       {"", "hello", "2 server 17\n", "1 server\n", "1 server noon\n", "1 s 1\nc 0 x 0 0 0 -\n", "1 s 1\ns acme\n",
        "1 s 1\nr acme\n", "1 s 1\ns a b c\nc 1 00000000-0000-0000-0000-000000000000 0 0 0 -\n",
        "1 s 1\ns a b c\nc 0 00000000-0000-0000-0000-000000000000 99 0 0 -\n"}) {
    EXPECT_FALSE(decode_news(text)) << text;
  }
}

}  // namespace
}  // namespace semel::store::postgres
