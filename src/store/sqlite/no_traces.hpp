#pragma once
#include <filesystem>

namespace semel::store::sqlite {

/// SQLite cannot read a store without making a log and its index beside it, and one that only reads cannot remove them:
/// whoever looked as another user would lock the server out. Made before such a connection and destroyed after it, this
/// removes them, unless they were there before or a process has the store by now.
class NoTraces {
 public:
  explicit NoTraces(std::filesystem::path file);
  ~NoTraces();
  NoTraces(const NoTraces&) = delete;
  NoTraces& operator=(const NoTraces&) = delete;

 private:
  const std::filesystem::path file_;
  const bool were_there_;
};

}  // namespace semel::store::sqlite
