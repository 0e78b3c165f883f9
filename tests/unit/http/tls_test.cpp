#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/certificate.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/http/test_server.hpp"
#include "tests/unit/http/tls_client.hpp"

namespace semel::http {
namespace {

using test::Certificate;
using test::HttpAnswer;
using test::make_certificate;
using testing::HasSubstr;

/// A server in TLS whose certificate is named "first".
class TlsTest : public ServerTest {
 protected:
  TlsTest() { options.tls = TlsFiles{files.certificate, files.key}; }

  TlsClient tls() { return TlsClient(server->address()); }
  TlsClient tls(const TlsClient::Options& client) { return TlsClient(server->address(), client); }
  /// Why a server with these files cannot be made.
  std::string refusal(const std::string& certificate, const std::string& key) {
    options.tls = TlsFiles{certificate, key};
    try {
      Server made(options, handler);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  test::TempDir folder;
  const Certificate files = make_certificate(folder.path(), "first");
};

// The beginning of a client's first message: a record of 512 bytes is announced.
const std::string half_hello("\x16\x03\x01\x02\x00\x01", 6);

TEST_F(TlsTest, RequestsAreAnsweredInsideTheNewestVersion) {
  start();
  TlsClient client = tls();

  const HttpAnswer answer = client.ask(post("/a", "body"));

  EXPECT_EQ(client.version(), "TLSv1.3");
  EXPECT_EQ(client.server_name(), "first");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json()["body"], "body");
  EXPECT_EQ(answer.json()["from_loopback"], true);
}

TEST_F(TlsTest, NothingOlderThan12IsSpoken) {
  start();

  EXPECT_EQ(tls({.version_max = TLS1_2_VERSION}).version(), "TLSv1.2");
  EXPECT_THROW(tls({.version_min = TLS1_VERSION, .version_max = TLS1_1_VERSION}), std::runtime_error);
}

TEST_F(TlsTest, Http11IsChosenOfWhatIsOffered) {
  start();

  EXPECT_EQ(tls({.protocols = {"h2", "http/1.1"}}).protocol(), "http/1.1");
  EXPECT_EQ(tls().protocol(), "");
  EXPECT_THROW(tls({.protocols = {"h2"}}), std::runtime_error);
}

TEST_F(TlsTest, AConnectionIsKeptAndTakesPipelinedRequests) {
  start();
  TlsClient client = tls();
  for (int asked = 0; asked < 10; ++asked) EXPECT_EQ(client.ask(get("/one")).json()["path"], "/one");

  client.send(get("/two") + get("/three"));

  EXPECT_EQ(client.read_answer().json()["path"], "/two");
  EXPECT_EQ(client.read_answer().json()["path"], "/three");
  EXPECT_EQ(server->connections(), 1u);
}

TEST_F(TlsTest, BodiesOfManyRecordsArriveWholeBothWays) {
  std::string large(5'000'000, 'x');
  for (std::size_t at = 0; at < large.size(); at += 997) large[at] = static_cast<char>('a' + at % 26);
  start();
  TlsClient client = tls();

  client.send(post("/large", large));
  const HttpAnswer answer = client.read_answer();
  const HttpAnswer next = client.ask(post("/next", "small"));

  EXPECT_TRUE(answer.json()["body"] == large);
  EXPECT_EQ(next.json()["body"], "small");
}

TEST_F(TlsTest, AnAnswerThatIsNotReadWaitsForTheSocket) {
  Counter answered;
  const std::string large(20'000'000, 'y');
  handler.script = [&](Request, Respond respond) {
    Response response;
    response.body = large;
    respond(std::move(response));
    answered.add();
  };
  start();
  TlsClient client = tls();
  client.send(get("/1"));
  ASSERT_TRUE(answered.reaches(1));

  EXPECT_EQ(tls().ask(get("/2")).status, 200);  // meanwhile others are served
  EXPECT_TRUE(client.read_answer().body == large);
}

TEST_F(TlsTest, TheEndIsToldAsTlsWantsIt) {
  start();
  TlsClient client = tls();

  EXPECT_EQ(client.ask(get("/", "Connection: close\r\n")).status, 200);

  EXPECT_TRUE(client.is_ended_by_server());
}

TEST_F(TlsTest, ARequestRefusedEarlyGetsItsAnswerAlthoughItIsStillSent) {
  start();
  TlsClient client = tls();

  client.send(post("/small", std::string(2'000'000, 'x')));

  EXPECT_EQ(client.read_answer().status, 413);
  EXPECT_TRUE(client.is_ended_by_server());
}

TEST_F(TlsTest, PlainHttpIsToldToUseHttps) {
  start();
  Client client = connect();

  const Answer answer = client.ask(post("/v1/tasks", "{}"));

  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(error_code_of(answer), "BAD_REQUEST");
  EXPECT_THAT(answer.body, HasSubstr("https://"));
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_EQ(handler.calls, 0);
}

TEST_F(TlsTest, GarbageEndsItsOwnConnectionOnly) {
  start();
  TlsClient other = tls();
  Client client = connect();

  client.send("\x16\x03\x01garbage garbage garbage");
  client.end_sending();

  EXPECT_TRUE(client.ends());
  EXPECT_EQ(other.ask(get("/")).status, 200);
}

TEST_F(TlsTest, AHandshakeThatTakesTooLongIsCutOff) {
  options.handshake_time_max = 30ms;
  start();
  Client silent = connect();
  Client slow = connect();
  slow.send(half_hello);

  EXPECT_TRUE(silent.ends());
  EXPECT_TRUE(slow.ends());
  EXPECT_TRUE(connections_reach(0));
}

TEST_F(TlsTest, SlowHandshakesKeepNobodyWaiting) {
  options.threads = 1;
  options.handshake_time_max = 1h;
  start();
  std::vector<Client> slow;
  for (int made = 0; made < 50; ++made) {
    slow.push_back(connect());
    slow.back().send(half_hello);
  }

  EXPECT_EQ(tls().ask(get("/")).status, 200);
}

TEST_F(TlsTest, AStopDoesNotWaitForHandshakes) {
  options.handshake_time_max = 1h;
  start();
  Client slow = connect();
  slow.send(half_hello);
  TlsClient idle = tls();
  EXPECT_EQ(idle.ask(get("/")).status, 200);

  server->stop(1h);

  EXPECT_TRUE(slow.ends());
  EXPECT_TRUE(idle.is_ended_by_server());
}

TEST_F(TlsTest, OneConnectionTooManyIsClosed) {
  options.connections_max = 1;
  start();
  TlsClient first = tls();
  EXPECT_EQ(first.ask(get("/")).status, 200);

  EXPECT_THROW(tls(), std::runtime_error);

  EXPECT_EQ(first.ask(get("/")).status, 200);
}

TEST_F(TlsTest, AHandlerIsToldWhenItsClientLeavesWithAndWithoutAWord) {
  Parking parking;
  Counter gone;
  handler.script = [&](const Request& request, Respond respond) {
    request.liveness->on_gone([&] { gone.add(); });
    parking.park(std::move(respond));
  };
  start();
  TlsClient polite = tls();
  TlsClient rude = tls();
  polite.send(get("/"));
  std::vector<Respond> waiting = parking.take(1);
  rude.send(get("/"));
  std::vector<Respond> more = parking.take(1);

  polite.end_writing();
  EXPECT_TRUE(gone.reaches(1));
  rude.close_socket();
  EXPECT_TRUE(gone.reaches(2));

  waiting[0](Response());
  more[0](Response());
  EXPECT_EQ(polite.read_answer().status, 200);  // it only said that it sends no more
  EXPECT_TRUE(connections_reach(0));
  server.reset();  // before what the handler uses
}

TEST_F(TlsTest, ReloadedFilesAreForNewConnections) {
  start();
  TlsClient old = tls();
  test::replace_certificate(files, make_certificate(folder.path(), "second"));

  EXPECT_EQ(tls().server_name(), "first");
  const Result<void> reloaded = server->reload_certificate();

  EXPECT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(tls().server_name(), "second");
  EXPECT_EQ(old.ask(get("/")).status, 200);
  EXPECT_EQ(old.server_name(), "first");
}

TEST_F(TlsTest, BadFilesAreRefusedAndTheOldCertificateStays) {
  start();
  const Certificate other = make_certificate(folder.path(), "other");
  std::filesystem::rename(other.key, files.key);

  const Result<void> reloaded = server->reload_certificate();

  ASSERT_FALSE(reloaded);
  EXPECT_THAT(reloaded.error().message, HasSubstr(files.key.string()));
  EXPECT_EQ(tls().server_name(), "first");
}

TEST_F(TlsTest, AServerWithBadFilesIsNotMadeAndNamesThem) {
  const std::string junk = folder / "junk.pem";
  std::ofstream(junk) << "junk";
  const Certificate other = make_certificate(folder.path(), "other");
  const Certificate locked = make_certificate(folder.path(), "locked", "secret");

  EXPECT_THAT(refusal(folder / "none.pem", files.key), HasSubstr("none.pem: No such file"));
  EXPECT_THAT(refusal(junk, files.key), HasSubstr(junk));
  EXPECT_THAT(refusal(files.certificate, junk), HasSubstr(junk));
  EXPECT_THAT(refusal(files.certificate, other.key), HasSubstr("mismatch"));
  EXPECT_THAT(refusal(locked.certificate, locked.key), HasSubstr(locked.key.string()));
  EXPECT_EQ(refusal(other.certificate, other.key), "");
}

}  // namespace
}  // namespace semel::http
