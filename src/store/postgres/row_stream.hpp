#pragma once
#include <optional>
#include <string>

#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// The rows of a query, one in memory at a time. The connection does nothing else meanwhile.
class RowStream {
 public:
  RowStream(Connection& connection, const std::string& sql);
  /// A query that was not read to its end is cancelled.
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// Valid until the next call; nothing at the end. Throws StoreFault.
  std::optional<Row> next();

 private:
  Connection& connection_;
  std::optional<Rows> rows_;
  bool is_done_ = false;
};

}  // namespace semel::store::postgres
