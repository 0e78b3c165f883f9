#pragma once
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "parquet/duckdb/library.hpp"

namespace semel::parquet {

/// A result that is destroyed with its scope.
class Outcome {
 public:
  explicit Outcome(const Library& library) : library_(library) {}
  ~Outcome() { library_.duckdb_destroy_result(&result); }
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;

  duckdb_result result{};

 private:
  const Library& library_;
};

/// A database in memory, without anything in it, and one connection to it. Neither loads extensions nor spills.
class Session {
 public:
  using Setting = std::pair<const char*, const char*>;
  /// Throws StoreFault.
  Session(const Library& library, std::initializer_list<Setting> settings);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Refuses in DuckDB's words.
  Result<void> run(const std::string& sql);
  using Visit = std::function<void(duckdb_data_chunk chunk)>;
  Result<void> run(const std::string& sql, const Visit& visit);

  duckdb_connection connection() const { return connection_; }

 private:
  const Library& library_;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

/// As SQL writes them.
std::string sql_text(std::string_view text);
std::string sql_name(std::string_view name);

}  // namespace semel::parquet
