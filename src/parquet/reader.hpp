#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "store/common/dump.hpp"

namespace semel::parquet {

/// One table of a snapshot, row by row, with a connection of its own. The table must outlive it.
class Reader {
 public:
  Reader(store::dump::Snapshot& snapshot, const store::dump::Table& table)
      : source_(snapshot.open()), cursor_(source_->read(table)) {}

  /// False at the end. What was read of the row before is gone.
  bool next() {
    row_ = cursor_->next();
    return row_.has_value();
  }

  /// Goes on to the row that begins with this tenant and this id, or to the first after it; asked for in their order.
  bool seek(std::string_view tenant, std::string_view id);

  // Of the row that is read.
  const store::dump::Value& value(std::size_t field) const { return (*row_)[field]; }
  bool has(std::size_t field) const { return !std::holds_alternative<std::monostate>(value(field)); }
  std::int64_t number(std::size_t field) const { return std::get<std::int64_t>(value(field)); }
  std::string_view text(std::size_t field) const { return std::get<std::string_view>(value(field)); }
  Time time(std::size_t field) const { return from_ms(number(field)); }
  std::optional<Time> optional_time(std::size_t field) const;
  Uuid uuid(std::size_t field) const;

 private:
  std::unique_ptr<store::dump::Source> source_;
  std::unique_ptr<store::dump::Cursor> cursor_;
  std::optional<store::dump::Row> row_{};
  bool is_begun_ = false;
};

}  // namespace semel::parquet
