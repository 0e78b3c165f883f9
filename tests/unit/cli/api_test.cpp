#include "cli/client/api.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace semel::cli {
namespace {

/// Answers by a script; nothing left in it = no server.
class ScriptedTransport final : public Transport {
 public:
  explicit ScriptedTransport(std::deque<Result<HttpReply>> replies) : replies_(std::move(replies)) {}

  Result<HttpReply> send(const HttpCall& call) override {
    bodies.push_back(call.body);
    if (replies_.empty()) return refuse(ErrorCode::unavailable, "nobody there");
    Result<HttpReply> reply = std::move(replies_.front());
    replies_.pop_front();
    return reply;
  }

  std::vector<std::string> bodies;

 private:
  std::deque<Result<HttpReply>> replies_;
};

const Result<HttpReply> lost = refuse(ErrorCode::unavailable, "the connection was lost");
const HttpReply good{.status = 201, .body = "{}"};
const HttpReply busy{.status = 503, .body = "{}"};
const HttpCall post{.method = "POST", .target = "/v1/tasks", .body = "{\"a\":1}"};

class Retries : public testing::Test {
 protected:
  Result<HttpReply> call(ScriptedTransport& transport, Repeat repeat, int retries = 3) {
    return Api(transport, {retries, [this](Duration length) { pauses_.push_back(length); }}).call(post, repeat);
  }

  std::vector<Duration> pauses_;
};

TEST_F(Retries, SendTheSameAgainUntilThereIsAnAnswer) {
  ScriptedTransport transport({lost, busy, good});

  const Result<HttpReply> reply = call(transport, Repeat::safe);

  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 201);
  EXPECT_EQ(transport.bodies, std::vector<std::string>(3, post.body));
  EXPECT_EQ(pauses_, (std::vector<Duration>{200ms, 400ms}));
}

TEST_F(Retries, WaitAsLongAsTheServerAsks) {
  HttpReply later = busy;
  later.retry_after = 7s;
  ScriptedTransport transport({later, good});

  EXPECT_EQ(call(transport, Repeat::safe)->status, 201);

  EXPECT_EQ(pauses_, std::vector<Duration>{7s});
}

TEST_F(Retries, DoNotWaitForeverForAServer) {
  HttpReply much_later = busy;
  much_later.retry_after = retry_after_max + 1s;
  ScriptedTransport transport({much_later, good});

  EXPECT_EQ(call(transport, Repeat::safe)->status, 503);

  EXPECT_TRUE(pauses_.empty());
}

TEST_F(Retries, EndWithTheLastAnswer) {
  ScriptedTransport transport({lost, lost, busy});

  const Result<HttpReply> reply = call(transport, Repeat::safe, 2);

  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 503);
  EXPECT_EQ(transport.bodies.size(), 3u);
}

TEST_F(Retries, AreNotMadeOfWhatIsNotSafe) {
  for (const Result<HttpReply>& first : {lost, Result<HttpReply>(busy)}) {
    ScriptedTransport transport({first, good});

    const Result<HttpReply> reply = call(transport, Repeat::never);

    EXPECT_EQ(reply.has_value(), first.has_value());
    EXPECT_EQ(transport.bodies.size(), 1u);
  }
}

TEST_F(Retries, AreNotMadeAfterOtherAnswers) {
  for (const int status : {200, 400, 404, 409, 500}) {
    ScriptedTransport transport({HttpReply{.status = status}, good});

    EXPECT_EQ(call(transport, Repeat::safe)->status, status);
  }
}

TEST(PauseBeforeRetry, GrowsToALimit) {
  EXPECT_EQ(pause_before_retry(0, std::nullopt), 200ms);
  EXPECT_EQ(pause_before_retry(4, std::nullopt), 3200ms);
  EXPECT_EQ(pause_before_retry(50, std::nullopt), 3200ms);
  EXPECT_EQ(pause_before_retry(0, 0s), 0s);
}

}  // namespace
}  // namespace semel::cli
