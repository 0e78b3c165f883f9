#include "api/http/transport/request_reader.hpp"

#include <gtest/gtest.h>

namespace semel::http {
namespace {

using Event = RequestReader::Event;

struct Reading {
  Event last = Event::more;
  std::string body;
  Head head;
  int status = 0;
};

/// Feeds the bytes in pieces of `step`, as a socket would, up to the first whole request or refusal.
Reading read_in_pieces(std::string_view bytes, std::size_t step, std::size_t body_bytes_max = 1000) {
  RequestReader reader(512);
  reader.begin();
  std::string pending;
  Reading reading;
  while (reading.last != Event::complete && reading.last != Event::refused) {
    std::string_view rest = pending;
    reading.last = reader.feed(rest);
    pending.erase(0, pending.size() - rest.size());
    if (reading.last == Event::head && !reader.limit_body(body_bytes_max)) break;
    if (reading.last != Event::more) continue;
    if (bytes.empty()) break;
    pending.append(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
  reading.body = reader.body();
  reading.head = reader.head();
  if (reading.last == Event::refused) reading.status = reader.refusal().status;
  return reading;
}

TEST(RequestReader, AChunkedBodyIsTheSameHoweverItsBytesArrive) {
  const std::string bytes =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n1;name=value\r\n \r\n00a\r\n0123456789\r\n0\r\nHost: evil\r\nX-Request-Id: late\r\n\r\n";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const Reading reading = read_in_pieces(bytes, step);

    ASSERT_EQ(reading.last, Event::complete) << step;
    EXPECT_EQ(reading.body, "hello 0123456789");
    EXPECT_EQ(reading.head.host, "h") << "a trailer is no header";
    EXPECT_EQ(reading.head.request_id, "");
  }
}

TEST(RequestReader, AnEmptyChunkedBodyMayArriveByteByByte) {
  const Reading reading =
      read_in_pieces("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1);

  EXPECT_EQ(reading.last, Event::complete);
  EXPECT_EQ(reading.body, "");
}

TEST(RequestReader, TrailersAreAsLongAsAHeadAtMostHoweverTheyArrive) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto with_last_chunk_of = [&](std::size_t bytes) {
    const std::string begin = "0\r\nA: ";
    const std::string end = "\r\n\r\n";
    return head + begin + std::string(bytes - begin.size() - end.size(), 'a') + end;
  };
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
    EXPECT_EQ(read_in_pieces(with_last_chunk_of(512), step).last, Event::complete) << step;
    EXPECT_EQ(read_in_pieces(with_last_chunk_of(513), step).status, 400) << step;
    EXPECT_EQ(read_in_pieces(with_last_chunk_of(2'000), step).status, 400) << step;
  }
}

TEST(RequestReader, AHeadIsTheSameHoweverItsBytesArrive) {
  const std::string bytes =
      "PUT /a?b=c HTTP/1.0\r\nCONTENT-type: Text/Plain\r\nidempotency-KEY:  \"k 1\" \r\nauthorization: "
      "Bearer t\r\n"
      "x-request-id: r\r\nsec-fetch-site: none\r\norigin: http://o\r\nContent-Length: 3\r\n\r\nabc";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const Reading reading = read_in_pieces(bytes, step);

    ASSERT_EQ(reading.last, Event::complete) << step;
    EXPECT_EQ(reading.head.method, "PUT");
    EXPECT_EQ(reading.head.target, "/a?b=c");
    EXPECT_FALSE(reading.head.is_http11);
    EXPECT_EQ(reading.head.content_type, "Text/Plain");
    EXPECT_EQ(reading.head.idempotency_key, "\"k 1\"");
    EXPECT_EQ(reading.head.authorization, "Bearer t");
    EXPECT_EQ(reading.head.request_id, "r");
    EXPECT_EQ(reading.head.fetch_site, "none");
    EXPECT_EQ(reading.head.origin, "http://o");
    EXPECT_EQ(reading.body, "abc");
  }
}

TEST(RequestReader, TheHeadMayBeExactlyAsLargeAsItsLimit) {
  const std::string start = "GET / HTTP/1.1\r\nHost: h\r\nX-Pad: ";
  const std::string fits = start + std::string(512 - start.size() - 4, 'x') + "\r\n\r\n";
  const std::string over = start + std::string(512 - start.size() - 3, 'x') + "\r\n\r\n";
  for (const std::size_t step : {1u, 7u, 10'000u}) {
    EXPECT_EQ(read_in_pieces(fits, step).last, Event::complete);
    EXPECT_EQ(read_in_pieces(over, step).status, 431);
  }
}

TEST(RequestReader, ManySmallHeadersAreTooLargeTogether) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int field = 0; field < 200; ++field) bytes += "A: b\r\n";
  for (const std::size_t step : {1u, 100u, 10'000u}) EXPECT_EQ(read_in_pieces(bytes, step).status, 431);
}

TEST(RequestReader, AnEndlessRequestLineChunkHeaderOrTrailerIsCutOff) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string endless(2000, 'x');
  for (const std::size_t step : {1u, 100u, 10'000u}) {
    EXPECT_EQ(read_in_pieces("GET /" + endless, step).status, 431);
    EXPECT_EQ(read_in_pieces(chunked + "1;" + endless, step).status, 400);
    EXPECT_EQ(read_in_pieces(chunked + "0\r\nA: " + endless, step).status, 400);
  }
}

TEST(RequestReader, AChunkedBodyIsRefusedOnceItGrowsBeyondItsLimit) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";

  EXPECT_EQ(read_in_pieces(head + "a\r\n0123456789\r\n0\r\n\r\n", 1, 10).last, Event::complete);
  EXPECT_EQ(read_in_pieces(head + "a\r\n0123456789\r\n1\r\n", 1, 10).status, 413);
  EXPECT_EQ(read_in_pieces(head + "ffffffffffffffff\r\n", 1, 10).status, 413);
}

TEST(RequestReader, WhatIsNotHttpIsRefused) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& bytes : {
           std::string("\x16\x03\x01\x02\x01\x01\xfc\x03\x03 hello, this is TLS\r\n\r\n"),
           std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
           std::string("GET / HTTP/3.0\r\n\r\n"),
           std::string("GET /\r\n\r\n"),
           std::string("GET  / HTTP/1.1\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nHost : h\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\n: h\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nA: b\x01\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"),
           chunked + "x\r\n\r\n",
           chunked + "-1\r\n\r\n",
           chunked + "1\r\nab\r\n0\r\n\r\n",
           chunked + "fffffffffffffffff\r\n",
       }) {
    for (const std::size_t step : {1u, 3u, 10'000u}) {
      const Reading reading = read_in_pieces(bytes, step);
      EXPECT_EQ(reading.last, Event::refused) << bytes;
      EXPECT_EQ(reading.status, 400) << bytes;
    }
  }
}

TEST(RequestReader, LinesThatEndInALineFeedAloneNeverMakeARequest) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\nHost: h\n\n"),
                                   std::string("GET / HTTP/1.1\r\nHost: h\n\r\n\n"), chunked + "1\na\n0\n\n"}) {
    for (const std::size_t step : {1u, 3u, 10'000u}) {
      EXPECT_NE(read_in_pieces(bytes, step).last, Event::complete) << bytes;
    }
  }
}

}  // namespace
}  // namespace semel::http
