#include "store/postgres/snapshot.hpp"

#include <fmt/format.h>

#include "store/postgres/dump.hpp"
#include "store/postgres/migrate.hpp"

namespace semel::store::postgres {
namespace {

/// To read a large store takes long, and then nothing may be given up because it took long. Rows come as they are
/// needed, in order: what has to be sorted is sorted on the server's disk.
constexpr const char* reading_session =
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0";
constexpr const char* reading_transaction = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// A table that is dropped is gone for those too who look at the past: days stay as long as they are held so. Nothing
/// else waits for this. Before anything is read, so that what is seen is what is held.
constexpr const char* hold_days = "LOCK TABLE semel.closed, semel.closed_attempts IN ACCESS SHARE MODE";

/// One more connection that sees the same moment.
class SnapshotSource final : public dump::Source {
 public:
  SnapshotSource(const std::string& target, const std::string& snapshot) : connection_(target) {
    connection_.execute(reading_session);
    connection_.execute(reading_transaction);
    connection_.execute(fmt::format("SET TRANSACTION SNAPSHOT '{}'", snapshot));
  }
  ~SnapshotSource() override { connection_.roll_back(); }
  SnapshotSource(const SnapshotSource&) = delete;
  SnapshotSource& operator=(const SnapshotSource&) = delete;

  std::unique_ptr<dump::Cursor> read(const dump::Table& table) override { return rows_.read(table); }
  std::int64_t count(const dump::Table& table) override { return rows_.count(table); }

 private:
  Connection connection_;
  DatabaseDump rows_{connection_};
};

}  // namespace

DatabaseSnapshot::DatabaseSnapshot(const std::string& target) : target_(target), connection_(target) {
  connection_.execute(reading_session);
  const SchemaState schema = read_schema(connection_);
  if (!schema.is_current()) {
    throw StoreFault(fmt::format("the database has schema version {}, and this binary needs {}: run semel migrate",
                                 schema.version, schema.newest));
  }
  taken_at_ = from_ms(connection_.run("SELECT semel.now_ms()")[0].integer(0));
  connection_.execute(reading_transaction);
  connection_.execute(hold_days);
  name_ = connection_.execute("SELECT pg_export_snapshot()")[0].text(0);
}

std::unique_ptr<dump::Source> DatabaseSnapshot::open() { return std::make_unique<SnapshotSource>(target_, name_); }

}  // namespace semel::store::postgres
