#pragma once
#include <filesystem>

namespace semel::store::sqlite {

/// Holds the store for this process alone: an exclusive flock on "FILE.lock", which names the holder's pid. The lock
/// goes with the process, however it ends. Throws StoreFault naming that pid when another process has the store.
class LockFile {
 public:
  explicit LockFile(const std::filesystem::path& database);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace semel::store::sqlite
