#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// The duplicates that a holder has prevented, as GET /v1/tasks/{id} shows them.
namespace semel::test {
namespace {

class Duplicates : public ServerFixture {
 protected:
  const Json keyed_{{"handler", "charge"}, {"idempotency_key", "order-1"}, {"context", 1}};

  Json hit(const std::string& key, const std::string& answer) {
    return {{"at", to_rfc3339(clock_.now())}, {"key_id", key}, {"answer", answer}};
  }
  void repeat(int times, const std::string& key = "reader") {
    for (int i = 0; i < times; ++i) expect_opaque(submit(key, keyed_));
  }
};

TEST_F(Duplicates, AreCountedWithWhoAskedAndWhatWasAnswered) {
  const std::string id = create("other", keyed_);
  const auto with = [&](const Json& members) {
    Json request = keyed_;
    request.update(members);
    return request;
  };

  submit("maker", keyed_);
  submit("reader", keyed_);
  submit("reader", with({{"on_duplicate", "describe"}}));
  submit("reader", with({{"on_duplicate", "return_existing"}}));
  submit("reader", with({{"context", 2}}));
  submit("other", with({{"handler", "refund"}}));

  const Json expected{hit("maker", "409 CONFLICT"),
                      hit("reader", "409 CONFLICT"),
                      hit("reader", "409 described"),
                      hit("reader", "200"),
                      hit("reader", "422 IDEMPOTENCY_KEY_MISMATCH"),
                      hit("other", "409 IDEMPOTENCY_KEY_CONFLICT")};
  EXPECT_EQ(task(id)["duplicates"], (Json{{"at_least", 6}, {"last", expected}}));
}

TEST_F(Duplicates, AreListedUpToTheLastTwentyNewestLast) {
  const std::string id = create("reader", keyed_);
  repeat(15);
  maintain();
  clock_.advance(1s);
  repeat(10, "maker");

  const Json seen = task(id)["duplicates"];

  EXPECT_EQ(seen["at_least"], 25);
  ASSERT_EQ(seen["last"].size(), 20u);
  EXPECT_EQ(seen["last"][19], hit("maker", "409 CONFLICT"));
  EXPECT_EQ(seen["last"][9]["key_id"], "reader");
  EXPECT_EQ(seen["last"][10]["key_id"], "maker");
}

TEST_F(Duplicates, AreNoneAtFirstAndBelongToTheirHolder) {
  const std::string first = create("reader", keyed_);
  const std::string second = create("reader", {{"handler", "charge"}, {"idempotency_key", "order-2"}});

  repeat(2);

  EXPECT_EQ(task(first)["duplicates"]["at_least"], 2);
  EXPECT_EQ(task(second)["duplicates"], (Json{{"at_least", 0}, {"last", Json::array()}}));
}

TEST_F(Duplicates, ThatWereFlushedSurviveARestart) {
  const std::string id = create("reader", keyed_);
  repeat(3);
  maintain();

  restart();

  EXPECT_EQ(task(id)["duplicates"]["at_least"], 3);
  repeat(1);
  EXPECT_EQ(task(id)["duplicates"]["at_least"], 4);
}

TEST_F(Duplicates, RideAlongWithTheNextCommitThatWrites) {
  const std::string id = create("reader", keyed_);
  const std::string other = create("reader", {{"handler", "charge"}});
  repeat(3);

  ASSERT_EQ(post("admin", "/v1/tasks/" + other + "/cancel", Json::object()).status, 200);

  EXPECT_EQ(instance().store().duplicates("acme", *domain::ExecutionId::parse(id)).count, 3u);
  EXPECT_EQ(task(id)["duplicates"]["at_least"], 3);
}

TEST_F(Duplicates, WithinABatchAreCountedToo) {
  const Json tasks{keyed_, keyed_, keyed_};

  const Json results = post("reader", "/v1/tasks:batch", {{"tasks", tasks}}).json()["results"];

  EXPECT_EQ(task(results[0]["body"]["task_uuid"])["duplicates"]["at_least"], 2);
}

}  // namespace
}  // namespace semel::test
