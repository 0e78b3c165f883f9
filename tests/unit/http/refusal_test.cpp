#include <gmock/gmock.h>

#include <thread>

#include "tests/unit/http/test_server.hpp"

namespace semel::http {
namespace {

using ::testing::HasSubstr;

struct RefusalTest : ServerTest {
  /// Asks on a connection of its own and expects to be refused without the handler's knowing, and let go.
  Answer refused(const std::string& bytes) {
    if (!server) start();
    Client client = connect();
    Answer answer = client.ask(bytes);
    EXPECT_EQ(answer.headers["connection"], "close") << bytes;
    EXPECT_TRUE(client.is_closed_by_server()) << bytes;
    EXPECT_EQ(handler.calls, 0) << bytes;
    return answer;
  }
};

TEST_F(RefusalTest, WhatIsNotHttpGets400) {
  for (const std::string& bytes : {std::string("nonsense\r\n\r\n"), std::string("GET / HTTP/2.0\r\n\r\n"),
                                   std::string("GET / HTTP/1.1\r\nHost : localhost\r\n\r\n"), get("nopath"),
                                   get("http://localhost/"), get("/%zz"), get("/a%00b"), get("/?q=%00"), get("/%ff")}) {
    const Answer answer = refused(bytes);
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(error_code_of(answer), "BAD_REQUEST");
  }
}

TEST_F(RefusalTest, FramingThatAProxyCouldReadOtherwiseIsRefused) {
  struct Case {
    std::string headers;
    int status;
  };
  for (const Case& tried : {
           Case{"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400},
           Case{"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", 400},
           Case{"Content-Length: 4\r\nContent-Length: 4\r\n", 400},
           Case{"Content-Length: 4\r\nContent-Length: 5\r\n", 400},
           Case{"Content-Length: 4, 4\r\n", 400},
           Case{"Content-Length: 0x4\r\n", 400},
           Case{"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
           Case{"Transfer-Encoding: gzip\r\n", 501},
           Case{"Transfer-Encoding: gzip, chunked\r\n", 501},
           Case{"Transfer-Encoding: chunked, identity\r\n", 501},
           Case{"Transfer-Encoding: xchunked\r\n", 501},
           Case{"Transfer-Encoding:\r\n", 501},
           Case{"Transfer-Encoding: gzip\r\nContent-Length: 4\r\n", 501},
       }) {
    EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: localhost\r\n" + tried.headers + "\r\n0\r\n\r\n").status, tried.status)
        << tried.headers;
  }
  EXPECT_EQ(refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").status, 501);
}

TEST_F(RefusalTest, AHeaderThatMayStandOnceMustNotStandTwice) {
  for (const std::string_view header :
       {"Host: localhost\r\n", "Idempotency-Key: a\r\nIdempotency-Key: b\r\n",
        "Authorization: a\r\nAuthorization: b\r\n", "Content-Type: a/b\r\nContent-Type: a/c\r\n"}) {
    EXPECT_EQ(refused(get("/", header)).status, 400) << header;
  }
}

TEST_F(RefusalTest, AForeignPageGets403) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        std::string("GET / HTTP/1.0\r\nHost: evil.example:7420\r\n\r\n"), get("/", "Origin: http://evil.example\r\n"),
        get("/", "Origin: null\r\n"), get("/", "Sec-Fetch-Site: cross-site\r\n")}) {
    const Answer answer = refused(bytes);
    EXPECT_EQ(answer.status, 403);
    EXPECT_EQ(error_code_of(answer), "FORBIDDEN");
  }
}

TEST_F(RefusalTest, AMissingHostIs400OnHttp11Only) {
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(connect().ask("GET / HTTP/1.0\r\n\r\n").status, 200);
}

TEST_F(RefusalTest, PagesOfThisMachineAndItsListenAddressMayAsk) {
  start();
  Client client = connect();

  EXPECT_EQ(client.ask(get("/", "Origin: http://localhost:5173\r\nSec-Fetch-Site: same-site\r\n")).status, 200);
  EXPECT_EQ(client.ask("GET / HTTP/1.1\r\nHost: " + server->address() + "\r\n\r\n").status, 200);
}

TEST_F(RefusalTest, AServerThatDoesNotCheckOriginsTakesAnyHost) {
  options.check_origin = false;
  start();

  EXPECT_EQ(connect().ask("GET / HTTP/1.1\r\nHost: a.example\r\nOrigin: http://b.example\r\n\r\n").status, 200);
}

TEST_F(RefusalTest, HeadersBeyondTheLimitGet431) {
  const Answer answer = refused(get("/", "X-Pad: " + std::string(17'000, 'x') + "\r\n"));

  EXPECT_EQ(answer.status, 431);
  EXPECT_EQ(error_code_of(answer), "HEADERS_TOO_LARGE");
  EXPECT_THAT(answer.body, HasSubstr("16384"));
}

TEST_F(RefusalTest, EndlessHeadersGet431WhileTheyAreBeingSent) {
  start();
  Client client = connect();
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n");
  while (!client.is_readable_within(0)) client.send("A: b\r\n");

  EXPECT_EQ(client.read_answer().status, 431);
}

TEST_F(RefusalTest, ABodyThatAnnouncesTooMuchGets413BeforeItIsSent) {
  const Answer answer = refused("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n");

  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(error_code_of(answer), "PAYLOAD_TOO_LARGE");
}

TEST_F(RefusalTest, ABodyOfExactlyTheLimitIsTaken) {
  start();
  EXPECT_EQ(json_of(connect().ask(post("/small", "0123456789")))["body"], "0123456789");
}

TEST_F(RefusalTest, AChunkedBodyGets413WhenItGrowsTooLarge) {
  EXPECT_EQ(refused("POST /small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "5\r\nhello\r\n6\r\n")
                .status,
            413);
}

TEST_F(RefusalTest, AClientThatSendsItsWholeBodyBeforeItReadsStillSeesThe413) {
  start();
  Client client = connect();
  client.send("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8388608\r\n\r\n");

  EXPECT_TRUE(client.send(std::string(8'388'608, 'x')));  // more than the socket buffers hold: it is being drained
  EXPECT_EQ(client.read_answer().status, 413);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(RefusalTest, DrainingEndsAtItsLimitOfBytes) {
  options.drain_bytes_max = 1024 * 1024;
  start();
  Client client = connect();
  client.send("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n");

  const std::string piece(1024 * 1024, 'x');
  int pieces = 0;
  while (pieces < 100 && client.send(piece)) ++pieces;

  EXPECT_LT(pieces, 100);
  EXPECT_TRUE(connections_reach(0));
}

TEST_F(RefusalTest, DrainingEndsAtItsLimitOfTime) {
  options.drain_time_max = 20ms;
  start();
  Client client = connect();

  EXPECT_EQ(client.ask("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n").status, 413);
  EXPECT_TRUE(connections_reach(0));
}

TEST_F(RefusalTest, ExpectContinueIsAnsweredBeforeTheBody) {
  start();
  Client client = connect();

  const Answer go_on =
      client.ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(go_on.status, 100);
  EXPECT_EQ(json_of(client.ask("hello"))["body"], "hello");
}

TEST_F(RefusalTest, ExpectContinueOfATooLargeBodyGets413Instead) {
  const Answer answer =
      refused("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\nExpect: 100-continue\r\n\r\n");

  EXPECT_EQ(answer.status, 413);
}

TEST_F(RefusalTest, AnExpectationThatIsNotUnderstoodGets417) {
  EXPECT_EQ(refused(get("/", "Expect: miracles\r\n")).status, 417);
}

}  // namespace
}  // namespace semel::http
