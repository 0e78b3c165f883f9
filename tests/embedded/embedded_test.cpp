#include "semel/embed.hpp"

#include "server/open_store.hpp"
#include "tests/sdk/client_suite.hpp"
#include "tests/support/temp_dir.hpp"

/// The SDK on an engine in the same process, whose store is a file.
namespace semel {
namespace {

class EmbeddedStage {
 public:
  Client client() const { return embed(file()); }
  /// It has ended with its last client.
  void restart() {}
  std::string file() const { return (folder_.path() / "orders.db").string(); }
  domain::QueueOptions queue(const std::string& name) const {
    const SystemClock clock;
    server::StoreOptions options;
    options.target = server::parse_store("sqlite:" + file()).value();
    for (const StoredQueue& queue : server::open_store(options, clock)->queues()) {
      if (queue.name == name) return queue.options;
    }
    return {};
  }

 private:
  test::TempDir folder_;
};

TEST(Embedded, AFileHasOneProcessAtATime) {
  const EmbeddedStage stage;
  const Client client = stage.client();

  EXPECT_THROW(stage.client(), std::runtime_error);
}

}  // namespace

namespace suite {

INSTANTIATE_TYPED_TEST_SUITE_P(Embedded, ClientSuite, EmbeddedStage);

}  // namespace suite
}  // namespace semel
