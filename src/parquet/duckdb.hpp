#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "parquet/file.hpp"

namespace semel::parquet {

/// What DuckDB has answered: names of columns, and rows of texts, which are absent where the value is.
struct Answer {
  struct Head {
    std::string name;
    bool is_number = false;   // its texts are numbers as JSON writes them
    bool is_boolean = false;  // "true" and "false"
  };
  std::vector<Head> columns{};
  std::vector<std::vector<std::optional<std::string>>> rows{};
};

/// DuckDB, which writes Parquet files and reads them. It is a library that is loaded when somebody needs it, and that
/// no other part of this program knows. For one thread.
class Duckdb {
 public:
  virtual ~Duckdb() = default;

  /// "v1.5.6"
  virtual std::string version() const = 0;

  /// Writes all rows into a new file, in bounded memory, and counts them. Throws StoreFault: what the rows threw, or
  /// what DuckDB says of the file.
  virtual std::int64_t write(const std::filesystem::path& target, std::span<const Column> columns, Cursor& rows) = 0;

  /// One SELECT over the files of an export, each a table with its name. Nothing else can be read, and nothing written.
  /// `folder` is an export, or holds exports by time (date=…/at=…). Refuses what DuckDB refuses, with its words.
  virtual Result<Answer> query(const std::filesystem::path& folder, const std::string& select) = 0;
};

/// Loads the library: the file that is named, or else the first that is found beside this program, in the tools folder
/// of the project that it was built in, or where the system keeps its libraries. Refuses with how to get it.
Result<std::unique_ptr<Duckdb>> load_duckdb(const std::string& file);

}  // namespace semel::parquet
