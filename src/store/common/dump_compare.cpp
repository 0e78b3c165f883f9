#include "store/common/dump_compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/uuid.hpp"

namespace semel::store::dump {
namespace {

void append_number(std::string& bytes, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>((value >> shift) & 0xFF));
}

std::string value_text(const Field& field, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  const auto* bytes = std::get_if<std::string_view>(&value);
  if (bytes == nullptr) return "(absent)";
  if (field.kind == Kind::text) return std::string(*bytes);
  Uuid uuid;
  if (field.kind == Kind::uuid && bytes->size() == uuid.bytes.size()) {
    std::copy(bytes->begin(), bytes->end(), uuid.bytes.begin());
    return uuid.text();
  }
  return to_hex(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
}

/// One side of a comparison.
class Side {
 public:
  Side(Source& source, const Table& table) : rows_(source.read(table)) { advance(); }

  const std::optional<Row>& row() const { return row_; }
  void advance() {
    row_ = rows_->next();
    if (!row_) return;
    digest_.add(*row_);
    count_ += 1;
  }
  std::int64_t count() const { return count_; }
  Hash32 hash() { return digest_.finish(); }

 private:
  std::unique_ptr<Cursor> rows_;
  std::optional<Row> row_;
  Digest digest_;
  std::int64_t count_ = 0;
};

/// Compares two stores, a table at a time.
class Comparer {
 public:
  Comparer(Source& before, Source& after, const Tick& tick) : before_(before), after_(after), tick_(tick) {}

  void compare(const Table& table) {
    Side before(before_, table);
    Side after(after_, table);
    while (before.row() || after.row()) {
      step(table, before, after);
      tick_(1);
    }
    comparison_.tables.push_back({table.name, before.count(), after.count(), before.hash(), after.hash()});
    check_counts(table);
  }

  Comparison take() { return std::move(comparison_); }

 private:
  void step(const Table& table, Side& before, Side& after) {
    const std::strong_ordering order = order_of(table, before.row(), after.row());
    if (order < 0) tell(table, *before.row(), "is missing in the copy");
    else if (order > 0) tell(table, *after.row(), "is in the copy only");
    else compare_rows(table, *before.row(), *after.row());
    if (order <= 0) before.advance();
    if (order >= 0) after.advance();
  }

  static std::strong_ordering order_of(const Table& table, const std::optional<Row>& one,
                                       const std::optional<Row>& other) {
    if (!one || !other) return other.has_value() <=> one.has_value();  // the one that has ended comes last
    for (std::size_t i = 0; i < table.key_size; ++i) {
      if ((*one)[i] < (*other)[i]) return std::strong_ordering::less;
      if ((*other)[i] < (*one)[i]) return std::strong_ordering::greater;
    }
    return std::strong_ordering::equal;
  }

  void compare_rows(const Table& table, Row before, Row after) {
    if (std::equal(before.begin(), before.end(), after.begin(), after.end())) return;
    std::string names;
    for (std::size_t i = 0; i < table.fields.size(); ++i) {
      if (before[i] == after[i]) continue;
      if (!names.empty()) names += ", ";
      names += table.fields[i].name;
    }
    tell(table, before, "has another " + names);
  }

  /// What a cursor did not show, such as a row whose owner is gone, is still a row.
  void check_counts(const Table& table) {
    const TableSums& sums = comparison_.tables.back();
    const std::int64_t before = before_.count(table);
    const std::int64_t after = after_.count(table);
    if (before == sums.rows_before && after == sums.rows_after) return;
    add({table.name, "",
         fmt::format("has {} rows and its copy {}; {} and {} of them belong to something", before, after,
                     sums.rows_before, sums.rows_after)});
  }

  void tell(const Table& table, Row row, std::string what) { add({table.name, key_text(table, row), std::move(what)}); }
  void add(Difference difference) {
    comparison_.differences_found += 1;
    if (comparison_.differences.size() < Comparison::differences_kept)
      comparison_.differences.push_back(std::move(difference));
  }

  Source& before_;
  Source& after_;
  const Tick& tick_;
  Comparison comparison_;
};

}  // namespace

std::string key_text(const Table& table, Row row) {
  std::string text;
  for (std::size_t i = 0; i < table.key_size; ++i) {
    if (i > 0) text += '/';
    text += value_text(table.fields[i], row[i]);
  }
  return text;
}

void Digest::add(Row row) {
  bytes_.clear();
  for (const Value& value : row) {
    bytes_.push_back(static_cast<char>(value.index()));
    if (const auto* number = std::get_if<std::int64_t>(&value))
      append_number(bytes_, static_cast<std::uint64_t>(*number));
    if (const auto* bytes = std::get_if<std::string_view>(&value)) {
      append_number(bytes_, bytes->size());
      bytes_ += *bytes;
    }
  }
  hash_.update(bytes_);
}

Comparison compare(Source& before, Source& after, const Tick& tick) {
  Comparer comparer(before, after, tick);
  for (const Table& table : tables()) comparer.compare(table);
  return comparer.take();
}

}  // namespace semel::store::dump
