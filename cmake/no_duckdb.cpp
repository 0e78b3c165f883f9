// A build without the header of DuckDB (cmake/duckdb.cmake): everything works but what needs it.
#include "parquet/duckdb.hpp"

namespace semel::parquet {

Result<std::unique_ptr<Duckdb>> load_duckdb(const std::string& /*file*/) {
  return refuse(ErrorCode::failed_precondition,
                "this semel was built without the header of DuckDB, which export and query need: run script/bootstrap, "
                "then build it again");
}

}  // namespace semel::parquet
