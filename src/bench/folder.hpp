#pragma once
#include <filesystem>

namespace semel::bench {

/// A temporary folder of our own, gone with this object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  /// A copy of the file under that name, on the disk when this returns: nothing is left to be written while others
  /// are measured.
  std::filesystem::path copy(const std::filesystem::path& file, const char* name) const;

 private:
  std::filesystem::path path_;
};

}  // namespace semel::bench
