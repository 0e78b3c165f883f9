#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "store/common/dump.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/lock_file.hpp"
#include "store/sqlite/no_traces.hpp"

namespace semel::store::sqlite {

/// The rows of a store's file, as they are at one moment. For one thread.
class FileRows final : public dump::Source {
 public:
  /// Throws StoreFault with what to do: when the file is no store, or must be migrated first.
  explicit FileRows(const std::filesystem::path& file);

  std::unique_ptr<dump::Cursor> read(const dump::Table& table) override;
  std::int64_t count(const dump::Table& table) override;

 private:
  Connection connection_;
  Snapshot snapshot_;
  std::vector<std::pair<std::int64_t, std::string>> tenants_;  // in the order of their names
};

/// The whole of a store on a file that no server uses, for a copy. Holds the store's lock, so that none can start on it
/// meanwhile, and changes nothing in it. For one thread.
class FileDump final : public dump::Source {
 public:
  /// Throws StoreFault with what to do, also when the file is in use.
  explicit FileDump(const std::filesystem::path& file);

  std::unique_ptr<dump::Cursor> read(const dump::Table& table) override { return rows_.read(table); }
  std::int64_t count(const dump::Table& table) override { return rows_.count(table); }

 private:
  NoTraces traces_;  // goes last: it needs the lock to be free
  LockFile lock_;
  FileRows rows_;
};

}  // namespace semel::store::sqlite
