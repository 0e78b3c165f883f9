#include <thread>

#include "tests/unit/http/test_server.hpp"

namespace semel::http {
namespace {

/// A body that the test writes while it is being sent.
class TestFeed final : public Feed {
 public:
  explicit TestFeed(Counter& ended) : ended_(ended) {}
  ~TestFeed() override { ended_.add(); }

  void begin(std::function<void()> wake) override {
    const std::scoped_lock lock(mutex_);
    wake_ = std::move(wake);
  }
  bool pull(std::string& piece) override {
    const std::scoped_lock lock(mutex_);
    piece.append(std::exchange(text_, {}));
    return !is_over_;
  }
  bool keep_alive(std::string& piece) override {
    piece.append(": alive\n\n");
    return true;
  }

  void write(const std::string& text, bool is_last = false) {
    const std::scoped_lock lock(mutex_);
    text_ += text;
    is_over_ = is_last;
    if (wake_) wake_();
  }

 private:
  Counter& ended_;
  std::mutex mutex_;
  std::string text_;
  bool is_over_ = false;
  std::function<void()> wake_;
};

/// Requests of /feed get the fixture's feed.
struct FeedTest : ServerTest {
  FeedTest() {
    handler.script = [this](Request request, Respond respond) {
      if (request.path != "/feed") return respond(TestHandler::echo(request));
      respond({200, "", "text/event-stream", {}, feed.lock()});
      begun.add();
    };
  }
  /// A feed that only the server keeps.
  std::shared_ptr<TestFeed> make_feed() {
    auto made = std::make_shared<TestFeed>(ended);
    feed = made;
    return made;
  }
  /// The next chunk, or "" for the last.
  static std::string read_chunk(Client& client) {
    const std::size_t size = std::stoul(client.read_line(), nullptr, 16);
    const std::string chunk = client.read_bytes(size);
    EXPECT_EQ(client.read_line(), "");
    return chunk;
  }

