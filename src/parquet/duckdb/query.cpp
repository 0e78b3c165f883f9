#include "parquet/duckdb/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "parquet/duckdb/session.hpp"
#include "parquet/folder.hpp"

namespace semel::parquet {
namespace {

/// The texts of a chunk whose columns are all VARCHAR, row by row.
void append_texts(const Library& library, duckdb_data_chunk chunk, Answer& answer) {
  const idx_t size = library.duckdb_data_chunk_get_size(chunk);
  const idx_t width = library.duckdb_data_chunk_get_column_count(chunk);
  const std::size_t first = answer.rows.size();
  answer.rows.resize(first + size);
  for (idx_t column = 0; column < width; ++column) {
    duckdb_vector const vector = library.duckdb_data_chunk_get_vector(chunk, column);
    std::uint64_t* const validity = library.duckdb_vector_get_validity(vector);
    auto* const texts = static_cast<duckdb_string_t*>(library.duckdb_vector_get_data(vector));
    for (idx_t row = 0; row < size; ++row) {
      const bool is_there = validity == nullptr || library.duckdb_validity_row_is_valid(validity, row);
      std::optional<std::string>& cell = answer.rows[first + row].emplace_back();
      if (!is_there) continue;
      cell.emplace(library.duckdb_string_t_data(&texts[row]), library.duckdb_string_t_length(texts[row]));
    }
  }
}

/// Only one statement, and only a SELECT: with others a folder that may be read could be written.
Result<void> check_is_select(const Library& library, duckdb_connection connection, const std::string& sql) {
  duckdb_extracted_statements statements = nullptr;
  const idx_t count = library.duckdb_extract_statements(connection, sql.c_str(), &statements);
  duckdb_prepared_statement prepared = nullptr;
  Result<void> checked;
  if (count == 0) {
    const char* const why = library.duckdb_extract_statements_error(statements);
    checked = bad_request("{}", why != nullptr ? why : "there is no statement");
  } else if (count > 1) {
    checked = bad_request("there are {} statements; ask for one thing at a time", count);
  } else if (library.duckdb_prepare_extracted_statement(connection, statements, 0, &prepared) != DuckDBSuccess) {
    checked = bad_request("{}", library.duckdb_prepare_error(prepared));
  } else if (library.duckdb_prepared_statement_type(prepared) != DUCKDB_STATEMENT_TYPE_SELECT) {
    checked = bad_request("only SELECT can be asked for: an export is never changed");
  }
  library.duckdb_destroy_prepare(&prepared);
  library.duckdb_destroy_extracted(&statements);
  return checked;
}

/// Nothing but the export can be read from here on, and no setting can be changed back.
Result<void> confine(Session& session, const std::filesystem::path& folder) {
  const std::string inside = sql_text(folder.string() + "/");
  return session.run(
      fmt::format("SET TimeZone = 'UTC'; SET allowed_directories = [{}]; SET enable_external_access = false;"
                  " SET lock_configuration = true",
                  inside));
}

Result<void> make_tables(Session& session, const std::filesystem::path& folder) {
  const std::vector<FoundTable> tables = tables_in(folder);
  if (tables.empty()) return bad_request("{} holds no export: there is no .parquet file in it", folder.string());
  for (const FoundTable& table : tables) {
    const std::string options = table.is_by_time ? ", hive_partitioning = true, union_by_name = true" : "";
    const Result<void> made = session.run(fmt::format("CREATE VIEW {} AS SELECT * FROM read_parquet({}{})",
                                                      sql_name(table.name), sql_text(table.files), options));
    if (!made) return made;
  }
  return {};
}

bool is_number_type(std::string_view type) {
  constexpr std::array<std::string_view, 12> numbers{"TINYINT", "SMALLINT", "INTEGER",   "BIGINT",
                                                     "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
                                                     "UBIGINT", "UHUGEINT", "FLOAT",     "DOUBLE"};
  return std::find(numbers.begin(), numbers.end(), type) != numbers.end() || type.starts_with("DECIMAL");
}

/// The statement as a view has names and types, by which its values can be asked for as texts. DESCRIBE and its like
/// are only taken in brackets, where there is no room for a semicolon.
Result<void> make_view(Session& session, std::string select) {
  const Result<void> made = session.run("CREATE TEMP VIEW semel_answer AS " + select);
  if (made) return made;
  select.resize(select.find_last_not_of("; \t\n") + 1);
  if (session.run(fmt::format("CREATE TEMP VIEW semel_answer AS ({}\n)", select))) return {};
  return made;
}

/// How a column is asked for, so that every value is a text that people and JSON can read.
std::string as_text_sql(std::string_view name, std::string_view type) {
  const std::string column = sql_name(name);
  if (type == "TIMESTAMP WITH TIME ZONE")
    return fmt::format("strftime({} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')", column);
  return fmt::format("CAST({} AS VARCHAR)", column);
}

}  // namespace

Result<Answer> query_folder(const Library& library, const std::filesystem::path& folder, const std::string& select) {
  const std::filesystem::path whole = std::filesystem::canonical(folder);
  Session session(library, {});
  if (Result<void> confined = confine(session, whole); !confined) return pass_on(confined.error());
  if (Result<void> made = make_tables(session, whole); !made) return pass_on(made.error());
  if (Result<void> fine = check_is_select(library, session.connection(), select); !fine) return pass_on(fine.error());
  if (Result<void> made = make_view(session, select); !made) return pass_on(made.error());
  Answer described;
  const Result<void> types = session.run("SELECT column_name, column_type FROM (DESCRIBE semel_answer)",
                                         [&](duckdb_data_chunk chunk) { append_texts(library, chunk, described); });
  if (!types) return pass_on(types.error());
  Answer answer;
  std::string texts;
  for (const std::vector<std::optional<std::string>>& row : described.rows) {
    answer.columns.push_back({*row[0], is_number_type(*row[1]), *row[1] == "BOOLEAN"});
    texts += (texts.empty() ? "" : ", ") + as_text_sql(*row[0], *row[1]);
  }
  const Result<void> read = session.run(fmt::format("SELECT {} FROM semel_answer", texts),
                                        [&](duckdb_data_chunk chunk) { append_texts(library, chunk, answer); });
  if (!read) return pass_on(read.error());
  return answer;
}

}  // namespace semel::parquet
