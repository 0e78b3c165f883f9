#include "store/sqlite/lock_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace semel::store::sqlite {
namespace {

std::string read_pid(int descriptor) {
  std::array<char, 32> buffer{};
  const ssize_t size = ::pread(descriptor, buffer.data(), buffer.size(), 0);
  if (size <= 0) return "unknown";
  std::string text(buffer.data(), static_cast<std::size_t>(size));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Negative when there is none: then nobody has ever had the store.
int open_existing(const std::filesystem::path& database) {
  return ::open((database.string() + ".lock").c_str(), O_RDONLY | O_CLOEXEC);
}

/// Before anything is made there: a folder that is missing or a folder in the file's place are typing errors.
void check_place(const std::filesystem::path& database) {
  std::error_code ignored;
  const std::filesystem::path folder = database.parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder, ignored)) {
    throw StoreFault(fmt::format("there is no folder {}: make it, or use another --store", folder.string()));
  }
  if (std::filesystem::is_directory(database, ignored)) {
    throw StoreFault(fmt::format("{} is a folder, and the store is a file: use another --store", database.string()));
  }
}

}  // namespace

LockFile::LockFile(const std::filesystem::path& database) {
  check_place(database);
  const std::string path = database.string() + ".lock";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0) throw StoreFault(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const std::string pid = read_pid(descriptor_);
    ::close(descriptor_);
    throw StoreFault(
        fmt::format("the store {} is in use by the process with pid {}; stop it first, or use another --store",
                    database.string(), pid));
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, pid.data(), pid.size(), 0) < 0) {
    ::close(descriptor_);
    throw StoreFault(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }
}

// The file stays: removing it would let a third process lock a new file while a second holds the old one.
LockFile::~LockFile() { ::close(descriptor_); }

std::optional<std::string> lock_holder(const std::filesystem::path& database) {
  const int descriptor = open_existing(database);
  if (descriptor < 0) return std::nullopt;
  const bool is_free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  std::optional<std::string> pid;
  if (!is_free) pid = read_pid(descriptor);
  ::close(descriptor);
  return pid;
}

void while_unused(const std::filesystem::path& database, const std::function<void()>& act) {
  const int descriptor = open_existing(database);
  if (descriptor < 0) return act();
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) act();
  ::close(descriptor);
}

}  // namespace semel::store::sqlite
