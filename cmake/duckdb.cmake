# semel_duckdb(TARGET FOLDER): adds the sources of the folder, which speak with DuckDB, to the target. They need its header
# alone: the library is loaded when a command needs it. Without the header the rest of the program is built all the
# same, and those commands say what is missing.
find_path(SEMEL_DUCKDB_INCLUDE duckdb.h
  PATHS ${PROJECT_SOURCE_DIR}/tools/duckdb/node_modules/duckdb/src/duckdb/src/include
  NO_DEFAULT_PATH
  DOC "the folder of duckdb.h, for semel export and semel query")

function(semel_duckdb target folder)
  if(NOT SEMEL_DUCKDB_INCLUDE)
    message(STATUS "duckdb.h was not found: semel export and semel query will only say so. Run script/bootstrap, or set SEMEL_DUCKDB_INCLUDE.")
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/no_duckdb.cpp)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  target_sources(${target} PRIVATE ${sources})
  target_include_directories(${target} SYSTEM PRIVATE ${SEMEL_DUCKDB_INCLUDE})
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
