#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>

namespace semel::store::sqlite {

/// How far a copy has come, in pages.
using CopyProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct CopyOptions {
  bool overwrite = false;
  CopyProgress progress = {};
};

/// Copies a store, which may be in use, as it is at one moment. The copy is one file without a log, checked, on the
/// disk, and under its name only when all of that is done. Throws StoreFault with what to do; then the target is as
/// before.
void backup_store(const std::filesystem::path& store, const std::filesystem::path& target, const CopyOptions& options);

/// The same for somebody who reads the copy at once and removes it: neither checked nor on the disk when this returns.
void copy_for_reading(const std::filesystem::path& store, const std::filesystem::path& target,
                      const CopyProgress& progress);

/// Puts a backup in the place of a store that no process uses, and holds its lock meanwhile. Throws StoreFault with
/// what to do; then the store is as before.
void restore_store(const std::filesystem::path& backup, const std::filesystem::path& store, const CopyOptions& options);

}  // namespace semel::store::sqlite
