#include <gmock/gmock.h>

#include <thread>

#include "api/http/transport/request_id.hpp"
#include "tests/unit/http/test_server.hpp"

namespace semel::http {
namespace {

using ::testing::HasSubstr;
using SessionTest = ServerTest;

TEST_F(SessionTest, TheHandlerGetsTheWholeRequestDecoded) {
  start();
  Client client = connect();

  const Answer answer = client.ask(post("/v1/tasks:batch%20x?a=b+c", "{\"n\":1}",
                                        "Content-Type: Application/JSON; charset=utf-8\r\n"
                                        "Idempotency-Key: \"key 1\"\r\nAuthorization: Bearer t\r\n"));

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.reason, "OK");
  const nlohmann::json seen = json_of(answer);
  EXPECT_EQ(seen["method"], "POST");
  EXPECT_EQ(seen["path"], "/v1/tasks:batch x");
  EXPECT_EQ(seen["query"].dump(), R"([["a","b c"]])");
  EXPECT_EQ(seen["content_type"], "application/json");
  EXPECT_EQ(seen["idempotency_key"], "\"key 1\"");
  EXPECT_EQ(seen["authorization"], "Bearer t");
  EXPECT_EQ(seen["body"], "{\"n\":1}");
  EXPECT_EQ(seen["from_loopback"], true);
}

TEST_F(SessionTest, EveryAnswerCarriesItsStandardHeaders) {
  start();
  const Answer answer = connect().ask(get("/"));

  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
  EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
  EXPECT_EQ(answer.headers.count("connection"), 0u);
}

TEST_F(SessionTest, AConnectionServesManyRequests) {
  start();
  Client client = connect();

  for (int request = 0; request < 100; ++request) {
    EXPECT_EQ(json_of(client.ask(get("/" + std::to_string(request))))["path"], "/" + std::to_string(request));
  }
  EXPECT_EQ(server->connections(), 1u);
}

TEST_F(SessionTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  Client client = connect();
  std::string requests;
  for (int request = 0; request < 500; ++request) {
    requests += request % 2 ? get("/" + std::to_string(request)) : post("/" + std::to_string(request), "abc");
  }

  std::jthread sender([&] { client.send(requests); });

  for (int request = 0; request < 500; ++request) {
    ASSERT_EQ(json_of(client.read_answer())["path"], "/" + std::to_string(request));
  }
}

TEST_F(SessionTest, PipelinedRequestsWaitForTheAnswerOfTheOneBefore) {
  Parking parking;
  handler.script = [&](Request request, Respond respond) {
    if (request.path == "/slow") return parking.park(std::move(respond));
    respond(TestHandler::echo(request));
  };
  start();
  Client client = connect();
  client.send(get("/slow") + get("/fast") + get("/slow") + get("/last"));

  for (const std::string_view next : {"/fast", "/last"}) {
    Response slow;
    slow.body = "slow";
    parking.take(1)[0](slow);

    EXPECT_EQ(client.read_answer().body, "slow");
    EXPECT_EQ(json_of(client.read_answer())["path"], next);
  }
}

TEST_F(SessionTest, EmptyLinesBeforeARequestAreSkipped) {
  start();
  EXPECT_EQ(connect().ask("\r\n\r\n" + get("/")).status, 200);
}

TEST_F(SessionTest, AChunkedBodyArrivesWhole) {
  start();
  const Answer answer = connect().ask(
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nHost: evil\r\n\r\n");

  EXPECT_EQ(json_of(answer)["body"], "hello world");
}

TEST_F(SessionTest, ALargeBodyAndALargeAnswerArriveWhole) {
  start();
  const std::string body(8 * 1024 * 1024, 'x');
  Client client = connect();

  std::jthread sender([&] { client.send(post("/", body)); });
  const Answer answer = client.read_answer();

  EXPECT_EQ(json_of(answer)["body"], body);
}

TEST_F(SessionTest, HeadIsGetWithoutTheBody) {
  start();
  Client client = connect();

  const Answer head = client.ask("HEAD /a HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: 1\r\n\r\n", false);
  const Answer get_answer = client.ask(get("/a", "X-Request-Id: 1\r\n"));

  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), get_answer.headers.at("content-length"));
  EXPECT_EQ(json_of(get_answer)["method"], "GET");
}

TEST_F(SessionTest, AnUnknownMethodIsTheHandlersToJudge) {
  start();
  EXPECT_EQ(json_of(connect().ask("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n"))["method"], "BREW");
}

