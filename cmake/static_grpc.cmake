# Links gRPC, and what it brings (Abseil, µpb), into our programs: a third of the time that the program takes to start is the
# looking up of their symbols, in some fifty libraries that every command would load and only a server uses. Packages that
# use the SDK are not touched: they find gRPC themselves.

# semel_link_statically(TARGET…): the imported libraries, and those that they are linked with, by their archives, where they
# have one.
function(semel_link_statically)
  set(waiting ${ARGN})
  set(seen "")
  while(waiting)
    list(POP_FRONT waiting name)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${name}")
    if(NOT TARGET ${name} OR name IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${name})
    get_target_property(links ${name} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(APPEND waiting ${links})
    endif()
    get_target_property(shared ${name} LOCATION)
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${shared}")
    if(NOT archive STREQUAL shared AND name MATCHES "^(gRPC|absl|upb)::" AND EXISTS ${archive})
      set_target_properties(${name} PROPERTIES IMPORTED_LOCATION_NONE ${archive})
    endif()
  endwhile()
endfunction()

semel_link_statically(gRPC::grpc++ gRPC::grpc++_reflection)
