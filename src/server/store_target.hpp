#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel::server {

/// Where the state is kept: a file, or a database.
struct StoreTarget {
  enum class Kind : std::uint8_t { sqlite, postgres };

  Kind kind = Kind::sqlite;
  std::string place;  // the file, or the URL of the database
};

/// "sqlite:FILE" or "postgres://…".
Result<StoreTarget> parse_store(std::string_view store);

/// The file of "sqlite:FILE", for what can only be done with one.
Result<std::string> parse_sqlite_store(std::string_view store);

/// The same without the password that a URL may hold, for logs and screens.
std::string without_password(std::string_view store);

}  // namespace semel::server
