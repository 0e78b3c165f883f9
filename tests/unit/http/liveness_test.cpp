#include <sys/resource.h>

#include <thread>

#include "tests/unit/http/test_server.hpp"

namespace semel::http {
namespace {

/// A handler that parks requests, and watches the clients of those under /watched.
struct LivenessTest : ServerTest {
  LivenessTest() {
    handler.script = [this](Request request, Respond respond) {
      if (request.path.starts_with("/watched")) request.liveness->on_gone([this] { gone.add(); });
      if (request.path == "/now") return respond(TestHandler::echo(request));
      parking.park(std::move(respond));
    };
  }

  Parking parking;
  Counter gone;
};

TEST_F(LivenessTest, AHandlerIsToldWhenItsClientCloses) {
  start();
  Client client = connect();
  client.send(get("/watched"));
  const std::vector<Respond> waiting = parking.take(1);

  client.close();

  EXPECT_TRUE(gone.reaches(1));
  waiting[0](Response());
  EXPECT_TRUE(connections_reach(0));
  EXPECT_EQ(gone.value(), 1);
}

TEST_F(LivenessTest, AHandlerIsToldWhenItsClientResets) {
  start();
  Client client = connect();
  client.send(get("/watched"));
  const std::vector<Respond> waiting = parking.take(1);

  client.reset();

  EXPECT_TRUE(gone.reaches(1));
  EXPECT_TRUE(connections_reach(0));
  waiting[0](Response());
}

TEST_F(LivenessTest, AHandlerThatDropsTheRequestOfAGoneClientFreesItsConnection) {
  start();
  Client client = connect();
  client.send(get("/watched"));
  std::vector<Respond> waiting = parking.take(1);
  client.close();
  EXPECT_TRUE(gone.reaches(1));

  waiting.clear();

  EXPECT_TRUE(connections_reach(0));
}

TEST_F(LivenessTest, TheCallbackMayBeSetLaterFromAnotherThread) {
  std::shared_ptr<Liveness> liveness;
  handler.script = [&](Request request, Respond respond) {
    liveness = request.liveness;
    parking.park(std::move(respond));
  };
  start();
  Client client = connect();
  client.send(get("/"));
  const std::vector<Respond> waiting = parking.take(1);

  liveness->on_gone([this] { gone.add(); });
  client.close();

  EXPECT_TRUE(gone.reaches(1));
}

TEST_F(LivenessTest, AWatchedClientThatStaysGetsItsAnswersAndNoCallbackRuns) {
  start();
  Client client = connect();
  for (int round = 0; round < 20; ++round) {
    client.send(get("/watched"));
    parking.take(1)[0](Response());
    EXPECT_EQ(client.read_answer().status, 200);
    EXPECT_EQ(json_of(client.ask(get("/now")))["path"], "/now");
  }
  client.close();

  EXPECT_TRUE(connections_reach(0));
  EXPECT_EQ(gone.value(), 0);
}

TEST_F(LivenessTest, RequestsPipelinedBehindAWatchedOneAreNotLost) {
  start();
  Client client = connect();
  client.send(get("/watched"));
  const std::vector<Respond> waiting = parking.take(1);
  std::string pipelined;
  for (int request = 0; request < 50; ++request) pipelined += get("/now");
  client.send(pipelined.substr(0, 100));
  client.send(pipelined.substr(100));

  waiting[0](Response());

  EXPECT_EQ(client.read_answer().status, 200);
  for (int request = 0; request < 50; ++request) ASSERT_EQ(json_of(client.read_answer())["path"], "/now");
}

TEST_F(LivenessTest, AClientThatPipelinesBehindAWatchedRequestIsStillWatched) {
  start();
  Client client = connect();
  client.send(get("/watched"));
  const std::vector<Respond> waiting = parking.take(1);

  client.send(get("/now"));
  client.close();

  EXPECT_TRUE(gone.reaches(1));
}

TEST_F(LivenessTest, AClientThatPipelinesMoreThanIsKeptGetsItsAnswersAllTheSame) {
  start();
  Client client = connect();
  client.send(get("/watched"));
  const std::vector<Respond> waiting = parking.take(1);
  std::string pipelined;
  for (int request = 0; request < 5'000; ++request) pipelined += get("/now");
  std::jthread sender([&] { client.send(pipelined); });

  waiting[0](Response());

  EXPECT_EQ(client.read_answer().status, 200);
  for (int request = 0; request < 5'000; ++request) ASSERT_EQ(json_of(client.read_answer())["path"], "/now");
}

TEST_F(LivenessTest, AnswersToClientsThatHaveGoneUnnoticedAreHarmless) {
  start();
  constexpr std::size_t clients = 50;
  {
    std::vector<Client> leaving;
    for (std::size_t made = 0; made < clients; ++made) leaving.push_back(connect());
    for (Client& client : leaving) client.send(get("/unwatched"));
    const std::vector<Respond> waiting = parking.take(clients);
    for (std::size_t at = 0; at < clients; ++at) at % 2 ? leaving[at].close() : leaving[at].reset();

    for (const Respond& respond : waiting) respond(Response());
  }
  EXPECT_TRUE(connections_reach(0));
  EXPECT_EQ(connect().ask(get("/now")).status, 200);
}

TEST_F(LivenessTest, AnswersRaceWithLeavingClientsWithoutHarm) {
  start();
  for (int round = 0; round < 100; ++round) {
    Client client = connect();
    client.send(get("/watched"));
    std::vector<Respond> waiting = parking.take(1);

    std::jthread leaving([&] { client.close(); });
    waiting[0](Response());
  }
  EXPECT_TRUE(connections_reach(0));
}

TEST_F(LivenessTest, TwoThousandWaitingClientsCostNoThreadAndAreAllMissedWhenTheyGo) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  constexpr int clients = 2'000;
  start();
  std::vector<Client> waiting;
  for (int made = 0; made < clients; ++made) {
    waiting.push_back(connect());
    waiting.back().send(get("/watched"));
  }
  const std::vector<Respond> responds = parking.take(clients);
  EXPECT_EQ(server->connections(), std::size_t{clients});
  EXPECT_EQ(connect().ask(get("/now")).status, 200);

  waiting.clear();

  EXPECT_TRUE(gone.reaches(clients));
}

}  // namespace
}  // namespace semel::http
