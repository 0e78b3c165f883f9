#pragma once
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/uuid.hpp"
#include "parquet/file.hpp"

namespace semel::test {

/// A value that owns its text.
using Owned = std::variant<std::monostate, std::int64_t, std::string>;
using Record = std::map<std::string, Owned>;

/// A store as lists of rows, in the order of their keys. Fields that a row does not name are absent.
class FakeSnapshot final : public store::dump::Snapshot {
 public:
  std::map<std::string, std::vector<Record>> tables{};

  std::unique_ptr<store::dump::Source> open() override { return std::make_unique<FakeSource>(*this); }
  Time taken_at() const override { return from_ms(1'800'000'000'000); }

 private:
  class FakeCursor final : public store::dump::Cursor {
   public:
    FakeCursor(const std::vector<Record>& records, const store::dump::Table& table)
        : records_(records), table_(table) {}

    std::optional<store::dump::Row> next() override {
      if (next_ == records_.size()) return std::nullopt;
      const Record& record = records_[next_++];
      row_.clear();
      for (const store::dump::Field& field : table_.fields) row_.push_back(value(record, std::string(field.name)));
      return row_;
    }

   private:
    static store::dump::Value value(const Record& record, const std::string& name) {
      const auto found = record.find(name);
      if (found == record.end()) return std::monostate{};
      if (const auto* text = std::get_if<std::string>(&found->second)) return std::string_view(*text);
      if (const auto* number = std::get_if<std::int64_t>(&found->second)) return *number;
      return std::monostate{};
    }

    const std::vector<Record>& records_;
    const store::dump::Table& table_;
    std::size_t next_ = 0;
    std::vector<store::dump::Value> row_;
  };

  class FakeSource final : public store::dump::Source {
   public:
    explicit FakeSource(FakeSnapshot& snapshot) : snapshot_(snapshot) {}

    std::unique_ptr<store::dump::Cursor> read(const store::dump::Table& table) override {
      return std::make_unique<FakeCursor>(snapshot_.tables[std::string(table.name)], table);
    }
    std::int64_t count(const store::dump::Table& table) override {
      return static_cast<std::int64_t>(snapshot_.tables[std::string(table.name)].size());
    }

   private:
    FakeSnapshot& snapshot_;
  };
};

/// The bytes of a UUID whose last one is this.
inline std::string uuid_bytes(std::uint8_t last) {
  Uuid uuid;
  uuid.bytes[15] = last;
  return std::string(uuid.view());
}
inline std::string uuid_text(std::uint8_t last) { return fmt::format("00000000-0000-0000-0000-{:012x}", last); }

/// All rows of a file as texts by column: absent ones are "–", times RFC 3339.
inline std::vector<std::map<std::string, std::string>> rows_of(const parquet::File& file, FakeSnapshot& snapshot,
                                                               const parquet::Range& range = {}) {
  std::vector<std::map<std::string, std::string>> rows;
  const std::unique_ptr<parquet::Cursor> cursor = file.read(snapshot, range);
  while (const std::optional<parquet::Row> row = cursor->next()) {
    if (row->size() != file.columns.size()) throw StoreFault("a row has another width than its file");
    std::map<std::string, std::string>& made = rows.emplace_back();
    for (std::size_t i = 0; i < row->size(); ++i) {
      const parquet::Column& column = file.columns[i];
      std::string& text = made[std::string(column.name)];
      if (const auto* view = std::get_if<std::string_view>(&(*row)[i])) text = *view;
      else if (const auto* number = std::get_if<std::int64_t>(&(*row)[i]))
        text = column.type == parquet::Type::time ? to_rfc3339(from_ms(*number)) : std::to_string(*number);
      else text = "–";
    }
  }
  return rows;
}

}  // namespace semel::test
