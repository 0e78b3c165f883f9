#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// SQLite's own check of the whole file; "ok", or the first thing that is wrong. Slow.
std::string check_integrity(Connection& connection);

/// As check_is_ours(), and refuses a file that has nothing in it, too.
void check_is_store(Connection& connection, const std::filesystem::path& file);

/// What a look from outside tells of a store; another process may have it open.
struct Inspection {
  std::int64_t schema_version = 0;
  std::string integrity;  // "ok", or what is wrong
  std::uintmax_t file_bytes = 0;
  std::uintmax_t wal_bytes = 0;
  std::uintmax_t free_bytes = 0;  // on its disk
  Time last_time;                 // of the newest commit that noted it
  std::optional<std::string> used_by;
};

/// Throws StoreFault when the file cannot be read or is no store.
Inspection inspect(const std::filesystem::path& file);

}  // namespace semel::store::sqlite
