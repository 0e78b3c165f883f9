#include "store/postgres/made_indexes.hpp"

#include <algorithm>
#include <optional>
#include <semel_postgres_sql.hpp>

namespace semel::store::postgres {
namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\n' || letter == '\t'; }

/// The statements of a script without comments, with one space where there was any. What stands between two $$ is the
/// body of a function, and left out.
std::vector<std::string> statements_of(std::string_view script) {
  std::vector<std::string> statements(1);
  bool in_body = false;
  for (std::size_t at = 0; at < script.size(); ++at) {
    std::string& statement = statements.back();
    const std::string_view rest = script.substr(at);
    if (rest.starts_with("$$")) {
      in_body = !in_body;
      ++at;
    } else if (in_body) {
      continue;
    } else if (rest.starts_with("--")) {
      at = std::min(script.find('\n', at), script.size()) - 1;
    } else if (script[at] == ';') {
      statements.emplace_back();
    } else if (!is_blank(script[at])) {
      statement += script[at];
    } else if (!statement.empty() && statement.back() != ' ') {
      statement += ' ';
    }
  }
  return statements;
}

/// The name after these words, without its schema; nothing when the statement does not begin with them.
std::optional<std::string> name_after(std::string_view statement, std::string_view words) {
  if (!statement.starts_with(words)) return std::nullopt;
  std::string_view name = statement.substr(words.size());
  name = name.substr(0, name.find_first_of(" (,"));
  if (name.starts_with("semel.")) name.remove_prefix(6);
  return std::string(name);
}

/// The parts of a CREATE TABLE between its outermost commas.
std::vector<std::string_view> columns_in(std::string_view statement) {
  std::vector<std::string_view> columns;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < statement.size(); ++at) {
    if (statement[at] == '(' && ++depth == 1) begin = at + 1;
    const bool ends = (statement[at] == ',' && depth == 1) || (statement[at] == ')' && --depth == 0);
    if (!ends) continue;
    std::string_view column = statement.substr(begin, at - begin);
    while (column.starts_with(' ')) column.remove_prefix(1);
    columns.push_back(column);
    begin = at + 1;
    if (depth == 0) break;
  }
  return columns;
}

void add_constraints(const std::string& table, std::string_view statement, std::vector<MadeIndex>& made) {
  for (const std::string_view column : columns_in(statement)) {
    if (column.find("PRIMARY KEY") != std::string_view::npos) made.push_back({table + "_pkey", table, ""});
    const bool is_unique_column = column.find(" UNIQUE") != std::string_view::npos;
    if (is_unique_column)
      made.push_back({table + "_" + std::string(column.substr(0, column.find(' '))) + "_key", table, ""});
  }
}

void apply_statement(std::string statement, std::vector<MadeIndex>& made) {
  while (statement.ends_with(' ')) statement.pop_back();
  for (const std::string_view words : {"CREATE INDEX ", "CREATE UNIQUE INDEX "}) {
    const auto name = name_after(statement, words);
    if (!name) continue;
    const std::size_t on = statement.find(" ON ");
    made.push_back({*name, *name_after(std::string_view(statement).substr(on), " ON "), statement});
  }
  for (const std::string_view words : {"CREATE TABLE ", "CREATE UNLOGGED TABLE "}) {
    if (const auto table = name_after(statement, words)) add_constraints(*table, statement, made);
  }
  if (const auto table = name_after(statement, "ALTER TABLE ")) {
    if (statement.find(" ADD PRIMARY KEY ") != std::string::npos) made.push_back({*table + "_pkey", *table, ""});
  }
  if (const auto name = name_after(statement, "DROP INDEX "))
    std::erase_if(made, [&](const MadeIndex& each) { return each.name == *name; });
  if (const auto table = name_after(statement, "DROP TABLE "))
    std::erase_if(made, [&](const MadeIndex& each) { return each.table == *table; });
}

}  // namespace

std::vector<MadeIndex> indexes_made_by(std::span<const std::string_view> scripts) {
  std::vector<MadeIndex> made;
  for (const std::string_view script : scripts) {
    for (std::string& statement : statements_of(script)) apply_statement(std::move(statement), made);
  }
  return made;
}

std::vector<MadeIndex> indexes_of_schema() { return indexes_made_by(postgres_sql::all); }

}  // namespace semel::store::postgres
