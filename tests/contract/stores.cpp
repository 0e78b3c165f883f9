#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "tests/contract/store_contract.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

class MemoryUnderTest final : public StoreUnderTest {
 public:
  explicit MemoryUnderTest(domain::TenantLimits limits) : store_(clock_, limits) {}

  Store& store() override { return store_; }
  ManualClock& clock() override { return clock_; }
  void reopen() override {}  // nothing is durable: the data lives as long as this object
  void crash() override {}

 private:
  ManualClock clock_;
  store::MemoryStore store_;
};

/// `generation`: how many identities are claimed before a merge begins; a small one makes every test see
/// merges.
class SqliteUnderTest final : public StoreUnderTest {
 public:
  SqliteUnderTest(std::size_t generation, domain::TenantLimits limits) : generation_(generation), limits_(limits) {
    reopen();
  }

  Store& store() override { return *store_; }
  ManualClock& clock() override { return clock_; }
  void reopen() override {
    store_.reset();
    store_.emplace(path_, clock_,
                   store::SqliteOptions{.readers = 2, .identity_generation = generation_, .limits = limits_});
  }
  /// Goes on with the files as they lie there while the store is open.
  void crash() override {
    const std::filesystem::path left = dir_ / fmt::format("crash-{}.db", ++crashes_);
    for (const char* end : {"", "-wal"}) {
      if (std::filesystem::exists(path_.string() + end))
        std::filesystem::copy_file(path_.string() + end, left.string() + end);
    }
    path_ = left;
    reopen();
  }

 private:
  const std::size_t generation_;
  const domain::TenantLimits limits_;
  TempDir dir_;
  std::filesystem::path path_ = dir_ / "contract.db";
  int crashes_ = 0;
  ManualClock clock_;
  std::optional<store::SqliteStore> store_;
};

enum class PutAway : bool { later, at_once };

/// `put_away`: at once, everything that has closed is put away as soon as it has, and whatever a test does, it does to
/// what was put away.
class PostgresUnderTest final : public StoreUnderTest {
 public:
  PostgresUnderTest(PutAway put_away, domain::TenantLimits limits) : put_away_(put_away), limits_(limits) { reopen(); }

  Store& store() override { return *store_; }
  ManualClock& clock() override { return clock_; }
  void reopen() override {
    store_.reset();
    store::PostgresOptions options{.connections = 2, .readers = 2, .limits = limits_, .clock = &clock_};
    if (put_away_ == PutAway::at_once) options.stays_for = Duration{0};
    store_.emplace(database_.target(), options);
  }
  /// The database ends the connections of a client that is gone.
  void crash() override {
    database_.open()->execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    reopen();
  }
  void rest() override {
    if (put_away_ == PutAway::later) return;
    while (store_->archive()) {
    }
  }

 private:
  const PutAway put_away_;
  const domain::TenantLimits limits_;
  PostgresDatabase database_;
  ManualClock clock_;
  std::optional<store::PostgresStore> store_;
};

}  // namespace

std::vector<StoreFactory> stores_that_sweep_one_by_one() {
  return {{"memory", [](domain::TenantLimits limits) { return std::make_unique<MemoryUnderTest>(limits); }},
          {"sqlite", [](domain::TenantLimits limits) { return std::make_unique<SqliteUnderTest>(0, limits); }},
          {"sqlite_merging", [](domain::TenantLimits limits) { return std::make_unique<SqliteUnderTest>(3, limits); }},
          {"postgres",
           [](domain::TenantLimits limits) { return std::make_unique<PostgresUnderTest>(PutAway::later, limits); }}};
}

std::vector<StoreFactory> all_stores() {
  std::vector<StoreFactory> stores = stores_that_sweep_one_by_one();
  stores.push_back({"postgres_put_away", [](domain::TenantLimits limits) {
                      return std::make_unique<PostgresUnderTest>(PutAway::at_once, limits);
                    }});
  return stores;
}

}  // namespace semel::test
