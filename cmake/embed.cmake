# semel_embed(TARGET DIR): every .sql file of DIR becomes a constant of the target, in a generated
# header <semel_sql.hpp> as `inline constexpr std::string_view NAME`, sorted by file name.
function(semel_embed target directory)
  file(GLOB sql_files CONFIGURE_DEPENDS ${directory}/*.sql)
  list(SORT sql_files)
  set(out_dir ${CMAKE_CURRENT_BINARY_DIR}/generated/${target})
  set(out ${out_dir}/semel_sql.hpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DFILES=${sql_files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${sql_files} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} PRIVATE ${out_dir})
endfunction()