  Counter ended, begun;
  std::weak_ptr<TestFeed> feed;
};

TEST_F(FeedTest, PiecesAreSentAsTheyComeInChunks) {
  start();
  const auto body = make_feed();
  Client client = connect();
  const Answer answer = client.ask(get("/feed"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(answer.headers.at("transfer-encoding"), "chunked");
  EXPECT_EQ(answer.headers.count("content-length"), 0u);

  body->write("one");
  EXPECT_EQ(read_chunk(client), "one");
  body->write("twenty-two characters ");
  EXPECT_EQ(read_chunk(client), "twenty-two characters ");
}

TEST_F(FeedTest, WhatIsThereAtTheBeginningIsSentAtOnce) {
  start();
  const auto body = make_feed();
  body->write("early");
  Client client = connect();
  client.ask(get("/feed"));

  EXPECT_EQ(read_chunk(client), "early");
}

TEST_F(FeedTest, AfterTheLastPieceTheConnectionTakesAnotherRequest) {
  start();
  const auto body = make_feed();
  Client client = connect();
  client.ask(get("/feed"));

  body->write("bye", true);

  EXPECT_EQ(read_chunk(client), "bye");
  EXPECT_EQ(read_chunk(client), "");
  EXPECT_EQ(json_of(client.ask(get("/again")))["path"], "/again");
}

TEST_F(FeedTest, ARequestPipelinedBehindAFeedIsAnsweredAfterIt) {
  start();
  const auto body = make_feed();
  Client client = connect();
  client.send(get("/feed") + get("/behind"));
  client.read_answer();
  body->write("bye", true);

  EXPECT_EQ(read_chunk(client), "bye");
  EXPECT_EQ(read_chunk(client), "");
  EXPECT_EQ(json_of(client.read_answer())["path"], "/behind");
}

TEST_F(FeedTest, AFeedEndsWhenItsClientGoes) {
  start();
  auto body = make_feed();
  Client closing = connect();
  closing.ask(get("/feed"));
  body.reset();
  closing.close();
  EXPECT_TRUE(ended.reaches(1));

  body = make_feed();
  Client resetting = connect();
  resetting.ask(get("/feed"));
  body.reset();
  resetting.reset();
  EXPECT_TRUE(ended.reaches(2));
  EXPECT_TRUE(connections_reach(0));
}

TEST_F(FeedTest, AClientThatEndsSendingHasGone) {
  start();
  auto body = make_feed();
  Client client = connect();
  client.ask(get("/feed"));
  body.reset();

  client.end_sending();

  EXPECT_TRUE(ended.reaches(1));
}

TEST_F(FeedTest, AQuietFeedShowsThatSomebodyIsThere) {
  options.feed_pause_max = 10ms;
  start();
  const auto body = make_feed();
  Client client = connect();
  client.ask(get("/feed"));

  EXPECT_EQ(read_chunk(client), ": alive\n\n");
  EXPECT_EQ(read_chunk(client), ": alive\n\n");
  body->write("news");
  std::string chunk = ": alive\n\n";
  while (chunk == ": alive\n\n") chunk = read_chunk(client);
  EXPECT_EQ(chunk, "news");
}

TEST_F(FeedTest, AnHttp10ClientGetsThePiecesUntilTheConnectionEnds) {
  start();
  const auto body = make_feed();
  Client client = connect();
  const Answer answer = client.ask("GET /feed HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(answer.headers.count("transfer-encoding"), 0u);
  EXPECT_EQ(answer.headers.at("connection"), "close");

  body->write("all there is", true);

  EXPECT_EQ(client.read_bytes(12), "all there is");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(FeedTest, APieceComesWhenAllBeforeItHasBeenTaken) {
  start();
  const auto body = make_feed();
  Client client = connect();
  client.ask(get("/feed"));
  const std::string large(16 << 20, 'x');
  body->write(large);
  EXPECT_EQ(std::stoul(client.read_line(), nullptr, 16), large.size());  // the rest is still on its way

  body->write("end", true);

  EXPECT_TRUE(client.read_bytes(large.size()) == large);
  EXPECT_EQ(client.read_line(), "");
  EXPECT_EQ(read_chunk(client), "end");
  EXPECT_EQ(read_chunk(client), "");
}

TEST_F(FeedTest, AClientThatDoesNotReadIsClosed) {
  options.write_time_max = 50ms;
  start();
  auto body = make_feed();
  Client client = connect();
  client.shrink_receive_buffer();
  client.ask(get("/feed"));

  body->write(std::string(32 << 20, 'x'));
  body.reset();

  EXPECT_TRUE(ended.reaches(1));
  EXPECT_TRUE(connections_reach(0));
}

TEST_F(FeedTest, AServerThatStopsEndsItsFeeds) {
  start();
  const auto body = make_feed();
  Client client = connect();
  client.ask(get("/feed"));
  body->write("one");
  EXPECT_EQ(read_chunk(client), "one");

  server->stop(10s);

  EXPECT_EQ(read_chunk(client), "");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(FeedTest, AWakeAfterTheEndIsHarmless) {
  start();
  const auto body = make_feed();
  {
    Client client = connect();
    client.ask(get("/feed"));
  }
  EXPECT_TRUE(connections_reach(0));
  body->write("to nobody");
  server.reset();
  body->write("to nobody");
}

TEST_F(FeedTest, ManyWakesWhilePiecesAreSentLoseNothing) {
  start();
  const auto body = make_feed();
  Client client = connect();
  client.ask(get("/feed"));
  std::jthread writing([&] {
    for (int i = 0; i < 10'000; ++i) body->write("0123456789", i == 9'999);
  });

  std::size_t bytes = 0;
  while (true) {
    const std::string chunk = read_chunk(client);
    if (chunk.empty()) break;
    bytes += chunk.size();
  }

  EXPECT_EQ(bytes, 100'000u);
}

}  // namespace
}  // namespace semel::http
