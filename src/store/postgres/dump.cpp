#include "store/postgres/dump.hpp"

#include <fmt/format.h>

#include "store/postgres/copy_stream.hpp"
#include "store/postgres/row_stream.hpp"

namespace semel::store::postgres {
namespace {

using dump::Kind;
using dump::Table;

std::string names_of(std::span<const dump::Field> fields) {
  std::string names;
  for (const dump::Field& field : fields) {
    if (!names.empty()) names += ", ";
    names += field.name;
  }
  return names;
}

/// The newest number that an identity column has given. (A sequence that was never asked says 1.)
constexpr std::string_view facts_query =
    "SELECT 'last_audit', CASE WHEN is_called THEN last_value ELSE 0 END FROM semel.audit_seq_seq"
    " UNION ALL SELECT 'last_seq', CASE WHEN is_called THEN last_value ELSE 0 END FROM semel.executions_seq_seq"
    " UNION ALL SELECT name, value FROM semel.facts WHERE name = 'last_time' ORDER BY 1";

std::string dump_query(const Table& table) {
  if (table.name == "facts") return std::string(facts_query);
  return fmt::format("SELECT {} FROM {} ORDER BY {}", names_of(table.fields), DatabaseDump::source_of(table),
                     names_of(table.fields.first(table.key_size)));
}

class DumpCursor final : public dump::Cursor {
 public:
  DumpCursor(Connection& connection, const Table& table)
      : table_(table), rows_(connection, dump_query(table)), row_(table.fields.size()) {}

  std::optional<dump::Row> next() override {
    const std::optional<Row> row = rows_.next();
    if (!row) return std::nullopt;
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = value(*row, static_cast<int>(i), table_.fields[i].kind);
    return row_;
  }

 private:
  static dump::Value value(const Row& row, int column, Kind kind) {
    if (row.is_null(column)) return std::monostate{};
    if (kind == Kind::integer || kind == Kind::boolean) return row.integer(column);
    return row.view(column);
  }

  const Table& table_;
  RowStream rows_;
  std::vector<dump::Value> row_;
};

}  // namespace

/// What was put away is part of it.
std::string DatabaseDump::source_of(const dump::Table& table) {
  if (table.name == "facts") return fmt::format("({}) AS all_facts", facts_query);
  if (table.name == "holders") return "semel.identities";
  const bool is_of_executions = table.name == "executions";
  if (!is_of_executions && table.name != "attempts") return fmt::format("semel.{}", table.name);
  return fmt::format("(SELECT {0} FROM semel.{1} UNION ALL SELECT {0} FROM semel.{2}) AS everywhere",
                     names_of(table.fields), table.name, is_of_executions ? "closed" : "closed_attempts");
}

std::unique_ptr<dump::Cursor> DatabaseDump::read(const dump::Table& table) {
  return std::make_unique<DumpCursor>(connection_, table);
}

std::int64_t DatabaseDump::count(const dump::Table& table) {
  return std::stoll(connection_.execute(fmt::format("SELECT count(*) FROM {}", source_of(table)))[0].text(0));
}

void DatabaseDump::write(const dump::Table& table, dump::Cursor& rows, const dump::Tick& tick) {
  if (table.name == "facts") return write_facts(rows);
  CopyStream copy(connection_, table);
  while (const std::optional<dump::Row> row = rows.next()) {
    copy.add(*row);
    tick(1);
  }
  copy.finish();
}

void DatabaseDump::write_facts(dump::Cursor& rows) {
  while (const std::optional<dump::Row> row = rows.next()) {
    const auto name = std::get<std::string_view>((*row)[0]);
    const auto value = std::get<std::int64_t>((*row)[1]);
    if (name == dump::fact::last_seq) {
      connection_.run("SELECT setval('semel.executions_seq_seq', greatest($1, 1), $1 > 0)", value);
    } else if (name == dump::fact::last_audit) {
      connection_.run("SELECT setval('semel.audit_seq_seq', greatest($1, 1), $1 > 0)", value);
    } else {
      connection_.run(
          "INSERT INTO semel.facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2", name,
          value);
    }
  }
}

}  // namespace semel::store::postgres
