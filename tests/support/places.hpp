#pragma once

/// Where things lie that tests read or start. Only places.cpp knows: a path in the compile command of a test would keep
/// the compiler cache from serving another checkout.
namespace semel::test::places {

extern const char* const sources;  // the repository
extern const char* const build;    // the build tree
extern const char* const semel;    // the program
extern const char* const doomed_worker;
extern const char* const replayer;
extern const char* const old_duckdb;
extern const char* const odd_duckdb;

}  // namespace semel::test::places
