#include "bench/folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace semel::bench {

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "semel-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path Folder::copy(const std::filesystem::path& file, const char* name) const {
  std::filesystem::path made = path_ / name;
  std::filesystem::copy_file(file, made);
  const int descriptor = ::open(made.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw std::runtime_error("cannot write " + made.string());
  return made;
}

}  // namespace semel::bench
