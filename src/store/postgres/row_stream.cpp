#include "store/postgres/row_stream.hpp"

#include <libpq-fe.h>

#include <array>

namespace semel::store::postgres {

RowStream::RowStream(Connection& connection, const std::string& sql) : connection_(connection) {
  constexpr int in_binary = 1;
  const bool is_sent =
      PQsendQueryParams(connection.raw(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, in_binary) == 1;
  if (!is_sent || PQsetSingleRowMode(connection.raw()) != 1) throw StoreFault(connection.what_is_wrong());
}

RowStream::~RowStream() {
  if (is_done_) return;
  if (PGcancel* const cancel = PQgetCancel(connection_.raw())) {
    std::array<char, 256> ignored{};
    PQcancel(cancel, ignored.data(), static_cast<int>(ignored.size()));
    PQfreeCancel(cancel);
  }
  while (PGresult* const rest = PQgetResult(connection_.raw())) PQclear(rest);
}

std::optional<Row> RowStream::next() {
  rows_.reset();
  if (is_done_) return std::nullopt;
  PGresult* const result = PQgetResult(connection_.raw());
  if (result != nullptr && PQresultStatus(result) == PGRES_SINGLE_TUPLE) {
    rows_.emplace(result);
    return (*rows_)[0];
  }
  connection_.checked(result);
  while (PGresult* const rest = PQgetResult(connection_.raw())) PQclear(rest);
  is_done_ = true;
  return std::nullopt;
}

}  // namespace semel::store::postgres
