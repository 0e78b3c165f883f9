#include "store/sqlite/snapshot_copy.hpp"

#include <system_error>

#include "store/sqlite/dump.hpp"

namespace semel::store::sqlite {

SnapshotCopy::SnapshotCopy(Files files, const Clock& clock, const CopyProgress& progress)
    : files_(std::move(files)), taken_at_(clock.now()) {
  try {
    copy_for_reading(files_.store, files_.copy, progress);
  } catch (...) {
    remove();
    throw;
  }
}

SnapshotCopy::~SnapshotCopy() { remove(); }

std::unique_ptr<dump::Source> SnapshotCopy::open() { return std::make_unique<FileRows>(files_.copy); }

void SnapshotCopy::remove() noexcept {
  std::error_code ignored;
  std::filesystem::remove(files_.copy, ignored);
}

}  // namespace semel::store::sqlite
