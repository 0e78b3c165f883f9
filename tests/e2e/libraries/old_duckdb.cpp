// A library that says it is a DuckDB from before what semel can use.
extern "C" const char* duckdb_library_version() { return "v0.9.2"; }
