#include <array>

#include "parquet/file.hpp"

namespace semel::parquet {

std::span<const File> files() {
  static const std::array all{executions_file(), attempts_file(),   dispatch_file(),
                              timers_file(),     identities_file(), events_file()};
  return all;
}

}  // namespace semel::parquet
