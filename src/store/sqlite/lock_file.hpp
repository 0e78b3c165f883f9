#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

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

/// The pid of the process that has the store open; nothing when nobody has. Looks with a lock of its own that it lets
/// go at once, and makes no file.
std::optional<std::string> lock_holder(const std::filesystem::path& database);

/// Does something short while no process can take the store; nothing when one has it. Makes no file.
void while_unused(const std::filesystem::path& database, const std::function<void()>& act);

}  // namespace semel::store::sqlite
