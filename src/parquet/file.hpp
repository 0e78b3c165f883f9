#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/time.hpp"
#include "store/common/dump.hpp"

/// A store as Parquet files. Which rows and columns they have is said here and in the files beside; what writes them,
/// and reads them again, is DuckDB (duckdb.hpp).
namespace semel::parquet {

using store::dump::Cursor;
using store::dump::Row;
using store::dump::Snapshot;
using store::dump::Value;

/// Ids, hashes, names and JSON are text. A time is a number of milliseconds in a row, and a timestamp in the file.
enum class Type : std::uint8_t { text, integer, boolean, time };

struct Column {
  std::string_view name;
  Type type;
};

/// Which rows: all, or those that something happened to at that time or later.
struct Range {
  std::optional<Time> since{};

  /// `times` are the numbers of a row, absent ones among them.
  bool has(std::initializer_list<Value> times) const {
    if (!since) return true;
    for (const Value& time : times) {
      const auto* const ms = std::get_if<std::int64_t>(&time);
      if (ms != nullptr && *ms >= to_ms(*since)) return true;
    }
    return false;
  }
};

struct File {
  std::string_view name;              // of the table; the file is NAME.parquet
  std::span<const Column> columns;    // as many as its rows have values
  const store::dump::Table& counted;  // it has about as many rows as this
  std::unique_ptr<Cursor> (*read)(Snapshot& snapshot, const Range& range);
};

/// All of them, in the order in which they are written.
std::span<const File> files();

// One a file beside.
File executions_file();
File attempts_file();
File dispatch_file();
File timers_file();
File identities_file();
File events_file();

}  // namespace semel::parquet
