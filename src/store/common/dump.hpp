#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.hpp"

/// A whole store as rows, in a form that is the same for every database: what a copy reads, writes and compares. A
/// store says in its own SQL how a table of this form is read from its tables, or written into them.
///
/// What is not here can be made from what is: who waits in memory, counters of usage, tokens of rate limits (a copy
/// gives a burst again, as a restart of a server on a file does).
namespace semel::store::dump {

enum class Kind : std::uint8_t { integer, boolean, text, bytes, uuid };

struct Field {
  std::string_view name;
  Kind kind;
};

/// Rows are unique by the first `key_size` fields, and always read in their order: numbers by value, everything else
/// byte by byte.
struct Table {
  std::string_view name;
  std::span<const Field> fields;
  std::size_t key_size;

  /// All rows but facts belong to a tenant, and begin with it.
  bool has_tenant() const { return fields.front().name == "tenant"; }
};

/// In the order in which they are copied.
std::span<const Table> tables();
/// The fields of the table with that name; it must be one of them.
const Table& table_named(std::string_view name);

/// Who holds which identity, as `identities`, but in the order of the holders. No table of its own: for readers only.
const Table& holders();

namespace fact {
inline constexpr std::string_view last_audit = "last_audit";  // the newest seq of the audit log
inline constexpr std::string_view last_seq = "last_seq";      // of all executions, also of those that have gone
inline constexpr std::string_view last_time = "last_time";    // so that time does not go backwards
}  // namespace fact

/// Absent; an integer (also a boolean); or the bytes of everything else.
using Value = std::variant<std::monostate, std::int64_t, std::string_view>;
using Row = std::span<const Value>;

/// The rows of one table, one after the other.
class Cursor {
 public:
  virtual ~Cursor() = default;
  /// The next row, valid until the next call; nothing at the end. Throws StoreFault.
  virtual std::optional<Row> next() = 0;
};

/// A store that is read, as it is at one moment. One cursor at a time.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::unique_ptr<Cursor> read(const Table& table) = 0;
  /// How many rows the table has, by a count of its own.
  virtual std::int64_t count(const Table& table) = 0;
};

/// A store at one moment, for readers that need several tables beside each other: each source has a cursor of its own.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  /// The snapshot must outlive it.
  virtual std::unique_ptr<Source> open() = 0;
  /// By the store's clock, and not after the moment that it shows: a change that it lacks is not older.
  virtual Time taken_at() const = 0;
};

/// How many rows were dealt with since the last call.
using Tick = std::function<void(std::int64_t rows)>;

/// A store that is written.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Takes all rows of the cursor, in bounded memory. Throws StoreFault, with the row where that is known.
  virtual void write(const Table& table, Cursor& rows, const Tick& tick) = 0;
};

/// "default/0198c0de-…": for people who look for the row.
std::string key_text(const Table& table, Row row);

}  // namespace semel::store::dump
