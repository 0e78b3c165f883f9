#include "store/sqlite/connection.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "base/ensure.hpp"

namespace semel::store::sqlite {
namespace {

/// After a failed fsync nobody knows what is on the disk, and asking again would lie: the process stops, and the
/// next start recovers from what is really there.
[[noreturn]] void stop_after_failed_sync(const char* what) {
  std::fprintf(
      stderr, "semel: the disk failed to sync the store (%s); stopping, so that nothing false is acknowledged\n", what);
  std::abort();
}

[[noreturn]] void raise(sqlite3* database, int code) {
  const char* text = sqlite3_errmsg(database);
  const int extended = sqlite3_extended_errcode(database);
  if (extended == SQLITE_IOERR_FSYNC || extended == SQLITE_IOERR_DIR_FSYNC) stop_after_failed_sync(text);
  const std::string message = fmt::format("sqlite: {} ({})", text, extended);
  if (code == SQLITE_CONSTRAINT || code == SQLITE_TOOBIG || code == SQLITE_MISMATCH) throw DataFault(message);
  throw StoreFault(message);
}

/// SQLite's own bookkeeping of its memory takes one lock for all connections at every allocation, which the threads
/// of a busy server wait for; nobody reads those figures. Refused, and no harm, where SQLite is in use already.
void spare_memory_statistics() {
  static std::once_flag once;
  std::call_once(once, [] { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); });
}

}  // namespace

Statement::Statement(sqlite3* database, std::string_view sql) : database_(database) {
  const int code = sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement_, nullptr);
  if (code != SQLITE_OK) raise(database, code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int index, std::int64_t value) {
  ensure(sqlite3_bind_int64(statement_, index, value) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  const int code =
      sqlite3_bind_text64(statement_, index, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) raise(database_, code);
  return *this;
}

Statement& Statement::bind_blob(int index, std::string_view bytes) {
  const int code = sqlite3_bind_blob64(statement_, index, bytes.data(), bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) raise(database_, code);
  return *this;
}

Statement& Statement::bind_null(int index) {
  ensure(sqlite3_bind_null(statement_, index) == SQLITE_OK);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  raise(database_, code);
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Statement::view(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(data), size);
}

Uuid Statement::uuid(int column) const {
  const std::string_view bytes = view(column);
  Uuid uuid;
  ensure(bytes.size() == uuid.bytes.size());
  std::copy(bytes.begin(), bytes.end(), uuid.bytes.begin());
  return uuid;
}

Hash32 Statement::hash(int column) const {
  const std::string_view bytes = view(column);
  Hash32 hash{};
  ensure(bytes.size() == hash.size());
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

std::optional<Time> Statement::optional_time(int column) const {
  return is_null(column) ? std::nullopt : std::optional(time(column));
}
std::optional<std::string> Statement::optional_text(int column) const {
  return is_null(column) ? std::nullopt : std::optional(text(column));
}
std::optional<Uuid> Statement::optional_uuid(int column) const {
  return is_null(column) ? std::nullopt : std::optional(uuid(column));
}
std::optional<Hash32> Statement::optional_hash(int column) const {
  return is_null(column) ? std::nullopt : std::optional(hash(column));
}

Connection::Connection(const std::filesystem::path& file, Access access) {
  spare_memory_statistics();
  const int flags = access == Access::read_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(file.c_str(), &database_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  // SQLite opens a file that it may not write all the same, and refuses each change later.
  const bool is_unwritable = access == Access::read_write && sqlite3_db_readonly(database_, "main") == 1;
  if (code != SQLITE_OK || is_unwritable) {
    const std::string message =
        fmt::format("cannot open {}: {}", file.string(),
                    is_unwritable ? "this user may not write to it" : sqlite3_errmsg(database_));
    sqlite3_close_v2(database_);
    throw StoreFault(message);
  }
  sqlite3_extended_result_codes(database_, 0);
  sqlite3_busy_timeout(database_, 10'000);  // only for a checkpoint that meets a reader
}

Connection::~Connection() {
  statements_.clear();
  sqlite3_close_v2(database_);
}

void Connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) raise(database_, code);
}

Scoped Connection::use(std::string_view literal) {
  std::unique_ptr<Statement>& statement = statements_[literal.data()];
  if (!statement) statement = std::make_unique<Statement>(database_, literal);
  return Scoped(*statement);
}

Snapshot::~Snapshot() {
  try {
    connection_.use("ROLLBACK")->run();
  } catch (const StoreFault&) {  // a failed read has ended it already
  }
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(database_) == 0; }

void Connection::checkpoint(bool whole) {
  const int mode = whole ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  const int code = sqlite3_wal_checkpoint_v2(database_, nullptr, mode, nullptr, nullptr);
  if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED) raise(database_, code);
}

}  // namespace semel::store::sqlite
