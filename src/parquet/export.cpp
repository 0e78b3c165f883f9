#include "parquet/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "base/error.hpp"
#include "base/json/writer.hpp"

namespace semel::parquet {
namespace {

/// Tells how far it is, now and then: to tell of each row would cost more than to write it.
class Told final : public Cursor {
 public:
  struct Span {
    std::int64_t before;    // rows of the files before
    std::int64_t expected;  // of this one
    std::int64_t total;
  };
  Told(Cursor& rows, const Span& span, const RowProgress& progress) : rows_(rows), span_(span), progress_(progress) {}

  std::optional<Row> next() override {
    constexpr std::int64_t rows_between_tellings = 4'096;
    count_ += 1;
    if (progress_ && count_ % rows_between_tellings == 0)
      progress_(span_.before + std::min(count_, span_.expected), span_.total);
    return rows_.next();
  }

 private:
  Cursor& rows_;
  const Span span_;
  const RowProgress& progress_;
  std::int64_t count_ = 0;
};

std::vector<std::int64_t> count_all(Snapshot& snapshot) {
  const std::unique_ptr<store::dump::Source> source = snapshot.open();
  std::vector<std::int64_t> counts;
  for (const File& file : files()) counts.push_back(source->count(file.counted));
  return counts;
}

std::string manifest_text(const Manifest& manifest) {
  json::Writer writer;
  writer.begin_object().string("taken_at", to_rfc3339(manifest.taken_at));
  if (manifest.since) writer.string("since", to_rfc3339(*manifest.since));
  writer.key("tables").begin_array();
  for (const Written& each : manifest.tables)
    writer.begin_object().string("table", each.table).integer("rows", each.rows).end_object();
  return writer.end_array().end_object().take() + "\n";
}

void write_manifest(const std::filesystem::path& file, const Manifest& manifest) {
  std::ofstream stream(file, std::ios::binary);
  stream << manifest_text(manifest);
  stream.close();
  if (!stream) throw StoreFault(fmt::format("cannot write {}", file.string()));
}

std::optional<Time> newest_of_day(const std::filesystem::path& folder, const std::string& day) {
  std::optional<Time> newest;
  for (const auto& at : std::filesystem::directory_iterator(folder)) {
    std::string time = at.path().filename().string();
    if (!time.starts_with("at=") || !std::filesystem::exists(at.path() / manifest_name)) continue;
    std::replace(time.begin(), time.end(), '-', ':');
    newest = std::max(newest, parse_rfc3339(day + "T" + time.substr(3)));
  }
  return newest;
}

}  // namespace

Manifest write_export(Snapshot& snapshot, const Range& range, Duckdb& duckdb, const std::filesystem::path& folder,
                      const RowProgress& progress) {
  const std::vector<std::int64_t> counts = count_all(snapshot);
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  Manifest manifest{snapshot.taken_at(), range.since, {}};
  std::int64_t before = 0;
  for (std::size_t i = 0; i < files().size(); ++i) {
    const File& file = files()[i];
    const std::unique_ptr<Cursor> rows = file.read(snapshot, range);
    Told told(*rows, {before, counts[i], total}, progress);
    const std::int64_t written = duckdb.write(folder / fmt::format("{}.parquet", file.name), file.columns, told);
    manifest.tables.push_back({file.name, written});
    before += counts[i];
  }
  write_manifest(folder / manifest_name, manifest);
  return manifest;
}

std::filesystem::path place_of(Time time) {
  std::string at = to_rfc3339(time).substr(11, 8);  // 05:00:00, which no file system likes
  std::replace(at.begin(), at.end(), ':', '-');
  return std::filesystem::path("date=" + to_rfc3339(time).substr(0, 10)) / fmt::format("at={}Z", at);
}

std::optional<Time> newest_export(const std::filesystem::path& folder) {
  try {
    if (!std::filesystem::exists(folder)) return std::nullopt;
    std::optional<Time> newest;
    for (const auto& date : std::filesystem::directory_iterator(folder)) {
      const std::string day = date.path().filename().string();
      if (!day.starts_with("date=") || !date.is_directory()) continue;
      newest = std::max(newest, newest_of_day(date.path(), day.substr(5)));
    }
    return newest;
  } catch (const std::filesystem::filesystem_error& error) {
    throw StoreFault(fmt::format("cannot read the folder of exports: {}", error.what()));
  }
}

}  // namespace semel::parquet
