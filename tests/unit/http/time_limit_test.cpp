#include "tests/unit/http/test_server.hpp"

namespace semel::http {
namespace {

/// Time limits are short, and each test waits for what they cause.
struct TimeLimitTest : ServerTest {
  /// Sends bytes in a slow, steady stream until the server has something to say.
  static void trickle(Client& client, std::string_view bytes) {
    while (!client.is_readable_within(2)) client.send(bytes);
  }
};

TEST_F(TimeLimitTest, HeadersThatNeverEndGet408AndTheConnectionIsClosed) {
  options.header_time_max = 30ms;
  start();
  Client client = connect();
  client.send("GET / HTTP/1.1\r\nHost: ");

  const Answer answer = client.read_answer();

  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(error_code_of(answer), "REQUEST_TIMEOUT");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(TimeLimitTest, HeadersThatTrickleGet408AsWell) {
  options.header_time_max = 30ms;
  start();
  Client client = connect();
  client.send("GET / HTTP/1.1\r\nX: ");

  trickle(client, "x");

  EXPECT_EQ(client.read_answer().status, 408);
}

TEST_F(TimeLimitTest, TheTimeOfTheSecondRequestsHeadersIsLimitedToo) {
  options.header_time_max = 30ms;
  start();
  Client client = connect();
  EXPECT_EQ(client.ask(get("/")).status, 200);

  EXPECT_EQ(client.ask("GET /").status, 408);
}

TEST_F(TimeLimitTest, ABodyThatNeverComesGets408) {
  options.body_time_max = 30ms;
  start();
  Client client = connect();

  const Answer answer = client.ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel");

  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_EQ(handler.calls, 0);
}

TEST_F(TimeLimitTest, ABodyThatTricklesGets408AsWell) {
  options.body_time_max = 30ms;
  start();
  Client client = connect();
  client.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");

  trickle(client, "1\r\nx\r\n");

  EXPECT_EQ(client.read_answer().status, 408);
}

TEST_F(TimeLimitTest, AConnectionThatSaysNothingIsClosedInSilence) {
  options.idle_time_max = 30ms;
  start();
  Client client = connect();

  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(TimeLimitTest, AConnectionThatHasNothingMoreToSayIsClosedInSilence) {
  options.idle_time_max = 30ms;
  start();
  Client client = connect();
  EXPECT_EQ(client.ask(get("/")).status, 200);

  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_TRUE(connections_reach(0));
}

TEST_F(TimeLimitTest, TheHandlerMayTakeLongerThanAnyLimitOfTheClient) {
  options.idle_time_max = options.header_time_max = options.body_time_max = options.write_time_max = 20ms;
  Parking parking;
  handler.script = [&](Request, Respond respond) { parking.park(std::move(respond)); };
  start();
  Client client = connect();
  client.send(get("/"));
  std::vector<Respond> waiting = parking.take(1);
  EXPECT_TRUE(connect().is_closed_by_server());  // the idle limit has passed for one that came later

  waiting[0](Response());

  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(TimeLimitTest, AClientThatDoesNotReadItsAnswerIsCutOff) {
  options.write_time_max = 30ms;
  handler.script = [](Request, Respond respond) {
    Response response;
    response.body = std::string(64 * 1024 * 1024, 'x');
    respond(std::move(response));
  };
  start();
  Client client = connect();
  client.shrink_receive_buffer();
  client.send(get("/"));
  ASSERT_TRUE(client.is_readable_within(10'000));

  EXPECT_TRUE(connections_reach(0));
  EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace semel::http
