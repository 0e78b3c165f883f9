#include "cli/work/patience.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/client/api.hpp"

namespace semel::cli::work {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Result<HttpReply> no_answer = refuse(ErrorCode::unavailable, "cannot reach it");
const Result<HttpReply> good_answer = HttpReply{.status = 200};

class PatienceTest : public testing::Test {
 protected:
  std::optional<Duration> after(const Result<HttpReply>& reply) { return patience_.pause_after(reply, failures_); }

  std::vector<std::string> told_;
  Patience patience_{[this](const std::string& text) { told_.push_back(text); }};
  int failures_ = 0;
};

TEST_F(PatienceTest, EndsWithAnyAnswerThatIsNotTemporary) {
  for (const int status : {200, 400, 401, 403, 404, 409, 413}) EXPECT_FALSE(after(HttpReply{.status = status}));
  for (const int status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(after(HttpReply{.status = status}));
}

TEST_F(PatienceTest, TriesAtOnceAndSilentlyWhenAConnectionIsLost) {
  EXPECT_EQ(after(no_answer), Duration{0});
  EXPECT_FALSE(after(good_answer));

  EXPECT_THAT(told_, ElementsAre());
}

TEST_F(PatienceTest, GrowsAndTellsOnce) {
  const std::vector<std::optional<Duration>> pauses{after(no_answer), after(no_answer), after(no_answer),
                                                    after(no_answer)};
  EXPECT_FALSE(after(good_answer));
  EXPECT_FALSE(after(good_answer));

  EXPECT_THAT(pauses, ElementsAre(0ms, 200ms, 400ms, 800ms));
  EXPECT_THAT(told_, ElementsAre("cannot reach it; trying again until it answers", "the server answers again"));
}

TEST_F(PatienceTest, TellsOfAnOutageOnceForAllCalls) {
  int other = 0;
  for (int i = 0; i < 3; ++i) {
    after(no_answer);
    patience_.pause_after(no_answer, other);
  }

  EXPECT_EQ(told_.size(), 1u);
}

TEST_F(PatienceTest, WaitsAsLongAsTheServerAsksWithinReason) {
  const Result<HttpReply> busy = HttpReply{
      .status = 503, .body = R"({"error":{"code":"UNAVAILABLE","message":"too much"}})", .retry_after = Duration{7s}};
  const Result<HttpReply> very_busy = HttpReply{.status = 503, .retry_after = Duration{1h}};

  EXPECT_EQ(after(busy), Duration{7s});
  EXPECT_EQ(after(very_busy), retry_after_max);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("too much (503 UNAVAILABLE)")));
}

}  // namespace
}  // namespace semel::cli::work