TEST_F(SessionTest, ConnectionCloseIsRespected) {
  start();
  Client client = connect();

  EXPECT_EQ(client.ask(get("/", "Connection: close\r\n")).headers.at("connection"), "close");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(SessionTest, Http10ClosesUnlessAskedToStay) {
  start();
  Client closing = connect();
  Client staying = connect();

  EXPECT_EQ(closing.ask("GET / HTTP/1.0\r\n\r\n").headers.at("connection"), "close");
  EXPECT_TRUE(closing.is_closed_by_server());
  for (int request = 0; request < 2; ++request) {
    const Answer answer = staying.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(answer.headers.at("connection"), "keep-alive");
  }
}

TEST_F(SessionTest, AClientThatHasEndedSendingStillGetsItsAnswers) {
  start();
  Client client = connect();
  client.send(get("/1") + get("/2"));
  client.end_sending();

  EXPECT_EQ(json_of(client.read_answer())["path"], "/1");
  EXPECT_EQ(json_of(client.read_answer())["path"], "/2");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(SessionTest, ASaneRequestIdIsKeptAndAnyOtherReplaced) {
  start();
  Client client = connect();

  const Answer kept = client.ask(get("/", "X-Request-Id: order-7.a_B\r\n"));
  EXPECT_EQ(kept.headers.at("x-request-id"), "order-7.a_B");
  EXPECT_EQ(json_of(kept)["request_id"], "order-7.a_B");

  for (const std::string& header :
       {std::string(), std::string("X-Request-Id: a b\r\n"), "X-Request-Id: " + std::string(129, 'x') + "\r\n"}) {
    const Answer fresh = client.ask(get("/", header));
    EXPECT_EQ(fresh.headers.at("x-request-id").size(), 16u);
    EXPECT_EQ(json_of(fresh)["request_id"], fresh.headers.at("x-request-id"));
  }
}

TEST_F(SessionTest, RefusalsOfTheTransportCarryARequestIdToo) {
  start();

  EXPECT_EQ(connect().ask("nonsense\r\n\r\n").headers.at("x-request-id").size(), 16u);
  EXPECT_EQ(connect().ask(get("/%", "X-Request-Id: mine\r\n")).headers.at("x-request-id"), "mine");
}

TEST_F(SessionTest, AHandlerThatThrowsGives500AndTheConnectionGoesOn) {
  handler.script = [](Request request, Respond respond) {
    if (request.path == "/throw") throw std::runtime_error("secret");
    if (request.path == "/throw-other") throw 42;
    respond(TestHandler::echo(request));
  };
  start();
  Client client = connect();

  for (const std::string_view path : {"/throw", "/throw-other"}) {
    const Answer failed = client.ask(get(path));
    EXPECT_EQ(failed.status, 500);
    EXPECT_EQ(error_code_of(failed), "INTERNAL");
    EXPECT_THAT(failed.body, ::testing::Not(HasSubstr("secret")));
  }
  EXPECT_EQ(client.ask(get("/ok")).status, 200);
}

TEST_F(SessionTest, AHandlerThatForgetsToAnswerGives500) {
  handler.script = [](Request, Respond) {};
  start();

  EXPECT_EQ(connect().ask(get("/")).status, 500);
}

TEST_F(SessionTest, OnlyTheFirstOfTwoAnswersIsSent) {
  handler.script = [](Request request, Respond respond) {
    respond(TestHandler::echo(request));
    respond(TestHandler::echo(request));
  };
  start();
  Client client = connect();

  EXPECT_EQ(json_of(client.ask(get("/1")))["path"], "/1");
  EXPECT_EQ(json_of(client.ask(get("/2")))["path"], "/2");
}

TEST_F(SessionTest, AnswersMayComeFromManyThreadsAtOnce) {
  Parking parking;
  handler.script = [&](Request, Respond respond) { parking.park(std::move(respond)); };
  start();
  constexpr int clients = 50;
  constexpr int rounds = 20;
  std::vector<Client> connected;
  for (int made = 0; made < clients; ++made) connected.push_back(connect());

  for (int round = 0; round < rounds; ++round) {
    for (Client& client : connected) client.send(get("/"));
    std::vector<Respond> waiting = parking.take(clients);
    {
      std::vector<std::jthread> responders;
      for (std::size_t first = 0; first < 4; ++first) {
        responders.emplace_back([&waiting, first] {
          for (std::size_t at = first; at < waiting.size(); at += 4) waiting[at](Response());
        });
      }
    }
    for (Client& client : connected) ASSERT_EQ(client.read_answer().status, 200);
  }
}

TEST_F(SessionTest, ManyClientsAreServedAtOnce) {
  start();
  std::atomic<int> answered = 0;
  {
    std::vector<std::jthread> clients;
    for (int made = 0; made < 16; ++made) {
      clients.emplace_back([&] {
        Client client = connect();
        for (int request = 0; request < 200; ++request) {
          if (client.ask(post("/", "abc")).status == 200) ++answered;
        }
      });
    }
  }
  EXPECT_EQ(answered, 16 * 200);
}

}  // namespace
}  // namespace semel::http
