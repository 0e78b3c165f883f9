#include <gmock/gmock.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "semel/semel.hpp"
#include "tests/connected/live_server.hpp"
#include "tests/support/certificate.hpp"

/// What is said when something is wrong with the connection: what it is, and what to do.
namespace semel::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A client that does not try again.
Client hasty(const std::string& address, ConnectOptions options = ConnectOptions()) {
  return connect(address, options.retry_for(0s));
}

/// What the first call is told.
std::string complaint(Client client) {
  try {
    client.submit("charge", 1);
  } catch (const ServerUnavailable& unavailable) {
    return unavailable.what();
  } catch (const RequestRefused& refused) {
    return refused.code() + ": " + refused.what();
  }
  return "";
}

class Refusals : public ::testing::Test {
 protected:
  Refusals() : certificate_(make_certificate(folder_ / "", "localhost")) {}

  void start_with_tls() {
    server_.options().grpc->tls = rpc::TlsFiles{certificate_.certificate, certificate_.key};
    server_.start();
  }
  std::string port() const { return server_.address().substr(server_.address().rfind(':')); }

  TempDir folder_;
  Certificate certificate_;
  LiveServer server_;
};

TEST_F(Refusals, NobodyIsThere) {
  server_.start();
  server_.stop();

  const std::string said = complaint(hasty(server_.address()));

  EXPECT_THAT(said, HasSubstr("cannot reach " + server_.address()));
  EXPECT_THAT(said, HasSubstr("Is the server running"));
  EXPECT_THAT(said, HasSubstr("--grpc-listen"));
}

TEST_F(Refusals, TheKeyIsWrong) {
  server_.start();

  const std::string said = complaint(hasty(server_.address(), ConnectOptions().api_key("mallory")));

  EXPECT_THAT(said, HasSubstr("UNAUTHORIZED"));
  EXPECT_THAT(said, HasSubstr("ConnectOptions().api_key"));
}

TEST_F(Refusals, TheKeyMayNotDoThat) {
  server_.start();
  EXPECT_THAT(complaint(server_.client("viewer")), HasSubstr("FORBIDDEN"));
}

Workflow<int> sum_of_squares(WorkflowContext& ctx, int n) {
  int sum = 0;
  for (int i = 1; i <= n; ++i) sum += co_await ctx.task<int>("square", i);
  co_return sum;
}

TEST_F(Refusals, AKeyThatMayOnlyWorkIsEnoughToReplayWorkflows) {
  server_.start();
  Client working = server_.client("worker");
  Worker worker(working, WorkerOptions().cached_workflows(0));  // reads the history each time
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("sum_of_squares", sum_of_squares);
  worker.start();

  EXPECT_EQ(server_.client().start_workflow<int>("sum_of_squares", "s", 3).result(), 14);
}

TEST_F(Refusals, ATenantDoesNotSeeWhatAnotherHas) {
  server_.start();
  const auto task = server_.client("admin").submit<int>("charge", 1);
  const auto seen = server_.client("globex").task<int>(task.id());

  try {
    seen.status();
    FAIL() << "it was seen";
  } catch (const RequestRefused& refused) {
    EXPECT_EQ(refused.code(), "NOT_FOUND");
  }
}

TEST_F(Refusals, ACertificateThatIsTrustedIsEnough) {
  start_with_tls();
  const ConnectOptions options = ConnectOptions().api_key("admin").tls_ca_file(certificate_.certificate);

  EXPECT_EQ(complaint(hasty("localhost" + port(), options)), "");
}

TEST_F(Refusals, ACertificateOfSomebodyElseIsNot) {
  start_with_tls();
  const Certificate foreign = make_certificate(folder_ / "", "foreign");
  const ConnectOptions options = ConnectOptions().api_key("admin").tls_ca_file(foreign.certificate);

  EXPECT_THAT(complaint(hasty("localhost" + port(), options)), HasSubstr("tls_ca_file"));
}

TEST_F(Refusals, TheServerSpeaksTlsAndTheProgramDoesNot) {
  start_with_tls();
  EXPECT_THAT(complaint(hasty(server_.address())), HasSubstr("ConnectOptions().tls()"));
}

TEST_F(Refusals, TheProgramSpeaksTlsAndTheServerDoesNot) {
  server_.start();
  const ConnectOptions options = ConnectOptions().tls_ca_file(certificate_.certificate);

  EXPECT_THAT(complaint(hasty(server_.address(), options)), HasSubstr("It does not speak TLS there"));
}

TEST_F(Refusals, ThatIsThePortOfRest) {
  server_.start();
  EXPECT_THAT(complaint(hasty(server_.instance().address())), HasSubstr("REST has another port"));
}

TEST_F(Refusals, TheServerIsTooOld) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  const std::unique_ptr<grpc::Server> knows_nothing = builder.BuildAndStart();

  EXPECT_THAT(complaint(hasty("127.0.0.1:" + std::to_string(port))), HasSubstr("upgrade servers before"));
}

TEST_F(Refusals, AnAddressIsAHostAndAPort) {
  for (const char* address : {"localhost", "http://localhost:7420", ":7421", "localhost:", "localhost:grpc", ""})
    EXPECT_THROW(connect(address), std::runtime_error) << address;
  EXPECT_NO_THROW(connect("[::1]:7421"));
}

TEST_F(Refusals, AFileThatIsNotThereIsSaidAtOnce) {
  EXPECT_THROW(connect("localhost:7421", ConnectOptions().tls_ca_file("no/such/file.pem")), std::runtime_error);
}

}  // namespace
}  // namespace semel::test
