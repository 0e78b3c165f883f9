# semel_dashboard(TARGET): puts the dashboard into the target. It is built by Node.js, from dashboard/; a build without
# it must be asked for, so that nobody gets an empty page by accident.
option(SEMEL_DASHBOARD "put the dashboard into the binary (needs Node.js and npm)" ON)

function(semel_dashboard target)
  if(NOT SEMEL_DASHBOARD)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/no_dashboard.cpp)
    return()
  endif()
  find_program(SEMEL_NODE NAMES node nodejs)
  if(NOT SEMEL_NODE)
    message(FATAL_ERROR "The dashboard needs Node.js: run script/bootstrap, or configure with -DSEMEL_DASHBOARD=OFF.")
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/dashboard)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${folder}/src/* ${folder}/public/*)
  list(APPEND inputs ${folder}/index.html ${folder}/package-lock.json ${folder}/vite.config.ts ${folder}/svelte.config.js ${folder}/tsconfig.json ${folder}/pack.mjs)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated/${target}/dashboard_assets.cpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/generated/${target}
    COMMAND ${SEMEL_NODE} ${folder}/pack.mjs ${out}
    DEPENDS ${inputs}
    COMMENT "Building the dashboard"
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  # Its constants are read by the assembler: it is a unit of its own.
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
