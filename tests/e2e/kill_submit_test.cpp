#include "tests/e2e/kill_submit.hpp"

#include "tests/support/database.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

class KilledFile final : public KilledStore {
 public:
  std::unique_ptr<ServerProcess> start() const override { return std::make_unique<ServerProcess>(file_); }

  void expect_sound() const override {
    Database database(file_);
    EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(database.count("SELECT count(*) FROM (SELECT 1 FROM executions WHERE superseded = 0"
                             " GROUP BY tenant_id, hash HAVING count(*) > 1)"),
              0u)
        << "two executions carry one identity";
    EXPECT_EQ(database.count("SELECT count(*) FROM executions WHERE hash IS NULL OR length(hash) <> 32"), 0u)
        << "a task without its identity";
    EXPECT_EQ(database.count("SELECT count(*) FROM identities AS i LEFT JOIN executions AS e ON e.seq = i.seq"
                             " WHERE e.hash IS NOT i.hash"),
              0u)
        << "an identity without its task";
  }

  std::map<std::string, std::string> stored() const override {
    Database database(file_);
    std::map<std::string, std::string> tasks;
    for (const std::string& row : database.column("SELECT lower(hex(id)) || key FROM executions")) {
      const std::string hex = row.substr(0, 32);
      const std::string uuid = fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                                           hex.substr(16, 4), hex.substr(20));
      const bool is_new = tasks.emplace(row.substr(32), uuid).second;
      EXPECT_TRUE(is_new) << row.substr(32) << " has two tasks";
    }
    return tasks;
  }

 private:
  const TempDir folder_;
  const std::filesystem::path file_ = folder_ / "killed.db";
};

class KilledOnPostgres final : public KilledStore {
 public:
  std::unique_ptr<ServerProcess> start() const override {
    return std::make_unique<ServerProcess>(StoreUrl{database_.url()});
  }

  void expect_sound() const override {
    expect_none("executions WHERE hash IS NULL", "a task without its identity");
    expect_none(
        "identities i WHERE NOT EXISTS (SELECT 1 FROM executions e WHERE e.tenant = i.tenant"
        " AND e.id = i.execution_id AND e.hash = i.hash)",
        "an identity without its task");
    expect_none(
        "executions e WHERE NOT EXISTS (SELECT 1 FROM identities i WHERE i.tenant = e.tenant"
        " AND i.hash = e.hash AND i.execution_id = e.id)",
        "a task that does not hold its identity");
  }

  std::map<std::string, std::string> stored() const override {
    const Rows rows = database_.open()->execute("SELECT key, id::text AS id FROM executions");
    std::map<std::string, std::string> tasks;
    for (int row = 0; row < rows.count(); ++row) {
      const bool is_new = tasks.emplace(rows.text(row, "key"), rows.text(row, "id")).second;
      EXPECT_TRUE(is_new) << rows.text(row, "key") << " has two tasks";
    }
    return tasks;
  }

 private:
  void expect_none(const std::string& of, const char* what) const {
    EXPECT_EQ(database_.open()->execute("SELECT count(*) AS n FROM " + of).text(0, "n"), "0") << what;
  }

  const PostgresDatabase database_;
};

TEST(KilledServer, HasLostNothingThatItAcknowledgedAndHasMadeNothingTwice) {
  expect_nothing_lost_in(KilledFile(), is_sanitized ? 5 : 25, 20260120);
}

TEST(KilledServer, OnPostgresHasLostNothingThatItAcknowledgedAndHasMadeNothingTwice) {
  expect_nothing_lost_in(KilledOnPostgres(), is_sanitized ? 2 : 5, 20260121);
}

// A thousand rounds, in twenty stores: to look through all that was acknowledged takes longer with every round.
TEST(KilledServerLong, HasLostNothingThatItAcknowledgedAndHasMadeNothingTwice) {
  for (unsigned store = 0; store < 20 && !HasFailure(); ++store) expect_nothing_lost_in(KilledFile(), 50, store);
}

TEST(KilledServerLong, OnPostgresHasLostNothingThatItAcknowledgedAndHasMadeNothingTwice) {
  for (unsigned store = 0; store < 8 && !HasFailure(); ++store) expect_nothing_lost_in(KilledOnPostgres(), 25, store);
}

}  // namespace
}  // namespace semel::test
