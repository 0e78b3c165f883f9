// A library that says it is a DuckDB, and lacks nearly everything.
extern "C" const char* duckdb_library_version() { return "v1.5.6"; }
