# Everything comes from Debian packages (script/bootstrap); nothing is downloaded by the build.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)
find_package(tomlplusplus REQUIRED)
find_package(date CONFIG REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)  # the flags that its package brings ask for C++11
find_library(HIREDIS_LIBRARY hiredis REQUIRED)  # its package brings no CMake file
