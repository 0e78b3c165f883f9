#include <array>
#include <filesystem>

#include "parquet/duckdb.hpp"
#include "parquet/duckdb/library.hpp"
#include "parquet/duckdb/query.hpp"
#include "parquet/duckdb/write.hpp"

namespace semel::parquet {
namespace {

using std::filesystem::path;

constexpr const char* library_name = "libduckdb.so";
constexpr const char* how_to_get_it =
    "DuckDB is not here, and export and query need it. In a checkout: script/bootstrap, or npm ci in tools/duckdb. "
    "Elsewhere put libduckdb.so (1.4 or later) beside semel, or name it with --duckdb or SEMEL_DUCKDB";

class LoadedDuckdb final : public Duckdb {
 public:
  explicit LoadedDuckdb(std::unique_ptr<Library> library) : library_(std::move(library)) {}

  std::string version() const override { return library_->duckdb_library_version(); }
  std::int64_t write(const path& target, std::span<const Column> columns, Cursor& rows) override {
    return write_file(*library_, target, columns, rows);
  }
  Result<Answer> query(const path& folder, const std::string& select) override {
    return query_folder(*library_, folder, select);
  }

 private:
  const std::unique_ptr<Library> library_;
};

/// Beside the program, and in the tools of the checkout that it was built in, as build/release/semel. Nowhere else: who
/// can write to a folder above must not decide what is loaded.
std::array<path, 2> likely_places() {
  std::error_code error;
  const path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const path checkout = folder.parent_path().parent_path();
  return {folder / library_name, checkout / "tools/duckdb/node_modules/@duckdb/node-bindings-linux-x64" / library_name};
}

Result<std::unique_ptr<Library>> load_first() {
  for (const path& place : likely_places()) {
    std::error_code ignored;
    if (std::filesystem::exists(place, ignored)) return Library::load(place.string());
  }
  Result<std::unique_ptr<Library>> installed = Library::load(library_name);
  if (!installed) return refuse(ErrorCode::failed_precondition, "{}", how_to_get_it);
  return installed;
}

}  // namespace

Result<std::unique_ptr<Duckdb>> load_duckdb(const std::string& file) {
  Result<std::unique_ptr<Library>> library = file.empty() ? load_first() : Library::load(file);
  if (!library) return pass_on(library.error());
  return std::make_unique<LoadedDuckdb>(*std::move(library));
}

}  // namespace semel::parquet
