#pragma once
#include <filesystem>

#include "ports/clock.hpp"
#include "store/common/dump.hpp"
#include "store/sqlite/backup.hpp"

namespace semel::store::sqlite {

/// A store at one moment, from a copy of its file: a server that uses the store can go on to bring its log into the
/// file, however long the copy is read. The copy goes with this object.
class SnapshotCopy final : public dump::Snapshot {
 public:
  struct Files {
    std::filesystem::path store;
    std::filesystem::path copy;
  };
  /// Throws StoreFault with what to do. The store's time is the machine's, or ahead of it.
  SnapshotCopy(Files files, const Clock& clock, const CopyProgress& progress);
  ~SnapshotCopy() override;
  SnapshotCopy(const SnapshotCopy&) = delete;
  SnapshotCopy& operator=(const SnapshotCopy&) = delete;

  std::unique_ptr<dump::Source> open() override;
  Time taken_at() const override { return taken_at_; }

 private:
  void remove() noexcept;

  const Files files_;
  const Time taken_at_;
};

}  // namespace semel::store::sqlite
