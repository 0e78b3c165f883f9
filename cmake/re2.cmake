# semel::re2: RE2 as a plain library, since the flags that its own package brings ask for C++11. Installed beside the
# package, which needs it too.
find_library(SEMEL_RE2_LIBRARY re2)
if(SEMEL_RE2_LIBRARY AND NOT TARGET semel::re2)
  add_library(semel::re2 UNKNOWN IMPORTED)
  set_target_properties(semel::re2 PROPERTIES IMPORTED_LOCATION ${SEMEL_RE2_LIBRARY})
endif()
