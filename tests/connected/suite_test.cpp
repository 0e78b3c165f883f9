#include "tests/connected/live_server.hpp"
#include "tests/sdk/client_suite.hpp"

/// The SDK on a server behind a connection.
namespace semel {
namespace {

class ConnectedStage {
 public:
  ConnectedStage() { server_.start(); }

  Client client() const { return server_.client(); }
  void restart() { server_.restart(); }
  domain::QueueOptions queue(const std::string& name) {
    const domain::Principal admin{"acme", "admin", domain::all_permissions};
    return server_.instance().engine().queue(admin, name)->said;
  }

 private:
  test::LiveServer server_;
};

}  // namespace

namespace suite {

INSTANTIATE_TYPED_TEST_SUITE_P(Connected, ClientSuite, ConnectedStage);

}  // namespace suite
}  // namespace semel
