#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parquet/duckdb.hpp"
#include "parquet/file.hpp"
#include "parquet/folder.hpp"

namespace semel::parquet {

/// In rows.
using RowProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct Written {
  std::string_view table;
  std::int64_t rows = 0;
};

/// What export.json says.
struct Manifest {
  Time taken_at{};
  std::optional<Time> since{};
  std::vector<Written> tables{};
};

/// Writes all files of a snapshot into the draft, and export.json beside them. Throws StoreFault.
Manifest write_export(Snapshot& snapshot, const Range& range, Duckdb& duckdb, const std::filesystem::path& folder,
                      const RowProgress& progress);

/// When the newest of the exports by time in the folder was taken; nothing when there is none. Throws StoreFault when
/// that cannot be seen.
std::optional<Time> newest_export(const std::filesystem::path& folder);
/// Where an export of that time belongs: "date=2026-11-17/at=05-00-00Z".
std::filesystem::path place_of(Time time);

}  // namespace semel::parquet
