#include "tests/sdk/server_suite.hpp"

#include "tests/unit/sdk/server.hpp"

/// The server of the test kit, judged as all others are.
namespace semel::suite {
namespace {

class TestKitStage {
 public:
  Client client() {
    const sdk::ClientWorld world{[this] { return server_->now(); }, [](Duration) {}};
    return Client(std::make_shared<sdk::ClientCore>(server_, ClientOptions(), world));
  }
  void advance(Duration time) { server_->advance_to(server_->now() + time); }

 private:
  std::shared_ptr<sdk::MemoryBackend> server_ = std::make_shared<sdk::MemoryBackend>(Time(1'700'000'000s));
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(TestKit, ServerSuite, TestKitStage);

}  // namespace semel::suite
