#pragma once
#include <array>
#include <cstddef>

#include "parquet/output.hpp"
#include "parquet/reader.hpp"

namespace semel::parquet {

/// A column of a file that is made of one field of a table.
struct Mapped {
  Column column;
  std::string_view field;
  Convert convert = as_it_is;
};

template <std::size_t count>
constexpr std::array<Column, count> columns_of(const std::array<Mapped, count>& mapping) {
  std::array<Column, count> columns{};
  for (std::size_t i = 0; i < count; ++i) columns[i] = mapping[i].column;
  return columns;
}

/// The rows of one table that are in a range, column by column as `mapping` says.
class MappedCursor final : public Cursor {
 public:
  struct Plan {
    const store::dump::Table& table;
    std::span<const Mapped> mapping;
    std::span<const std::string_view> times;  // the fields that say whether a row is in a range
  };
  MappedCursor(Snapshot& snapshot, const Plan& plan, const Range& range);

  std::optional<Row> next() override;

 private:
  bool is_in_range() const;

  const Plan plan_;
  const Range range_;
  Reader reader_;
  std::vector<std::size_t> fields_;  // of each column
  std::vector<std::size_t> times_;
  Output output_;
};

}  // namespace semel::parquet
