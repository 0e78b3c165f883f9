#include "store/sqlite/no_traces.hpp"

#include "store/sqlite/lock_file.hpp"

namespace semel::store::sqlite {
namespace {

using std::filesystem::path;

path log_of(const path& file) { return file.string() + "-wal"; }
path index_of(const path& file) { return file.string() + "-shm"; }

}  // namespace

NoTraces::NoTraces(path file)
    : file_(std::move(file)),
      were_there_(std::filesystem::exists(log_of(file_)) || std::filesystem::exists(index_of(file_))) {}

NoTraces::~NoTraces() {
  if (were_there_) return;
  while_unused(file_, [&] {
    std::error_code error;
    if (std::filesystem::file_size(log_of(file_), error) > 0 || error) return;
    std::filesystem::remove(log_of(file_), error);
    std::filesystem::remove(index_of(file_), error);
  });
}

}  // namespace semel::store::sqlite
