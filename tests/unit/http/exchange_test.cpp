#include "api/http/transport/exchange.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace semel::http {
namespace {

struct FakeConversation final : Conversation {
  void answer_later(std::uint64_t, std::optional<Response> response) override {
    answers.push_back(response ? response->status : 0);
  }
  void watch_later(std::uint64_t) override { ++watches; }

  std::vector<int> answers;
  int watches = 0;
};

struct ExchangeTest : ::testing::Test {
  void leave() { outcome = exchange->leave_handler(); }
  void respond(int status) {
    Response response;
    response.status = status;
    exchange->respond(std::move(response));
  }

  std::shared_ptr<FakeConversation> conversation = std::make_shared<FakeConversation>();
  std::shared_ptr<Exchange> exchange = std::make_shared<Exchange>(conversation, 1);
  Exchange::Outcome outcome;
  int gone = 0;
};

TEST_F(ExchangeTest, AnAnswerInsideTheHandlerIsHandedBackNotPosted) {
  respond(200);
  leave();

  ASSERT_TRUE(outcome.response);
  EXPECT_EQ(outcome.response->status, 200);
  EXPECT_TRUE(conversation->answers.empty());
}

TEST_F(ExchangeTest, AnAnswerAfterTheHandlerIsPosted) {
  leave();
  respond(201);

  EXPECT_FALSE(outcome.response);
  EXPECT_EQ(conversation->answers, std::vector<int>{201});
}

TEST_F(ExchangeTest, OnlyTheFirstAnswerCounts) {
  leave();
  respond(200);
  respond(500);
  exchange.reset();

  EXPECT_EQ(conversation->answers, std::vector<int>{200});
}

TEST_F(ExchangeTest, LettingGoWithoutAnAnswerIsToldToTheConversation) {
  leave();
  exchange.reset();

  EXPECT_EQ(conversation->answers, std::vector<int>{0});
}

TEST_F(ExchangeTest, AnAnswerToAConversationThatHasEndedDoesNothing) {
  leave();
  conversation.reset();

  respond(200);
  exchange->on_gone([this] { ++gone; });

  EXPECT_EQ(gone, 0);
}

TEST_F(ExchangeTest, TheConversationIsWatchedOnlyWhenTheHandlerAsks) {
  leave();
  EXPECT_FALSE(outcome.wants_watch);
  EXPECT_EQ(conversation->watches, 0);

  exchange->on_gone([] {});
  EXPECT_EQ(conversation->watches, 1);
}

TEST_F(ExchangeTest, AWatchAskedForInsideTheHandlerIsHandedBack) {
  exchange->on_gone([] {});
  leave();

  EXPECT_TRUE(outcome.wants_watch);
  EXPECT_EQ(conversation->watches, 0);
}

TEST_F(ExchangeTest, TheCallbackRunsOnceWhenTheClientGoes) {
  exchange->on_gone([this] { ++gone; });
  leave();

  exchange->gone();
  exchange->gone();

  EXPECT_EQ(gone, 1);
}

TEST_F(ExchangeTest, TheCallbackDoesNotRunOnceAnswered) {
  exchange->on_gone([this] { ++gone; });
  leave();

  respond(200);
  exchange->gone();

  EXPECT_EQ(gone, 0);
}

TEST_F(ExchangeTest, ACallbackThatComesTooLateRunsAtOnce) {
  leave();
  exchange->gone();

  exchange->on_gone([this] { ++gone; });

  EXPECT_EQ(gone, 1);
}

TEST_F(ExchangeTest, ACallbackMayHoldTheAnswerWithoutHoldingItForEver) {
  const std::weak_ptr<Exchange> watched = exchange;
  exchange->on_gone([held = exchange] {});
  leave();

  respond(200);
  exchange.reset();

  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace semel::http
