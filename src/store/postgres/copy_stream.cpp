#include "store/postgres/copy_stream.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <array>

#include "base/ensure.hpp"

namespace semel::store::postgres {
namespace {

constexpr std::size_t flushed_at = 1 << 16;
constexpr std::string_view copy_signature("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);  // no flags, no extension
constexpr std::string_view copy_trailer("\377\377", 2);
constexpr std::string_view absent_value("\377\377\377\377", 4);

void append_big_endian(std::string& bytes, std::int64_t value, int width) {
  const std::array<char, 8> all = big_endian(value);
  bytes.append(all.data() + all.size() - width, static_cast<std::size_t>(width));
}

/// The binary form of a number has the size of its column.
std::vector<int> read_widths(Connection& connection, const dump::Table& table) {
  const Rows rows = connection.run(
      "SELECT attname::text, CASE WHEN atttypid = ANY ('{int2,int4,int8}'::regtype[]) THEN attlen ELSE 0 END"
      " FROM pg_catalog.pg_attribute WHERE attrelid = ('semel.' || $1)::regclass AND attnum > 0",
      table.name);
  std::vector<int> widths(table.fields.size(), 0);
  for (const Row row : rows) {
    for (std::size_t i = 0; i < table.fields.size(); ++i) {
      if (table.fields[i].name == row.view(0)) widths[i] = row.small(1);
    }
  }
  return widths;
}

std::string columns_of(const dump::Table& table) {
  std::string columns;
  for (const dump::Field& field : table.fields) columns += (columns.empty() ? "" : ", ") + std::string(field.name);
  return columns;
}

bool fits(std::int64_t value, int width) {
  if (width >= 8) return true;
  const std::int64_t end = std::int64_t{1} << (8 * width - 1);
  return value >= -end && value < end;
}

}  // namespace

CopyStream::CopyStream(Connection& connection, const dump::Table& table)
    : connection_(connection), table_(table), widths_(read_widths(connection, table)), buffer_(copy_signature) {
  const std::string sql = fmt::format("COPY semel.{} ({}) FROM STDIN (FORMAT binary)", table.name, columns_of(table));
  PGresult* const result = PQexec(connection.raw(), sql.c_str());
  if (PQresultStatus(result) != PGRES_COPY_IN) {
    is_done_ = true;
    connection.checked(result);
  }
  PQclear(result);
}

CopyStream::~CopyStream() {
  if (is_done_) return;
  PQputCopyEnd(connection_.raw(), "given up");
  while (PGresult* const rest = PQgetResult(connection_.raw())) PQclear(rest);
}

void CopyStream::add(dump::Row row) {
  append_big_endian(buffer_, static_cast<std::int64_t>(row.size()), 2);
  for (std::size_t i = 0; i < row.size(); ++i) append(table_, row, i);
  if (buffer_.size() >= flushed_at) flush();
}

void CopyStream::append(const dump::Table& table, dump::Row row, std::size_t field) {
  const dump::Kind kind = table.fields[field].kind;
  const auto refuse_row = [&](std::string_view why) {
    throw StoreFault(fmt::format("{} {}: {} {}", table.name, key_text(table, row), table.fields[field].name, why));
  };
  if (const auto* number = std::get_if<std::int64_t>(&row[field])) {
    const int width = kind == dump::Kind::boolean ? 1 : widths_[field];
    ensure(width > 0);
    if (!fits(*number, width)) refuse_row("is too large a number for PostgreSQL");
    append_big_endian(buffer_, width, 4);
    append_big_endian(buffer_, *number, width);
  } else if (const auto* bytes = std::get_if<std::string_view>(&row[field])) {
    if (kind == dump::Kind::text && bytes->find('\0') != std::string_view::npos)
      refuse_row("has a zero byte in it, which PostgreSQL cannot hold");
    append_big_endian(buffer_, static_cast<std::int64_t>(bytes->size()), 4);
    buffer_ += *bytes;
  } else {
    buffer_ += absent_value;
  }
}

void CopyStream::flush() {
  if (PQputCopyData(connection_.raw(), buffer_.data(), static_cast<int>(buffer_.size())) != 1)
    throw StoreFault("postgres: " + connection_.what_is_wrong());
  buffer_.clear();
}

void CopyStream::finish() {
  buffer_ += copy_trailer;
  flush();
  if (PQputCopyEnd(connection_.raw(), nullptr) != 1) throw StoreFault("postgres: " + connection_.what_is_wrong());
  is_done_ = true;
  PGresult* const result = PQgetResult(connection_.raw());
  while (PGresult* const rest = PQgetResult(connection_.raw())) PQclear(rest);
  connection_.checked(result);
}

}  // namespace semel::store::postgres
