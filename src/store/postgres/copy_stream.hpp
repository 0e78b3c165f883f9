#pragma once
#include <string>
#include <vector>

#include "store/common/dump.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// Rows on their way into a table, by COPY in its binary form: the quickest way there is, and no value has to be
/// escaped. The connection does nothing else meanwhile.
class CopyStream {
 public:
  CopyStream(Connection& connection, const dump::Table& table);
  /// Without finish() the rows are given up, and with them the transaction.
  ~CopyStream();
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;

  /// Throws StoreFault naming the row when the database cannot hold it.
  void add(dump::Row row);
  void finish();

 private:
  void append(const dump::Table& table, dump::Row row, std::size_t field);
  void flush();

  Connection& connection_;
  const dump::Table& table_;
  std::vector<int> widths_;  // of integers, in bytes, as the table has them; 0 for everything else
  std::string buffer_;
  bool is_done_ = false;
};

}  // namespace semel::store::postgres
