#pragma once
#include <sqlite3.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace semel::test {

/// A look into a store's file beside the server, by SQLite itself.
class Database {
 public:
  enum class Access { read_only, read_write };

  explicit Database(const std::filesystem::path& file, Access access = Access::read_only) {
    const int flags = access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(file.c_str(), &database_, flags, nullptr) != SQLITE_OK) fail();
    sqlite3_busy_timeout(database_, 10'000);
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// The first column of every row.
  std::vector<std::string> column(const std::string& sql) {
    std::vector<std::string> values;
    const auto take = [](void* into, int, char** texts, char**) {
      static_cast<std::vector<std::string>*>(into)->emplace_back(texts[0] == nullptr ? "" : texts[0]);
      return 0;
    };
    if (sqlite3_exec(database_, sql.c_str(), take, &values, nullptr) != SQLITE_OK) fail();
    return values;
  }
  std::string value(const std::string& sql) {
    const std::vector<std::string> values = column(sql);
    return values.empty() ? "" : values.front();
  }
  std::size_t count(const std::string& sql) { return std::stoul(value(sql)); }
  void execute(const std::string& sql) { column(sql); }
  /// How SQLite would carry a statement out, in its own words.
  std::string plan(const std::string& sql) {
    std::string text;
    const auto take = [](void* into, int count, char** texts, char**) {
      *static_cast<std::string*>(into) += std::string(texts[count - 1]) + "\n";
      return 0;
    };
    if (sqlite3_exec(database_, ("EXPLAIN QUERY PLAN " + sql).c_str(), take, &text, nullptr) != SQLITE_OK) fail();
    return text;
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error(sqlite3_errmsg(database_)); }

  sqlite3* database_ = nullptr;
};

}  // namespace semel::test
