#include "tests/support/places.hpp"

namespace semel::test::places {

const char* const sources = SEMEL_SOURCES;
const char* const build = SEMEL_BUILD;
const char* const semel = SEMEL_BUILD "/semel";
const char* const doomed_worker = SEMEL_BUILD "/tests/doomed_worker";
const char* const replayer = SEMEL_BUILD "/tests/replayer";
const char* const old_duckdb = SEMEL_BUILD "/tests/libold_duckdb.so";
const char* const odd_duckdb = SEMEL_BUILD "/tests/libodd_duckdb.so";

}  // namespace semel::test::places
