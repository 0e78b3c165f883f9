#include "store/sqlite/dump.hpp"

#include <fmt/format.h>

#include "store/common/texts.hpp"
#include "store/sqlite/inspect.hpp"
#include "store/sqlite/migrate.hpp"

namespace semel::store::sqlite {
namespace {

using dump::Kind;
using dump::Table;
using dump::Value;

/// Rows of a tenant are found by its number, ?1, in the order of the key. Where an index has that order, nothing is
/// sorted.
std::string usual_query(const Table& table) {
  std::string columns;
  std::string key;
  for (std::size_t i = 1; i < table.fields.size(); ++i) {
    const std::string comma = i == 1 ? "" : ", ";
    columns += fmt::format("{}{}", comma, table.fields[i].name);
    if (i < table.key_size) key += fmt::format("{}{}", comma, table.fields[i].name);
  }
  return fmt::format("SELECT {} FROM {} WHERE tenant_id = ?1 ORDER BY {}", columns, table.name, key);
}

/// Who holds what is said by the executions and the tombstones themselves; the table `identities` may be behind, and
/// may name what holds nothing any more (holder.cpp).
constexpr std::string_view identities_query =
    "SELECT hash, id FROM executions WHERE tenant_id = ?1 AND hash IS NOT NULL AND superseded = 0"
    " UNION ALL SELECT hash, id FROM tombstones WHERE tenant_id = ?1 AND hash IS NOT NULL ORDER BY hash";

/// The same in the order of the holders: an execution that has gone and its tombstone are never both there.
constexpr std::string_view holders_query =
    "SELECT id, hash FROM executions WHERE tenant_id = ?1 AND hash IS NOT NULL AND superseded = 0"
    " UNION ALL SELECT id, hash FROM tombstones WHERE tenant_id = ?1 AND hash IS NOT NULL ORDER BY id";

/// Attempts know the number of their execution in this file, and not its id.
std::string attempts_query(const Table& table) {
  std::string columns;
  for (const dump::Field& field : table.fields.subspan(1)) {
    if (!columns.empty()) columns += ", ";
    columns += field.name == "execution_id" ? "e.id" : fmt::format("a.{}", field.name);
  }
  return fmt::format(
      "SELECT {} FROM executions e CROSS JOIN attempts a ON a.seq = e.seq WHERE e.tenant_id = ?1"
      " ORDER BY e.id, a.number, a.id",
      columns);
}

constexpr std::string_view facts_query =
    "SELECT 'last_audit', coalesce(max(seq), 0) FROM audit"
    " UNION ALL SELECT 'last_seq', max(coalesce((SELECT max(seq) FROM executions), 0),"
    " coalesce((SELECT value FROM facts WHERE name = 'last_seq'), 0))"
    " UNION ALL SELECT 'last_time', coalesce((SELECT value FROM facts WHERE name = 'last_time'), 0) ORDER BY 1";

std::string query_of(const Table& table) {
  if (table.name == "identities") return std::string(identities_query);
  if (table.name == "holders") return std::string(holders_query);
  if (table.name == "attempts") return attempts_query(table);
  if (table.name == "facts") return std::string(facts_query);
  return usual_query(table);
}

std::string count_of(const Table& table) {
  if (table.name == "identities" || table.name == "holders") {
    return "SELECT (SELECT count(*) FROM executions WHERE hash IS NOT NULL AND superseded = 0)"
           " + (SELECT count(*) FROM tombstones WHERE hash IS NOT NULL)";
  }
  if (table.name == "facts") return "SELECT 3";
  return fmt::format("SELECT count(*) FROM {}", table.name);
}

/// The other stores keep one a line.
std::string hit_lines(std::string_view array) {
  std::string lines;
  for (const DuplicateHit& hit : read_hits(array)) {
    if (!lines.empty()) lines += '\n';
    lines += hits_text({hit});
  }
  return lines;
}

using Tenant = std::pair<std::int64_t, std::string>;

/// The rows of all tenants, one tenant after the other.
class TableCursor final : public dump::Cursor {
 public:
  TableCursor(Connection& connection, const Table& table, const std::vector<Tenant>& tenants)
      : table_(table), tenants_(tenants), statement_(connection.raw(), query_of(table)), row_(table.fields.size()) {}

  std::optional<dump::Row> next() override {
    while (!is_open_ || !statement_.step()) {
      if (!open_next()) return std::nullopt;
    }
    return read();
  }

 private:
  bool open_next() {
    if (next_tenant_ == (table_.has_tenant() ? tenants_.size() : 1)) return false;
    statement_.reset();
    if (table_.has_tenant()) statement_.bind(1, tenants_[next_tenant_].first);
    next_tenant_ += 1;
    is_open_ = true;
    return true;
  }

  dump::Row read() {
    const int before = table_.has_tenant() ? 1 : 0;
    if (before == 1) row_[0] = tenants_[next_tenant_ - 1].second;
    for (int column = 0; column + before < static_cast<int>(row_.size()); ++column)
      row_[static_cast<std::size_t>(column + before)] =
          value(column, table_.fields[static_cast<std::size_t>(column + before)].kind);
    if (table_.name == "duplicates") {
      lines_ = hit_lines(std::get<std::string_view>(row_.back()));
      row_.back() = lines_;
    }
    return row_;
  }

  Value value(int column, Kind kind) const {
    if (statement_.is_null(column)) return std::monostate{};
    if (kind == Kind::integer || kind == Kind::boolean) return statement_.integer(column);
    return statement_.view(column);
  }

  const Table& table_;
  const std::vector<Tenant>& tenants_;
  Statement statement_;
  bool is_open_ = false;
  std::size_t next_tenant_ = 0;
  std::vector<Value> row_;
  std::string lines_;
};

/// Before a lock is made beside it.
const std::filesystem::path& existing(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) throw StoreFault(fmt::format("there is no file {}", file.string()));
  return file;
}

/// Tenant 0 is the configuration, which speaks for all.
std::vector<Tenant> read_tenants(Connection& connection) {
  std::vector<Tenant> tenants{{0, ""}};
  Scoped query = connection.use("SELECT id, name FROM tenants ORDER BY name");
  while (query->step()) tenants.emplace_back(query->integer(0), query->text(1));
  return tenants;
}

}  // namespace

FileRows::FileRows(const std::filesystem::path& file)
    : connection_(file, Connection::Access::read_only), snapshot_(connection_) {
  check_is_store(connection_, file);
  const SchemaState schema = read_schema(connection_);
  if (!schema.is_current()) {
    throw StoreFault(
        fmt::format("the store {} has schema version {}, and this binary needs {}: run semel migrate --store sqlite:{}",
                    file.string(), schema.version, schema.newest, file.string()));
  }
  tenants_ = read_tenants(connection_);
}

std::unique_ptr<dump::Cursor> FileRows::read(const dump::Table& table) {
  return std::make_unique<TableCursor>(connection_, table, tenants_);
}

std::int64_t FileRows::count(const dump::Table& table) {
  Statement query(connection_.raw(), count_of(table));
  query.step();
  return query.integer(0);
}

FileDump::FileDump(const std::filesystem::path& file) : traces_(existing(file)), lock_(file), rows_(file) {}

}  // namespace semel::store::sqlite
