#pragma once
#include "store/common/dump.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// The whole of a store, read and written as rows, within a transaction that somebody else has begun.
class DatabaseDump final : public dump::Source, public dump::Sink {
 public:
  explicit DatabaseDump(Connection& connection) : connection_(connection) {}

  /// Where all rows of a table are, for a FROM.
  static std::string source_of(const dump::Table& table);

  std::unique_ptr<dump::Cursor> read(const dump::Table& table) override;
  std::int64_t count(const dump::Table& table) override;
  /// By COPY.
  void write(const dump::Table& table, dump::Cursor& rows, const dump::Tick& tick) override;

 private:
  void write_facts(dump::Cursor& rows);

  Connection& connection_;
};

}  // namespace semel::store::postgres
