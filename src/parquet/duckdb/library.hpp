#pragma once
#include <duckdb.h>

#include <memory>
#include <string>

#include "base/result.hpp"

namespace semel::parquet {

/// The functions of DuckDB that are used here, from a library that is loaded at run time. Members are named as in
/// duckdb.h, which says what they do.
class Library {
 private:
  // Before the functions, which are looked for with them.
  void* const handle_;  // stays: DuckDB cannot be unloaded while its threads may run
  std::string missing_{};

 public:
  /// An empty name is not allowed. Refuses a file that is no DuckDB, or not one that this program can use.
  static Result<std::unique_ptr<Library>> load(const std::string& file);

  // NOLINTBEGIN(*-macro-usage): a function's name is said once.
#define SEMEL_LOADED(name) decltype(::name)* const name = find<decltype(::name)>(#name)
  SEMEL_LOADED(duckdb_library_version);
  SEMEL_LOADED(duckdb_create_config);
  SEMEL_LOADED(duckdb_set_config);
  SEMEL_LOADED(duckdb_destroy_config);
  SEMEL_LOADED(duckdb_open_ext);
  SEMEL_LOADED(duckdb_close);
  SEMEL_LOADED(duckdb_connect);
  SEMEL_LOADED(duckdb_disconnect);
  SEMEL_LOADED(duckdb_free);
  SEMEL_LOADED(duckdb_query);
  SEMEL_LOADED(duckdb_destroy_result);
  SEMEL_LOADED(duckdb_result_error);
  SEMEL_LOADED(duckdb_fetch_chunk);
  SEMEL_LOADED(duckdb_extract_statements);
  SEMEL_LOADED(duckdb_extract_statements_error);
  SEMEL_LOADED(duckdb_destroy_extracted);
  SEMEL_LOADED(duckdb_prepare_extracted_statement);
  SEMEL_LOADED(duckdb_prepare_error);
  SEMEL_LOADED(duckdb_prepared_statement_type);
  SEMEL_LOADED(duckdb_destroy_prepare);
  SEMEL_LOADED(duckdb_create_table_function);
  SEMEL_LOADED(duckdb_destroy_table_function);
  SEMEL_LOADED(duckdb_table_function_set_name);
  SEMEL_LOADED(duckdb_table_function_set_extra_info);
  SEMEL_LOADED(duckdb_table_function_set_bind);
  SEMEL_LOADED(duckdb_table_function_set_init);
  SEMEL_LOADED(duckdb_table_function_set_function);
  SEMEL_LOADED(duckdb_register_table_function);
  SEMEL_LOADED(duckdb_bind_get_extra_info);
  SEMEL_LOADED(duckdb_bind_add_result_column);
  SEMEL_LOADED(duckdb_init_set_max_threads);
  SEMEL_LOADED(duckdb_function_get_extra_info);
  SEMEL_LOADED(duckdb_function_set_error);
  SEMEL_LOADED(duckdb_create_logical_type);
  SEMEL_LOADED(duckdb_destroy_logical_type);
  SEMEL_LOADED(duckdb_vector_size);
  SEMEL_LOADED(duckdb_data_chunk_get_vector);
  SEMEL_LOADED(duckdb_data_chunk_get_column_count);
  SEMEL_LOADED(duckdb_data_chunk_get_size);
  SEMEL_LOADED(duckdb_data_chunk_set_size);
  SEMEL_LOADED(duckdb_destroy_data_chunk);
  SEMEL_LOADED(duckdb_vector_get_data);
  SEMEL_LOADED(duckdb_vector_get_validity);
  SEMEL_LOADED(duckdb_vector_ensure_validity_writable);
  SEMEL_LOADED(duckdb_vector_assign_string_element_len);
  SEMEL_LOADED(duckdb_validity_set_row_invalid);
  SEMEL_LOADED(duckdb_validity_row_is_valid);
  SEMEL_LOADED(duckdb_string_t_length);
  SEMEL_LOADED(duckdb_string_t_data);
#undef SEMEL_LOADED
  // NOLINTEND(*-macro-usage)

 private:
  explicit Library(void* handle) : handle_(handle) {}

  template <typename Function>
  Function* find(const char* name) {
    return reinterpret_cast<Function*>(find_symbol(name));
  }
  /// Notes the first that is missing.
  void* find_symbol(const char* name);
  Result<void> check(const std::string& file) const;
};

}  // namespace semel::parquet
