# semel_proto(TARGET DIRECTORY FILE…): a library of what protoc makes of DIRECTORY/FILE.proto. Its code is not ours: it is
# compiled without warnings and without much optimising, and its headers are included as those of a system.
function(semel_proto target directory)
  set(out_dir ${CMAKE_CURRENT_BINARY_DIR}/generated/${target})
  file(MAKE_DIRECTORY ${out_dir})
  set(messages "")
  set(services "")
  foreach(name IN LISTS ARGN)
    set(made ${out_dir}/${name}.pb.cc ${out_dir}/${name}.pb.h ${out_dir}/${name}.grpc.pb.cc ${out_dir}/${name}.grpc.pb.h)
    add_custom_command(
      OUTPUT ${made}
      COMMAND protobuf::protoc -I ${directory} --cpp_out=${out_dir} --grpc_out=${out_dir}
              --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} ${directory}/${name}.proto
      DEPENDS ${directory}/${name}.proto
      VERBATIM)
    list(APPEND messages ${out_dir}/${name}.pb.cc)
    list(APPEND services ${out_dir}/${name}.grpc.pb.cc)
  endforeach()
  add_library(${target} STATIC ${messages} ${services})
  set_source_files_properties(${messages} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # they use the same names
  target_compile_options(${target} PRIVATE -w -O1)
  target_include_directories(${target} SYSTEM PUBLIC $<BUILD_INTERFACE:${out_dir}>)
  target_link_libraries(${target} PUBLIC gRPC::grpc++ protobuf::libprotobuf)
endfunction()
