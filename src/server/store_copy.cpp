#include "server/store_copy.hpp"

#include "server/refusing.hpp"
#include "store/postgres/copy_target.hpp"
#include "store/sqlite/dump.hpp"

namespace semel::server {
namespace {

using store::dump::Comparison;
using store::dump::Table;

std::int64_t count_rows(store::dump::Source& source) {
  std::int64_t rows = 0;
  for (const Table& table : store::dump::tables()) rows += source.count(table);
  return rows;
}

/// Counts what was done, and tells now and then: to tell of each row would cost more than to copy it.
class Ticker {
 public:
  Ticker(std::int64_t total, const RowProgress& progress) : total_(total), progress_(progress) {}

  void add(std::int64_t rows) {
    done_ += rows;
    if (progress_ && done_ % rows_between_tellings == 0) progress_(std::min(done_, total_), total_);
  }

 private:
  static constexpr std::int64_t rows_between_tellings = 256;

  const std::int64_t total_;
  const RowProgress& progress_;
  std::int64_t done_ = 0;
};

}  // namespace

Result<Comparison> copy_store(const std::string& file, const std::string& database, const RowProgress& progress) {
  return refusing([&] {
    store::sqlite::FileDump source(file);
    store::postgres::CopyTarget target(database);
    Ticker ticker(2 * count_rows(source), progress);
    const auto tick = [&](std::int64_t rows) { ticker.add(rows); };
    for (const Table& table : store::dump::tables()) target.rows().write(table, *source.read(table), tick);
    Comparison comparison = compare(source, target.rows(), tick);
    if (comparison.are_same()) target.finish();
    return comparison;
  });
}

Result<Comparison> compare_stores(const std::string& file, const std::string& database, const RowProgress& progress) {
  return refusing([&] {
    store::sqlite::FileDump source(file);
    store::postgres::CopiedDatabase copy(database);
    Ticker ticker(count_rows(source), progress);
    return compare(source, copy.rows(), [&](std::int64_t rows) { ticker.add(rows); });
  });
}

}  // namespace semel::server
