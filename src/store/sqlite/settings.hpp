#pragma once
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// How the connection that writes is set up. FULL: every commit is on the disk before it is answered.
inline void configure_writer(Connection& connection) {
  connection.execute(
      "PRAGMA journal_mode = WAL;"
      "PRAGMA synchronous = FULL;"
      "PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA cache_size = -24576;"
      "PRAGMA temp_store = MEMORY;"
      "PRAGMA trusted_schema = OFF");
}

}  // namespace semel::store::sqlite
