#include <gmock/gmock.h>

#include "tests/e2e/export.hpp"
#include "tests/support/folder_watch.hpp"
#include "tests/support/places.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;

class ExportEvery : public testing::TestWithParam<const char*> {
 protected:
  std::vector<std::string> arguments(std::vector<std::string> more = {}) {
    std::vector<std::string> all{"--export-every", "1h", "--export-folder", folder().string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::filesystem::path folder() const { return store_ / "exports"; }
  /// What the server has logged by the time that it says this. Each request that it answers gives it a turn.
  static std::string wait_for_error(ServerProcess& server, const std::string& text) {
    RestClient client = server.connect();
    while (server.process().errors().find(text) == std::string::npos) client.get("/v1/whoami");
    return server.process().errors();
  }

  ExportedStore store_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Stores, ExportEvery, testing::Values("sqlite", "postgres"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ExportEvery, BeginsAtOnceAndGoesOnFromTheLast) {
  std::filesystem::create_directories(folder());
  {
    ServerProcess server(StoreUrl{store_.url()});
    ASSERT_EQ(server.connect().post("/v1/tasks", {{"handler", "h"}}).status, 201);
    ASSERT_EQ(server.stop(), 0);
  }

  FolderWatch dates(folder());
  ServerProcess server(StoreUrl{store_.url()}, arguments());
  const std::filesystem::path date = dates.wait_for({"date="});
  const std::filesystem::path first = FolderWatch(date).wait_for({"at="});
  const Json rows = query_export(folder(), "select count(*) as n from executions");
  ASSERT_EQ(server.stop(), 0);

  EXPECT_EQ(rows[0]["n"], 1);
  EXPECT_TRUE(std::filesystem::exists(first / "export.json"));
  EXPECT_THAT(server.process().errors(), testing::Not(HasSubstr("no export")));
}

TEST_P(ExportEvery, HasWhatHappenedSinceTheOneBefore) {
  const std::filesystem::path before = folder() / "date=1999-01-20" / "at=12-00-00Z";
  std::filesystem::create_directories(before);
  write_file(before / "export.json", R"({"taken_at":"1999-01-20T12:00:00.000Z","tables":[]})");
  FolderWatch dates(folder());

  ServerProcess server(StoreUrl{store_.url()}, arguments());
  const std::filesystem::path date = dates.wait_for({"date=2"});
  const std::filesystem::path next = FolderWatch(date).wait_for({"at="});
  ASSERT_EQ(server.stop(), 0);

  std::ifstream manifest(next / "export.json");
  EXPECT_EQ(Json::parse(manifest)["since"], "1999-01-20T11:55:00.000Z");
}

TEST_P(ExportEvery, SaysWhyThereIsNone) {
  std::filesystem::create_directories(folder());
  ServerProcess server(StoreUrl{store_.url()},
                       arguments({"--export-duckdb", places::old_duckdb, "--log-format", "json"}));
  RestClient client = server.connect();

  const std::string said = wait_for_error(server, "no export to");

  EXPECT_THAT(said, HasSubstr("is DuckDB v0.9.2"));
  EXPECT_EQ(client.post("/v1/tasks", {{"handler", "h"}}).status, 201);
  EXPECT_EQ(server.stop(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

}  // namespace
}  // namespace semel::test
