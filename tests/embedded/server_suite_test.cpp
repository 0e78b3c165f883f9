#include "tests/sdk/server_suite.hpp"

#include "embedded/engine_in_process.hpp"
#include "server/open_store.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temp_dir.hpp"

/// The engine in the process, with a clock of the test.
namespace semel::suite {
namespace {

class EmbeddedClockStage {
 public:
  Client client() {
    server::StoreOptions options;
    options.target = server::parse_store("sqlite:" + (folder_.path() / "orders.db").string()).value();
    auto engine = std::make_shared<embedded::EngineInProcess>(server::open_store(options, clock_), "default");
    const sdk::ClientWorld world{[this] { return clock_.now(); }, [](Duration) {}};
    return Client(std::make_shared<sdk::ClientCore>(std::move(engine), ClientOptions(), world));
  }
  void advance(Duration time) { clock_.advance(time); }

 private:
  test::TempDir folder_;
  test::ManualClock clock_;
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Embedded, ServerSuite, EmbeddedClockStage);

}  // namespace semel::suite
