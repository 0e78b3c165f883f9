// DuckDB asks for the rows of a file itself, by a table function of ours: `COPY (SELECT * FROM semel_rows()) TO …`. So
// nothing is stored in between, and no more than one group of rows is in memory, whatever a store holds.
#include "parquet/duckdb/write.hpp"

#include <fmt/format.h>

#include <exception>
#include <vector>

#include "base/error.hpp"
#include "parquet/duckdb/session.hpp"

namespace semel::parquet {
namespace {

/// A chunk is a row of vectors, each with room for 2,048 values. Contexts may be large: then it has fewer.
constexpr std::size_t chunk_bytes_max = 4 << 20;

/// Rows on their way to DuckDB. It calls back on one thread of its own or ours.
class Feed {
 public:
  Feed(const Library& library, std::span<const Column> columns, Cursor& rows)
      : library_(library), columns_(columns), rows_(rows), vectors_(columns.size()) {}

  void declare(duckdb_bind_info info) const {
    for (const Column& column : columns_) {
      duckdb_logical_type type = library_.duckdb_create_logical_type(type_of(column.type));
      library_.duckdb_bind_add_result_column(info, std::string(column.name).c_str(), type);
      library_.duckdb_destroy_logical_type(&type);
    }
  }

  /// Nothing may be thrown through DuckDB: it is kept, and thrown by finish().
  void fill(duckdb_function_info info, duckdb_data_chunk chunk) noexcept {
    try {
      library_.duckdb_data_chunk_set_size(chunk, fill_chunk(chunk));
    } catch (...) {
      fault_ = std::current_exception();
      library_.duckdb_function_set_error(info, "the rows could not be read");
    }
  }

  std::int64_t finish() const {
    if (fault_) std::rethrow_exception(fault_);
    return count_;
  }

 private:
  static duckdb_type type_of(Type type) {
    switch (type) {
      case Type::text: return DUCKDB_TYPE_VARCHAR;
      case Type::integer: return DUCKDB_TYPE_BIGINT;
      case Type::boolean: return DUCKDB_TYPE_BOOLEAN;
      case Type::time: return DUCKDB_TYPE_TIMESTAMP_TZ;
    }
    return DUCKDB_TYPE_INVALID;
  }

  idx_t fill_chunk(duckdb_data_chunk chunk) {
    for (std::size_t i = 0; i < columns_.size(); ++i) vectors_[i] = library_.duckdb_data_chunk_get_vector(chunk, i);
    const idx_t size_max = library_.duckdb_vector_size();
    idx_t size = 0;
    std::size_t bytes = 0;
    while (!is_over_ && size < size_max && bytes < chunk_bytes_max) {
      const std::optional<Row> row = rows_.next();
      is_over_ = !row;
      if (!row) break;
      for (std::size_t i = 0; i < columns_.size(); ++i) bytes += put(i, size, (*row)[i]);
      size += 1;
    }
    count_ += static_cast<std::int64_t>(size);
    return size;
  }

  /// The bytes of a text.
  std::size_t put(std::size_t column, idx_t row, const Value& value) const {
    duckdb_vector const vector = vectors_[column];
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      library_.duckdb_vector_assign_string_element_len(vector, row, text->data(), text->size());
      return text->size();
    }
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      put_number(column, row, *number);
    } else {
      library_.duckdb_vector_ensure_validity_writable(vector);
      library_.duckdb_validity_set_row_invalid(library_.duckdb_vector_get_validity(vector), row);
    }
    return 0;
  }

  void put_number(std::size_t column, idx_t row, std::int64_t number) const {
    void* const data = library_.duckdb_vector_get_data(vectors_[column]);
    if (columns_[column].type == Type::boolean) {
      static_cast<bool*>(data)[row] = number != 0;
    } else {
      constexpr std::int64_t microseconds = 1'000;  // of a millisecond
      const std::int64_t factor = columns_[column].type == Type::time ? microseconds : 1;
      static_cast<std::int64_t*>(data)[row] = number * factor;
    }
  }

  const Library& library_;
  const std::span<const Column> columns_;
  Cursor& rows_;
  std::vector<duckdb_vector> vectors_;  // of the chunk that is filled
  bool is_over_ = false;                // a cursor that is asked again after its end may begin anew
  std::int64_t count_ = 0;
  std::exception_ptr fault_{};
};

/// DuckDB's callbacks are plain functions, which need the library to ask what they belong to. A process loads one.
const Library* called_back = nullptr;

void bind_rows(duckdb_bind_info info) {
  static_cast<const Feed*>(called_back->duckdb_bind_get_extra_info(info))->declare(info);
}

/// Rows come from one cursor.
void begin_rows(duckdb_init_info info) { called_back->duckdb_init_set_max_threads(info, 1); }

void fill_rows(duckdb_function_info info, duckdb_data_chunk chunk) {
  static_cast<Feed*>(called_back->duckdb_function_get_extra_info(info))->fill(info, chunk);
}

void register_feed(const Library& library, duckdb_connection connection, Feed& feed) {
  called_back = &library;
  duckdb_table_function function = library.duckdb_create_table_function();
  library.duckdb_table_function_set_name(function, "semel_rows");
  library.duckdb_table_function_set_extra_info(function, &feed, nullptr);
  library.duckdb_table_function_set_bind(function, bind_rows);
  library.duckdb_table_function_set_init(function, begin_rows);
  library.duckdb_table_function_set_function(function, fill_rows);
  const duckdb_state state = library.duckdb_register_table_function(connection, function);
  library.duckdb_destroy_table_function(&function);
  if (state != DuckDBSuccess) throw StoreFault("DuckDB: does not take a table function");
}

}  // namespace

/// A group of rows is as large as readers like it, unless its texts are: then it is smaller, which DuckDB only does
/// when it need not keep the order of rows. With one thread and one source it keeps it all the same.
std::int64_t write_file(const Library& library, const std::filesystem::path& target, std::span<const Column> columns,
                        Cursor& rows) {
  Session session(library, {{"threads", "1"}, {"memory_limit", "1GB"}, {"preserve_insertion_order", "false"}});
  Feed feed(library, columns, rows);
  register_feed(library, session.connection(), feed);
  const Result<void> written = session.run(
      fmt::format("COPY (SELECT * FROM semel_rows()) TO {} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880,"
                  " ROW_GROUP_SIZE_BYTES '64MB')",
                  sql_text(target.string())));
  const std::int64_t count = feed.finish();
  if (!written) throw StoreFault(fmt::format("cannot write {}: {}", target.string(), written.error().message));
  return count;
}

}  // namespace semel::parquet
