# semel_embed(TARGET DIR [NAME PATTERN]): every file of DIR that fits PATTERN (by default NAME is sql, and PATTERN *.sql)
# becomes a constant of the target, in a generated header <semel_NAME.hpp> as `inline constexpr std::string_view`, in a
# namespace semel::NAME that also has `all` of them, sorted by file name.
function(semel_embed target directory)
  set(name sql)
  set(pattern *.sql)
  if(ARGC EQUAL 4)
    set(name ${ARGV2})
    set(pattern ${ARGV3})
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${directory}/${pattern})
  list(SORT files)
  set(out_dir ${CMAKE_CURRENT_BINARY_DIR}/generated/${target})
  set(out ${out_dir}/semel_${name}.hpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAME=${name} "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} PRIVATE ${out_dir})
endfunction()
