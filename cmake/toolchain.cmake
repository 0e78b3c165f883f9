# Warnings, linker, compiler cache and sanitizers: the same for every target of the project.
find_program(SEMEL_CCACHE ccache)
if(SEMEL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SEMEL_CCACHE})
endif()

find_program(SEMEL_MOLD mold)
if(SEMEL_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wconversion -Werror -fno-omit-frame-pointer)
# Without the path of the checkout in __FILE__, which is in every assertion of a test, the compiler cache serves another one.
# Files that are compiled together are included from the folder `together` of the build tree.
file(RELATIVE_PATH SEMEL_UP ${CMAKE_BINARY_DIR}/together ${PROJECT_SOURCE_DIR})
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= -fmacro-prefix-map=together/${SEMEL_UP}=
  -fmacro-prefix-map=${CMAKE_BINARY_DIR}/together/${SEMEL_UP}=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wthread-safety)
  # libstdc++ 12's own stable_sort uses what its own headers call deprecated.
  add_compile_options(-Wno-error=deprecated-declarations)
  # A precompiled header with a time stamp in it would never be found in the compiler cache again.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)  # lets ccache look into precompiled headers
  if(CMAKE_UNITY_BUILD)
    # It takes a .cpp file that is compiled together with others for a header.
    add_compile_options(-Wno-subobject-linkage)
  endif()
endif()

if(SEMEL_SANITIZE)
  add_compile_options(-fsanitize=${SEMEL_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SEMEL_SANITIZE})
  add_compile_definitions(SEMEL_SANITIZED)
  if(SEMEL_SANITIZE MATCHES address)
    # What it knows of every constant would be moved to its place at each start, a fifth of a short program's time.
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 warns of impossible cases inside its own headers once sanitizers are on.
    add_compile_options(-Wno-maybe-uninitialized -Wno-error=stringop-overflow -Wno-error=array-bounds)
  endif()
endif()
