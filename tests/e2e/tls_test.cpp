#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/e2e/server_process.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

/// The real binary in TLS, asked by curl.
class Tls : public testing::Test {
 protected:
  /// What curl printed, having trusted this certificate alone.
  static Finished curl(const std::string& url, const std::filesystem::path& trusted) {
    return run_to_end({"curl", "-sS", "--max-time", "30", "--cacert", trusted.string(), url});
  }
  std::string url(const std::string& scheme = "https") const {
    return scheme + "://localhost:" + server_.port() + "/healthz";
  }
  /// Sends SIGHUP and waits until the log says that this came of it.
  void reload(const std::string& outcome) {
    server_.process().signal(SIGHUP);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const auto is_said = [&] { return server_.process().errors().find(outcome) != std::string::npos; };
    while (!is_said() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    ASSERT_TRUE(is_said()) << server_.process().errors();
  }

  TempDir folder_;
  const Certificate files_ = make_certificate(folder_.path(), "first");
  ServerProcess server_{folder_ / "a.db",
                        {"--tls-cert", files_.certificate.string(), "--tls-key", files_.key.string()}};
};

TEST_F(Tls, IsSaidByTheReadyLineAndSpokenOnThePort) {
  const Finished answer = curl(url(), files_.certificate);

  EXPECT_THAT(server_.ready_line(), EndsWith(" store=sqlite:" + (folder_ / "a.db").string() + " tls=on"));
  EXPECT_EQ(answer.code, 0) << answer.errors;
  EXPECT_THAT(answer.output, HasSubstr("ok"));
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(Tls, IsMissedByPlainHttpWithAnAnswerThatSaysSo) {
  const Finished answer = curl(url("http"), files_.certificate);

  EXPECT_EQ(answer.code, 0) << answer.errors;
  EXPECT_THAT(answer.output, HasSubstr("this port speaks HTTPS"));
}

TEST_F(Tls, IsSpokenByTheClientWhichTrustsOnlyWhatItWasTold) {
  const std::string server = "https://localhost:" + server_.port();
  const auto submit = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{places::semel, "submit", "--handler", "mail", "--retries", "0", "--url", server};
    command.insert(command.end(), more.begin(), more.end());
    return run_to_end(std::move(command));
  };
  const Certificate other = make_certificate(folder_.path(), "other");

  const Finished trusted = submit({"--ca-cert", files_.certificate.string()});
  const Finished untrusted = submit({});
  const Finished wrong = submit({"--ca-cert", other.certificate.string()});
  const Finished missing = submit({"--ca-cert", "none.pem"});

  EXPECT_EQ(trusted.code, 0) << trusted.errors;
  for (const Finished& refused : {untrusted, wrong}) {
    EXPECT_EQ(refused.code, 5) << refused.output;
    EXPECT_THAT(refused.errors, HasSubstr("--ca-cert"));
  }
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.errors, HasSubstr("--ca-cert: cannot read none.pem"));
}

TEST(TlsClient, IsToldThatTheServerSpeaksNone) {
  TempDir folder;
  const ServerProcess server(folder / "semel.db");

  const Finished done =
      run_to_end({places::semel, "ls", "--retries", "0", "--url", "https://localhost:" + server.port()});

  EXPECT_EQ(done.code, 5);
  EXPECT_THAT(done.errors, HasSubstr("speaks no TLS: a server without a certificate has a url with http://"));
}

TEST_F(Tls, GetsANewCertificateOnSighupWithoutAStop) {
  const Certificate second = make_certificate(folder_.path(), "second");
  const std::filesystem::path trusted = folder_ / "trusted.pem";
  std::filesystem::copy_file(second.certificate, trusted);
  EXPECT_NE(curl(url(), trusted).code, 0);

  replace_certificate(files_, second);
  reload("the certificate was read again");

  const Finished answer = curl(url(), trusted);
  EXPECT_EQ(answer.code, 0) << answer.errors;
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(Tls, KeepsItsCertificateWhenTheNewOneIsBad) {
  const std::filesystem::path trusted = folder_ / "trusted.pem";
  std::filesystem::copy_file(files_.certificate, trusted);
  std::filesystem::remove(files_.key);

  reload("the certificate stays as it was: cannot read " + files_.key.string());

  EXPECT_EQ(curl(url(), trusted).code, 0);
  EXPECT_EQ(server_.stop(), 0);
}

TEST(TlsFiles, ThatAreBadKeepTheServerFromStarting) {
  const TempDir folder;
  const std::string none = folder / "none.pem";

  const Finished refused =
      run_to_end(server_command({"--listen", "127.0.0.1:0", "--store", "sqlite:" + (folder / "a.db").string(),
                                 "--tls-cert", none, "--tls-key", none}));

  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.output, "");
  EXPECT_THAT(refused.errors, HasSubstr("semel: cannot read " + none));
}

}  // namespace
}  // namespace semel::test
