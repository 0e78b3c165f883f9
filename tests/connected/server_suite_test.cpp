#include "tests/sdk/server_suite.hpp"

#include "connected/connection.hpp"
#include "tests/connected/live_server.hpp"
#include "tests/support/manual_clock.hpp"

/// A server behind a connection, with a clock of the test.
namespace semel::suite {
namespace {

class ConnectedClockStage {
 public:
  ConnectedClockStage() { server_.start(); }

  Client client() {
    auto connection = std::make_shared<connected::Connection>(server_.address(), ConnectOptions().api_key("admin"));
    const sdk::ClientWorld world{[this] { return clock_.now(); }, [](Duration) {}};
    return Client(std::make_shared<sdk::ClientCore>(std::move(connection), ClientOptions(), world));
  }
  void advance(Duration time) { clock_.advance(time); }

 private:
  test::ManualClock clock_;
  test::LiveServer server_{clock_};
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Connected, ServerSuite, ConnectedClockStage);

}  // namespace semel::suite
