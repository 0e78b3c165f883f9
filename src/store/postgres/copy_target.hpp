#pragma once
#include <string>

#include "store/postgres/connection.hpp"
#include "store/postgres/dump.hpp"

namespace semel::store::postgres {

/// A database that another store is copied into. First it is marked, so that no server starts on it; then everything is
/// one transaction, which ends with the mark removed. So there are three states, whatever is killed when: as before;
/// marked and empty; whole. A copy into a marked database is a new beginning.
class CopyTarget {
 public:
  /// Makes the schema where there is none. Throws StoreFault with what to do when the database holds something already,
  /// or a server or another copy uses it.
  explicit CopyTarget(const std::string& target);
  /// Unless finished, it stays marked and empty.
  ~CopyTarget() { connection_.roll_back(); }
  CopyTarget(const CopyTarget&) = delete;
  CopyTarget& operator=(const CopyTarget&) = delete;

  /// What has been written can be read here, and nowhere else yet.
  DatabaseDump& rows() { return rows_; }

  /// Checks that what is there agrees with itself, and commits.
  void finish();

 private:
  void keep_others_out();
  void mark();
  void begin();
  void analyze() noexcept;

  Connection connection_;
  DatabaseDump rows_{connection_};
};

/// A database that is only read, as it is at one moment, for a comparison.
class CopiedDatabase {
 public:
  /// Throws StoreFault when there is no store of this binary's version.
  explicit CopiedDatabase(const std::string& target);
  ~CopiedDatabase() { connection_.roll_back(); }
  CopiedDatabase(const CopiedDatabase&) = delete;
  CopiedDatabase& operator=(const CopiedDatabase&) = delete;

  DatabaseDump& rows() { return rows_; }

 private:
  Connection connection_;
  DatabaseDump rows_{connection_};
};

}  // namespace semel::store::postgres
