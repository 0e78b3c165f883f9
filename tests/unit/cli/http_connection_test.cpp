#include "cli/client/http_connection.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <latch>

#include "tests/support/tiny_server.hpp"

namespace semel::cli {
namespace {

using test::TinyServer;

/// A connection to a server whose first answer waits until the test lets it go.
class ConnectionTest : public testing::Test {
 protected:
  /// Sends a call and returns when the server has it.
  void send_and_wait() {
    connection_.send({.target = "/first"}, [this](Result<HttpReply> reply) { first_ = std::move(reply); });
    while (server_.requests().empty()) loop_.poll();
    loop_.poll();
  }

  std::optional<Result<HttpReply>> first_;
  std::latch may_answer_{1};
  TinyServer server_{[this](const auto&, std::size_t number) {
    if (number == 1) may_answer_.wait();
    return TinyServer::json(200, std::to_string(number));
  }};
  boost::asio::io_context loop_{1};
  HttpConnection connection_{loop_, make_http_peer(*parse_url("http://" + server_.address()), {})};
};

TEST_F(ConnectionTest, ThatIsAbandonedSaysNothingAndCanBeUsedAgain) {
  std::optional<Result<HttpReply>> second;
  send_and_wait();

  connection_.abandon();
  may_answer_.count_down();
  connection_.send({.target = "/second"}, [&](Result<HttpReply> reply) { second = std::move(reply); });
  loop_.run();

  EXPECT_FALSE(first_);
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->body, "2");
}

TEST_F(ConnectionTest, HearsALastAnswerAfterItStoppedWaiting) {
  send_and_wait();

  const bool may_come = connection_.stop_waiting();
  may_answer_.count_down();
  loop_.run();

  EXPECT_TRUE(may_come);
  ASSERT_TRUE(first_ && *first_);
  EXPECT_EQ((*first_)->body, "1");
}

TEST_F(ConnectionTest, WithoutACallHasNothingToHear) {
  may_answer_.count_down();

  EXPECT_FALSE(connection_.stop_waiting());
}

}  // namespace
}  // namespace semel::cli
