#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace semel::store::sqlite {

/// A statement could not be applied because of the data bound to it; the database itself is well.
class DataFault : public StoreFault {
 public:
  using StoreFault::StoreFault;
};

/// A prepared statement, reset and ready. Parameters are bound from 1, columns read from 0. Texts and blobs are bound
/// without a copy: they must live until the statement is stepped through or reset.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, Time time) { return bind(index, to_ms(time)); }
  Statement& bind(int index, Duration duration) { return bind(index, duration.count()); }
  Statement& bind(int index, const Uuid& uuid) { return bind_blob(index, uuid.view()); }
  Statement& bind(int index, const Hash32& hash) { return bind_blob(index, as_text(hash)); }
  Statement& bind_blob(int index, std::string_view bytes);
  Statement& bind_null(int index);
  template <typename T>
  Statement& bind(int index, const std::optional<T>& value) {
    return value ? bind(index, *value) : bind_null(index);
  }

  /// True when there is a row. Throws StoreFault.
  bool step();
  /// Steps to the end and resets.
  void run();
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  int small(int column) const { return static_cast<int>(integer(column)); }
  std::string text(int column) const { return std::string(view(column)); }
  std::string_view view(int column) const;  // until the next step
  Time time(int column) const { return from_ms(integer(column)); }
  Uuid uuid(int column) const;
  Hash32 hash(int column) const;
  std::optional<Time> optional_time(int column) const;
  std::optional<std::string> optional_text(int column) const;
  std::optional<Uuid> optional_uuid(int column) const;
  std::optional<Hash32> optional_hash(int column) const;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Resets a statement when a scope is left, so that it holds no read lock longer than needed.
class Scoped {
 public:
  explicit Scoped(Statement& statement) : statement_(statement) {}
  ~Scoped() { statement_.reset(); }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;
  Statement* operator->() { return &statement_; }
  Statement& operator*() { return statement_; }

 private:
  Statement& statement_;
};

/// One SQLite connection with its prepared statements. For one thread at a time.
class Connection {
 public:
  enum class Access : std::uint8_t { read_only, read_write };

  Connection(const std::filesystem::path& file, Access access);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs a script without parameters.
  void execute(const std::string& sql);
  /// The cached statement of a string literal (found by its address), reset.
  Scoped use(std::string_view literal);
  /// Whether a write transaction is open.
  bool in_transaction() const;

  /// Moves the log into the database file as far as possible without waiting for anybody; `whole` waits, and empties
  /// it.
  void checkpoint(bool whole);

  /// For what has no function of its own here.
  sqlite3* raw() const { return database_; }

 private:
  sqlite3* database_ = nullptr;
  std::unordered_map<const char*, std::unique_ptr<Statement>> statements_;
};

/// Lets all reads of a scope see one moment. Many reads are also much cheaper in it: each one outside of it locks the
/// log anew, and begins with an empty cache whenever somebody has written meanwhile.
class Snapshot {
 public:
  explicit Snapshot(Connection& connection) : connection_(connection) { connection_.use("BEGIN")->run(); }
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Connection& connection_;
};

}  // namespace semel::store::sqlite
