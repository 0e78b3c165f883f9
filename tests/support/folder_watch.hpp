#pragma once
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace semel::test {

/// Waits until something has a name in a folder, told by the system.
class FolderWatch {
 public:
  explicit FolderWatch(std::filesystem::path folder)
      : folder_(std::move(folder)), descriptor_(::inotify_init1(IN_CLOEXEC)) {
    if (::inotify_add_watch(descriptor_, folder_.c_str(), IN_CREATE | IN_MOVED_TO) < 0)
      throw std::runtime_error("cannot watch " + folder_.string());
  }
  ~FolderWatch() { ::close(descriptor_); }
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  /// The path of the first that has a name which begins like one of these.
  std::filesystem::path wait_for(std::initializer_list<std::string> beginnings) {
    for (;;) {
      for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
        for (const std::string& each : beginnings) {
          if (entry.path().filename().string().starts_with(each)) return entry.path();
        }
      }
      alignas(inotify_event) std::array<char, 4096> events{};
      if (::read(descriptor_, events.data(), events.size()) <= 0) throw std::runtime_error("cannot watch a folder");
    }
  }

 private:
  const std::filesystem::path folder_;
  const int descriptor_;
};

}  // namespace semel::test
