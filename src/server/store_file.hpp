#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

/// What can be done with the file of a store from outside, beside its server or without one.
namespace semel::server {

struct CopyOptions {
  bool overwrite = false;
  std::function<void(std::int64_t done, std::int64_t total)> progress = {};
};

/// Copies a store into one file, as it is at one moment; its server may run. When refused, the target is as before.
Result<void> backup_store(const std::string& store, const std::string& target, const CopyOptions& options);

/// Puts a backup in the place of a store that no process uses. When refused, the store is as before.
Result<void> restore_store(const std::string& backup, const std::string& store, const CopyOptions& options);

/// What a look from outside tells of a store.
struct StoreHealth {
  std::int64_t schema_version = 0;
  std::string integrity;  // "ok", or what is wrong
  std::uintmax_t file_bytes = 0;
  std::uintmax_t wal_bytes = 0;
  std::uintmax_t free_bytes = 0;       // on its disk
  Time last_time;                      // of the newest commit that noted it
  std::optional<std::string> used_by;  // the pid of the process that has it open
};

/// Refused when the file cannot be read or is no store.
Result<StoreHealth> inspect_store(const std::string& file);

}  // namespace semel::server
