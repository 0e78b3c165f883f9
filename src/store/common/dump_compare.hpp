#pragma once
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "store/common/dump.hpp"

namespace semel::store::dump {

/// The SHA-256 of rows, one after the other. Each field says whether it is there, how long it is and what it is, so
/// that no two lists of rows can look the same.
class Digest {
 public:
  void add(Row row);
  Hash32 finish() { return hash_.finish(); }

 private:
  Sha256 hash_;
  std::string bytes_;  // of one row; kept for its room
};

/// A row that is not the same in both, or a table.
struct Difference {
  std::string_view table;
  std::string key;   // empty: the table as a whole
  std::string what;  // "is missing in the copy", "has another context"
};

/// What one table came to.
struct TableSums {
  std::string_view table;
  std::int64_t rows_before = 0;
  std::int64_t rows_after = 0;
  Hash32 hash_before{};
  Hash32 hash_after{};

  bool are_same() const { return rows_before == rows_after && hash_before == hash_after; }
};

struct Comparison {
  static constexpr std::size_t differences_kept = 50;

  std::vector<TableSums> tables;
  std::vector<Difference> differences;  // the first of them
  std::int64_t differences_found = 0;

  bool are_same() const { return differences_found == 0; }
};

/// Reads both, table by table and row by row beside each other: one row of each is in memory.
Comparison compare(Source& before, Source& after, const Tick& tick);

}  // namespace semel::store::dump
