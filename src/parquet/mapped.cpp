#include "parquet/mapped.hpp"

#include <algorithm>

#include "base/ensure.hpp"

namespace semel::parquet {
namespace {

std::size_t index_of(const store::dump::Table& table, std::string_view name) {
  const auto found = std::find_if(table.fields.begin(), table.fields.end(),
                                  [&](const store::dump::Field& field) { return field.name == name; });
  ensure(found != table.fields.end());
  return static_cast<std::size_t>(found - table.fields.begin());
}

}  // namespace

MappedCursor::MappedCursor(Snapshot& snapshot, const Plan& plan, const Range& range)
    : plan_(plan), range_(range), reader_(snapshot, plan.table) {
  for (const Mapped& each : plan.mapping) fields_.push_back(index_of(plan.table, each.field));
  for (const std::string_view name : plan.times) times_.push_back(index_of(plan.table, name));
}

std::optional<Row> MappedCursor::next() {
  do {
    if (!reader_.next()) return std::nullopt;
  } while (!is_in_range());
  output_.begin();
  for (std::size_t i = 0; i < fields_.size(); ++i) plan_.mapping[i].convert(output_, reader_.value(fields_[i]));
  return output_.row();
}

bool MappedCursor::is_in_range() const {
  return !range_.since || std::any_of(times_.begin(), times_.end(),
                                      [&](std::size_t field) { return range_.has({reader_.value(field)}); });
}

}  // namespace semel::parquet
