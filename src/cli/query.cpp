#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/json/text.hpp"
#include "cli/client.hpp"
#include "cli/commands.hpp"
#include "parquet/duckdb.hpp"

namespace semel::cli {
namespace {

struct QueryFlags {
  std::string select;
  std::string folder;
  std::string duckdb;
  bool json = false;
};

std::string value_json(const std::optional<std::string>& value, const parquet::Answer::Head& column) {
  if (!value) return "null";
  const bool is_finite = !value->empty() && value->back() >= '0' && value->back() <= '9';  // not inf, nor nan
  return (column.is_number && is_finite) || column.is_boolean ? *value : json::quote(*value);
}

/// An array with an object a row, each on a line.
std::string answer_json(const parquet::Answer& answer) {
  std::string text = "[";
  for (std::size_t row = 0; row < answer.rows.size(); ++row) {
    text += row == 0 ? "{" : ",\n {";
    for (std::size_t i = 0; i < answer.columns.size(); ++i) {
      if (i > 0) text += ",";
      text += json::quote(answer.columns[i].name) + ":" + value_json(answer.rows[row][i], answer.columns[i]);
    }
    text += "}";
  }
  return text + "]\n";
}

Table answer_table(const parquet::Answer& answer) {
  std::vector<std::string> titles;
  for (const parquet::Answer::Head& column : answer.columns) titles.push_back(printable(column.name));
  Table table(std::move(titles));
  for (const std::vector<std::optional<std::string>>& row : answer.rows) {
    std::vector<Cell> cells;
    for (const std::optional<std::string>& value : row) cells.emplace_back(value.value_or("–"));
    table.add(std::move(cells));
  }
  return table;
}

int run_query(const QueryFlags& flags) {
  if (!std::filesystem::is_directory(flags.folder))
    return refuse_failed(fmt::format("there is no folder {}: semel export makes one", flags.folder));
  const Result<std::unique_ptr<parquet::Duckdb>> duckdb = parquet::load_duckdb(flags.duckdb);
  if (!duckdb) return refuse_failed(duckdb.error().message);
  const Result<parquet::Answer> answer = (*duckdb)->query(flags.folder, flags.select);
  if (!answer) return refuse_failed(answer.error().message);
  print(flags.json ? answer_json(*answer) : answer_table(*answer).text(wants_color(stdout)));
  return exit_code::ok;
}

}  // namespace

void add_query(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("query", "Ask an export a question in SQL: its files are the tables.");
  auto flags = std::make_shared<QueryFlags>();
  command->add_option("SELECT", flags->select, "One statement, in the SQL of DuckDB")->required();
  command->add_option("--export", flags->folder, "The folder that semel export wrote, or that holds exports by time")
      ->required();
  command
      ->add_option("--duckdb", flags->duckdb,
                   "The library of DuckDB, libduckdb.so, if it is not where it is looked for")
      ->envname("SEMEL_DUCKDB");
  command->add_flag("--json", flags->json, "Print an array with an object a row");
  command->footer(
      "Example:\n  semel query --export ./export \"select status, count(*) from executions group by status\"");
  command->callback([flags, &exit_code] { exit_code = run_query(*flags); });
}

}  // namespace semel::cli
