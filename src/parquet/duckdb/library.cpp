#include "parquet/duckdb/library.hpp"

#include <dlfcn.h>

#include <charconv>
#include <string_view>

namespace semel::parquet {
namespace {

/// The header is of 1.4; later ones of the same main version only add to it.
constexpr int major_wanted = 1;
constexpr int minor_least = 4;

/// "v1.5.6"
bool can_be_used(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  int major = 0;
  int minor = 0;
  const char* const end = version.data() + version.size();
  const auto [dot, error] = std::from_chars(version.data(), end, major);
  if (error != std::errc{} || dot == end || *dot != '.') return false;
  if (std::from_chars(dot + 1, end, minor).ec != std::errc{}) return false;
  return major == major_wanted && minor >= minor_least;
}

}  // namespace

void* Library::find_symbol(const char* name) {
  void* const symbol = ::dlsym(handle_, name);
  if (symbol == nullptr && missing_.empty()) missing_ = name;
  return symbol;
}

Result<void> Library::check(const std::string& file) const {
  if (duckdb_library_version == nullptr)
    return refuse(ErrorCode::failed_precondition, "{} is not the library of DuckDB", file);
  const std::string_view version = duckdb_library_version();
  if (!can_be_used(version)) {
    return refuse(ErrorCode::failed_precondition, "{} is DuckDB {}, and {}.{} or a later {}.x is needed", file, version,
                  major_wanted, minor_least, major_wanted);
  }
  if (!missing_.empty())
    return refuse(ErrorCode::failed_precondition, "{} (DuckDB {}) has no function {}", file, version, missing_);
  return {};
}

Result<std::unique_ptr<Library>> Library::load(const std::string& file) {
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return refuse(ErrorCode::failed_precondition, "{}", ::dlerror());
  std::unique_ptr<Library> library(new Library(handle));
  if (Result<void> checked = library->check(file); !checked) return pass_on(checked.error());
  return library;
}

}  // namespace semel::parquet
