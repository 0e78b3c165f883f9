#pragma once
#include <memory>
#include <string>

#include "tests/support/postgres_session.hpp"

namespace semel::test {

/// A database of the program's server for one test: as if it were new. They are used again, since to empty one is much
/// quicker than to make one.
class PostgresDatabase {
 public:
  PostgresDatabase();
  ~PostgresDatabase();
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  /// For libpq.
  std::string target() const;
  /// The same as a URL.
  std::string url() const;
  /// A session to look into it. Its tables are found without their schema.
  std::unique_ptr<Session> open() const;

 private:
  std::string name_;
};

}  // namespace semel::test
