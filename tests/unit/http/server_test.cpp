#include "api/http/transport/server.hpp"

#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "tests/unit/http/test_server.hpp"

namespace semel::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(ServerTest, PortZeroIsAnyFreePortAndTheAddressTellsWhich) {
  start();

  EXPECT_THAT(server->address(), StartsWith("127.0.0.1:"));
  EXPECT_NE(server->address(), "127.0.0.1:0");
  EXPECT_EQ(connect().ask(get("/")).status, 200);
}

TEST_F(ServerTest, Ipv6IsListenedOnAsWell) {
  options.host = "::1";
  try {
    start();
  } catch (const std::runtime_error& error) {  // a machine without IPv6 is told so, with the address
    EXPECT_THAT(error.what(), testing::HasSubstr("::1"));
    return;
  }
  EXPECT_THAT(server->address(), StartsWith("[::1]:"));
  const Answer answer = connect().ask("GET / HTTP/1.1\r\nHost: " + server->address() + "\r\n\r\n");

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(json_of(answer)["from_loopback"], true);
}

TEST_F(ServerTest, AnAddressInUseIsNamedInTheError) {
  start();
  const std::string taken = server->address();
  options.port = static_cast<std::uint16_t>(std::stoi(taken.substr(taken.find(':') + 1)));
  Server second(options, handler);

  try {
    second.start();
    FAIL() << "two servers listen on one port";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(taken));
    EXPECT_THAT(error.what(), HasSubstr("in use"));
  }
}

TEST_F(ServerTest, AHostThatDoesNotExistIsNamedInTheError) {
  options.host = "203.0.113.7";
  EXPECT_THROW(start(), std::runtime_error);
}

TEST_F(ServerTest, AServerThatWasNeverStartedStopsInPeace) {
  Server idle(options, handler);
  idle.stop();
  EXPECT_EQ(idle.connections(), 0u);
}

TEST_F(ServerTest, ConnectionsAreCountedUpAndDown) {
  start();
  std::vector<Client> clients;
  for (std::size_t made = 1; made <= 10; ++made) {
    clients.push_back(connect());
    EXPECT_EQ(clients.back().ask(get("/")).status, 200);
    EXPECT_EQ(server->connections(), made);
  }

  clients.clear();

  EXPECT_TRUE(connections_reach(0));
}

TEST_F(ServerTest, OneConnectionTooManyIsToldToComeBackLater) {
  options.connections_max = 2;
  start();
  Client first = connect();
  Client second = connect();
  EXPECT_EQ(first.ask(get("/")).status, 200);
  EXPECT_EQ(second.ask(get("/")).status, 200);

  for (int tries = 0; tries < 5; ++tries) {
    Client third = connect();
    const Answer answer = third.ask(post("/", std::string(100'000, 'x')));
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(error_code_of(answer), "UNAVAILABLE");
    EXPECT_EQ(answer.headers.at("retry-after"), "1");
    EXPECT_EQ(answer.headers.at("connection"), "close");
    EXPECT_TRUE(third.is_closed_by_server());
  }

  EXPECT_EQ(handler.calls, 2);
  EXPECT_EQ(server->connections(), 2u);
  first.close();
  EXPECT_TRUE(connections_reach(1));
  EXPECT_EQ(connect().ask(get("/")).status, 200);
}

TEST_F(ServerTest, ManyConnectionsTooManyAreAllTurnedAwayAndNoneIsCounted) {
  options.connections_max = 1;
  start();
  Client seated = connect();
  EXPECT_EQ(seated.ask(get("/")).status, 200);

  std::vector<Client> standing;
  for (int made = 0; made < 400; ++made) standing.push_back(connect());
  for (Client& client : standing) EXPECT_EQ(client.read_answer().status, 503);

  EXPECT_EQ(server->connections(), 1u);
  EXPECT_EQ(seated.ask(get("/")).status, 200);
}

struct StopTest : ServerTest {
  StopTest() {
    handler.script = [this](Request request, Respond respond) {
      if (request.path == "/now") return respond(TestHandler::echo(request));
      request.liveness->on_gone([this] { gone.add(); });
      parking.park(std::move(respond));
    };
  }

  Parking parking;
  Counter gone;
};

TEST_F(StopTest, IdleConnectionsAreClosedAtOnceAndNewOnesAreNotTaken) {
  start();
  Client silent = connect();
  Client served = connect();
  EXPECT_EQ(served.ask(get("/now")).status, 200);

  server->stop(1h);

  EXPECT_TRUE(silent.ends());
  EXPECT_TRUE(served.ends());
  EXPECT_THROW(connect(), std::runtime_error);
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(StopTest, ARequestInFlightGetsItsAnswerAndTheConnectionIsClosed) {
  start();
  Client client = connect();
  client.send(get("/wait"));
  const std::vector<Respond> waiting = parking.take(1);
  Client idle = connect();
  EXPECT_EQ(idle.ask(get("/now")).status, 200);

  auto stopped = std::async(std::launch::async, [&] { server->stop(1h); });
  EXPECT_TRUE(idle.is_closed_by_server());  // so the stop has begun
  waiting[0](Response());

  const Answer answer = client.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(client.is_closed_by_server());
  stopped.get();
  EXPECT_EQ(gone.value(), 0);
}

TEST_F(StopTest, ARequestThatIsBeingSentIsStillServed) {
  start();
  Client client = connect();
  client.ask("POST /now HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  Client idle = connect();
  EXPECT_EQ(idle.ask(get("/now")).status, 200);

  auto stopped = std::async(std::launch::async, [&] { server->stop(1h); });
  EXPECT_TRUE(idle.is_closed_by_server());

  EXPECT_EQ(json_of(client.ask("hello"))["body"], "hello");
  stopped.get();
}

TEST_F(StopTest, ARequestThatIsNotAnsweredWithinTheGraceIsCutOffAndItsHandlerTold) {
  start();
  Client client = connect();
  client.send(get("/wait"));
  const std::vector<Respond> waiting = parking.take(1);

  server->stop(10ms);

  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_EQ(gone.value(), 1);
}

TEST_F(StopTest, AnswersAfterTheStopAndAfterTheServerAreHarmless) {
  start();
  Client client = connect();
  Client other = connect();
  client.send(get("/wait"));
  other.send(get("/wait"));
  std::vector<Respond> waiting = parking.take(1);
  while (waiting.size() < 2) waiting.push_back(parking.take(1)[0]);

  server->stop(0ms);
  waiting[0](Response());
  server.reset();
  waiting[1](Response());
}

TEST_F(StopTest, AnswersRaceWithTheStopWithoutHarm) {
  for (int round = 0; round < 20; ++round) {
    start();
    std::vector<Client> clients;
    for (int made = 0; made < 8; ++made) {
      clients.push_back(connect());
      clients.back().send(get("/wait"));
    }
    const std::vector<Respond> waiting = parking.take(8);
    std::jthread responder([&] {
      for (const Respond& respond : waiting) respond(Response());
    });
    server->stop(0ms);
    server.reset();
  }
}

TEST_F(StopTest, StoppingTwiceAlsoFromTwoThreadsIsTheSameAsOnce) {
  start();
  Client client = connect();
  EXPECT_EQ(client.ask(get("/now")).status, 200);

  std::jthread first([&] { server->stop(); });
  std::jthread second([&] { server->stop(); });
  first.join();
  second.join();
  server->stop();

  EXPECT_TRUE(client.ends());
}

TEST_F(StopTest, TheDestructorStops) {
  start();
  Client client = connect();
  client.send(get("/wait"));
  const std::vector<Respond> waiting = parking.take(1);

  server.reset();

  EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace semel::http
