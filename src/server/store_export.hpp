#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "parquet/export.hpp"
#include "server/store_target.hpp"

namespace semel::server {

struct ExportOptions {
  StoreTarget store{};
  std::filesystem::path folder{};
  std::optional<Time> since{};
  bool replace = false;
  std::string duckdb{};                                                 // the library; empty = wherever it is found
  std::function<void(std::int64_t done, std::int64_t total)> copied{};  // pages of a file
  parquet::RowProgress written{};
};

/// Writes a store, which may be in use, as Parquet files: all of one moment, and in their place when they are whole.
/// When refused, the folder is as before.
Result<parquet::Manifest> export_store(const ExportOptions& options);

}  // namespace semel::server
