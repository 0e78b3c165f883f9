#include "parquet/export.hpp"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.hpp"
#include "tests/unit/parquet/fake_snapshot.hpp"

namespace semel::test {
namespace {

/// Takes all rows, and writes nothing.
class FakeDuckdb final : public parquet::Duckdb {
 public:
  std::string version() const override { return "v0"; }
  std::int64_t write(const std::filesystem::path&, std::span<const parquet::Column>, parquet::Cursor& rows) override {
    std::int64_t count = 0;
    while (rows.next()) count += 1;
    return count;
  }
  Result<parquet::Answer> query(const std::filesystem::path&, const std::string&) override { return {}; }
};

TEST(WrittenExport, TellsHowFarItIsOverAllFiles) {
  constexpr std::int64_t events = 10'000;
  FakeSnapshot store;
  for (std::int64_t i = 0; i < events; ++i)
    store.tables["history"].push_back({{"tenant", "default"}, {"run", uuid_bytes(1)}, {"sequence", i}});
  FakeDuckdb duckdb;
  const TempDir folder;
  std::vector<std::int64_t> told;

  const parquet::Manifest manifest =
      write_export(store, {}, duckdb, folder.path(), [&](std::int64_t done, std::int64_t total) {
        EXPECT_EQ(total, events);
        told.push_back(done);
      });

  EXPECT_EQ(manifest.tables.back().rows, events);
  EXPECT_EQ(told.size(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_LE(told.back(), events);
}

}  // namespace
}  // namespace semel::test
