#include "parquet/duckdb/session.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace semel::parquet {
namespace {

using Configuration = std::unique_ptr<_duckdb_config, std::function<void(duckdb_config)>>;

Configuration make_configuration(const Library& library) {
  duckdb_config made = nullptr;
  if (library.duckdb_create_config(&made) != DuckDBSuccess) throw StoreFault("DuckDB: cannot be configured");
  return {made, [&library](duckdb_config each) { library.duckdb_destroy_config(&each); }};
}

std::string in_quotes(std::string_view text, char quote) {
  std::string made(1, quote);
  for (const char c : text) {
    if (c == quote) made += quote;
    made += c;
  }
  return made + quote;
}

}  // namespace

Session::Session(const Library& library, std::initializer_list<Setting> settings) : library_(library) {
  const Configuration configuration = make_configuration(library);
  const auto set = [&](const Setting& each) {
    if (library.duckdb_set_config(configuration.get(), each.first, each.second) != DuckDBSuccess)
      throw StoreFault(fmt::format("DuckDB: there is no setting {} = {}", each.first, each.second));
  };
  set({"autoinstall_known_extensions", "false"});
  set({"autoload_known_extensions", "false"});
  set({"temp_directory", ""});
  for (const Setting& each : settings) set(each);
  char* error = nullptr;
  if (library.duckdb_open_ext(nullptr, &database_, configuration.get(), &error) != DuckDBSuccess) {
    const std::string why = error != nullptr ? error : "cannot be opened";
    library.duckdb_free(error);
    throw StoreFault("DuckDB: " + why);
  }
  if (library.duckdb_connect(database_, &connection_) != DuckDBSuccess) {
    library.duckdb_close(&database_);
    throw StoreFault("DuckDB: cannot be connected to");
  }
}

Session::~Session() {
  library_.duckdb_disconnect(&connection_);
  library_.duckdb_close(&database_);
}

Result<void> Session::run(const std::string& sql) {
  return run(sql, [](duckdb_data_chunk) {});
}

Result<void> Session::run(const std::string& sql, const Visit& visit) {
  Outcome outcome(library_);
  if (library_.duckdb_query(connection_, sql.c_str(), &outcome.result) != DuckDBSuccess) {
    const char* const why = library_.duckdb_result_error(&outcome.result);
    return bad_request("{}", why != nullptr ? why : "DuckDB gives no reason");
  }
  while (duckdb_data_chunk chunk = library_.duckdb_fetch_chunk(outcome.result)) {
    visit(chunk);
    library_.duckdb_destroy_data_chunk(&chunk);
  }
  return {};
}

std::string sql_text(std::string_view text) { return in_quotes(text, '\''); }
std::string sql_name(std::string_view name) { return in_quotes(name, '"'); }

}  // namespace semel::parquet
