#pragma once
#include <filesystem>

#include "parquet/duckdb/library.hpp"
#include "parquet/file.hpp"

namespace semel::parquet {

/// Duckdb::write().
std::int64_t write_file(const Library& library, const std::filesystem::path& target, std::span<const Column> columns,
                        Cursor& rows);

}  // namespace semel::parquet
