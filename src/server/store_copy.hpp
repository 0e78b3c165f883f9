#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "store/common/dump_compare.hpp"

/// Moving a store to another database.
namespace semel::server {

/// In rows, each of which is copied and then compared.
using RowProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Copies a file that no server uses into an empty database, and compares all of it before anything can be seen. When
/// refused, or when the comparison finds a difference, nothing was copied.
Result<store::dump::Comparison> copy_store(const std::string& file, const std::string& database,
                                           const RowProgress& progress);

/// Compares the two again: for a copy that no server has used yet.
Result<store::dump::Comparison> compare_stores(const std::string& file, const std::string& database,
                                               const RowProgress& progress);

}  // namespace semel::server
