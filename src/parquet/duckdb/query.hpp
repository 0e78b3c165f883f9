#pragma once
#include <filesystem>

#include "parquet/duckdb.hpp"
#include "parquet/duckdb/library.hpp"

namespace semel::parquet {

/// Duckdb::query().
Result<Answer> query_folder(const Library& library, const std::filesystem::path& folder, const std::string& select);

}  // namespace semel::parquet
