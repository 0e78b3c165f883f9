#include "cli/client/http.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "tests/support/tiny_server.hpp"

namespace semel::cli {
namespace {

using test::TinyServer;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

HttpTransport to(const TinyServer& server, HttpTransport::Options options = {}) {
  return {*parse_url("http://" + server.address() + "/base"), std::move(options)};
}

TEST(HttpTransport, SendsARequestAndReadsItsAnswer) {
  TinyServer server([](const auto&...) { return TinyServer::json(201, R"({"a":1})"); });

  const Result<HttpReply> reply =
      to(server, {.key = "semel_k"}).send({.method = "POST", .target = "/v1/tasks?x=1", .body = "{}"});

  ASSERT_TRUE(reply) << reply.error().message;
  const std::string request = server.requests().at(0);
  EXPECT_EQ(reply->status, 201);
  EXPECT_EQ(reply->body, R"({"a":1})");
  EXPECT_EQ(reply->retry_after, std::nullopt);
  EXPECT_THAT(request, StartsWith("POST /base/v1/tasks?x=1 HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Host: " + server.address() + "\r\n"));
  EXPECT_THAT(request, HasSubstr("Authorization: Bearer semel_k\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(request, testing::EndsWith("\r\n\r\n{}"));
}

TEST(HttpTransport, SendsNoBodyAndNoKeyUnlessThereIsOne) {
  TinyServer server([](const auto&...) { return TinyServer::json(200, "{}"); });

  ASSERT_TRUE(to(server).send({.target = "/healthz"}));

  const std::string request = server.requests().at(0);
  EXPECT_THAT(request, Not(HasSubstr("Authorization")));
  EXPECT_THAT(request, Not(HasSubstr("Content-")));
}

TEST(HttpTransport, ReadsWhenToTryAgain) {
  TinyServer server([&](const auto&...) { return TinyServer::json(503, "{}", "Retry-After: 7\r\n"); });

  EXPECT_EQ(to(server).send({.target = "/"})->retry_after, Duration{7s});
}

TEST(HttpTransport, IgnoresARetryAfterThatIsADate) {
  TinyServer server(
      [&](const auto&...) { return TinyServer::json(503, "{}", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"); });

  EXPECT_EQ(to(server).send({.target = "/"})->retry_after, std::nullopt);
}

TEST(HttpTransport, ConnectsAgainAfterAConnectionHasEnded) {
  TinyServer server([](const auto&, std::size_t number) { return number == 2 ? "" : TinyServer::json(200, "{}"); });
  HttpTransport transport = to(server);

  EXPECT_TRUE(transport.send({.target = "/"}));
  const Result<HttpReply> lost = transport.send({.target = "/"});
  EXPECT_TRUE(transport.send({.target = "/"}));

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::unavailable);
  EXPECT_THAT(lost.error().message, HasSubstr("without an answer"));
}

TEST(HttpTransport, DoesNotWaitForeverForAnAnswer) {
  std::mutex held;  // as long as the test goes on, the server does not answer
  std::unique_lock lock(held);
  TinyServer server([&](const auto&...) {
    const std::lock_guard waiting(held);
    return std::string();
  });

  const Result<HttpReply> reply = to(server, {.answer_time = 20ms}).send({.target = "/"});
  lock.unlock();

  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("does not answer in time"));
}

TEST(HttpTransport, SaysWhereItFoundNobody) {
  std::string address;
  {
    const TinyServer gone([](const auto&...) { return std::string(); });
    address = gone.address();
  }

  const Result<HttpReply> reply = HttpTransport(*parse_url("http://" + address), {}).send({.target = "/"});

  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, StartsWith("cannot reach http://" + address + ": Connection refused"));
  EXPECT_THAT(reply.error().message, HasSubstr("--url or SEMEL_URL"));
}

TEST(HttpTransport, RefusesWhatIsNotHttp) {
  TinyServer server([](const auto&...) { return std::string("220 mail ready\r\n\r\n"); });

  EXPECT_FALSE(to(server).send({.target = "/"}));
}

}  // namespace
}  // namespace semel::cli
