#include "api/http/transport/response_text.hpp"

#include <gtest/gtest.h>

#include "api/http/transport/outbox.hpp"
#include "api/http/transport/refusal.hpp"

namespace semel::http {
namespace {

Response response_of(int status, std::string body) {
  Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

std::string head_of(const Response& response, const ResponseFrame& frame) {
  std::string text;
  write_head(response, frame, text);
  return text;
}

TEST(ResponseText, AHeadTellsTypeLengthAndRequestIdAndForbidsGuessingAndCaching) {
  EXPECT_EQ(head_of(response_of(201, "{}"), {.request_id = "abc"}),
            "HTTP/1.1 201 Created\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 2\r\n"
            "X-Request-Id: abc\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Cache-Control: no-store\r\n"
            "\r\n");
}

TEST(ResponseText, AClosingConnectionSaysSo) {
  const std::string head = head_of(response_of(200, ""), {.request_id = "a", .closes = true});

  EXPECT_NE(head.find("\r\nConnection: close\r\n"), std::string::npos);
}

TEST(ResponseText, AnHttp10ConnectionThatStaysOpenSaysSo) {
  const std::string head = head_of(response_of(200, ""), {.request_id = "a", .is_http10 = true});

  EXPECT_NE(head.find("\r\nConnection: keep-alive\r\n"), std::string::npos);
}

TEST(ResponseText, HeadersOfTheHandlerAreAddedAndItsCachingWins) {
  Response response = response_of(200, "x");
  response.headers = {{"Retry-After", "3"}, {"cache-control", "max-age=60"}};

  const std::string head = head_of(response, {.request_id = "a"});

  EXPECT_NE(head.find("\r\nRetry-After: 3\r\n"), std::string::npos);
  EXPECT_NE(head.find("\r\ncache-control: max-age=60\r\n"), std::string::npos);
  EXPECT_EQ(head.find("no-store"), std::string::npos);
}

TEST(ResponseText, NoContentHasNeitherTypeNorLength) {
  const std::string head = head_of(response_of(204, ""), {.request_id = "a"});

  EXPECT_TRUE(head.starts_with("HTTP/1.1 204 No Content\r\n"));
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  EXPECT_EQ(head.find("Content-Type:"), std::string::npos);
}

TEST(ResponseTextDeathTest, ALineBreakInAHeaderStopsTheProcess) {
  Response response = response_of(200, "");
  response.headers = {{"X-Name", "a\r\nSet-Cookie: b"}};

  EXPECT_DEATH(head_of(response, {.request_id = "a"}), "invariant broken");
}

TEST(Refusal, ItsBodyIsTheErrorShapeOfTheApi) {
  const Response response = to_response(payload_too_large_refusal(10));

  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.body,
            R"({"error":{"code":"PAYLOAD_TOO_LARGE","message":"the body is over the 10 bytes that this path takes: )"
            R"(send a smaller one"}})");
}

TEST(Outbox, ASmallBodyGoesInOnePieceWithTheHeadALargeOneInTwo) {
  Outbox outbox;

  outbox.load(response_of(200, "small"), {.request_id = "a"});
  EXPECT_TRUE(outbox.first().ends_with("\r\n\r\nsmall"));
  EXPECT_TRUE(outbox.second().empty());

  const std::string large(100'000, 'x');
  outbox.load(response_of(200, large), {.request_id = "a"});
  EXPECT_TRUE(outbox.first().ends_with("\r\n\r\n"));
  EXPECT_EQ(outbox.second(), large);
}

TEST(Outbox, ItIsEmptyOnceEveryByteOfBothPiecesIsSent) {
  Outbox outbox;
  outbox.load(response_of(200, std::string(10'000, 'x')), {.request_id = "a"});
  const std::string all = std::string(outbox.first()) + std::string(outbox.second());

  std::string sent;
  while (!outbox.is_empty()) {
    const std::string_view piece = outbox.first().empty() ? outbox.second() : outbox.first();
    const std::size_t count = std::min<std::size_t>(piece.size(), 7);
    sent.append(piece.substr(0, count));
    outbox.sent(count);
  }

  EXPECT_EQ(sent, all);
}

}  // namespace
}  // namespace semel::http
