#include "parquet/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "base/error.hpp"

namespace semel::parquet {
namespace {

using std::filesystem::path;

/// Where a link leads, so that the folder is put there and not in the place of the link.
path whole_path(const path& target) {
  std::error_code error;
  const path absolute = std::filesystem::absolute(target);  // "export" has no folder above it that could be named
  path whole = std::filesystem::weakly_canonical(absolute, error);
  if (error) whole = absolute.lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

path draft_of(const path& target) {
  return target.parent_path() / fmt::format(".{}.draft", target.filename().string());
}

bool is_of_export(const path& file) { return file.extension() == ".parquet" || file.filename() == manifest_name; }

[[noreturn]] void refuse_existing(const path& target) {
  throw StoreFault(fmt::format("{} exists already; name another folder, or replace it with --force", target.string()));
}

/// What is at `place` must be an export, or an empty folder: one with anything else in it is not ours to replace. It is
/// spoken of as the target. Whether it is empty.
bool check_replaceable(const path& place, const path& target) {
  std::error_code error;
  if (!std::filesystem::is_directory(place, error))
    throw StoreFault(fmt::format("{} is a file; name a folder", target.string()));
  std::filesystem::directory_iterator entries(place, error);
  bool is_empty = true;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    is_empty = false;
    if (!entries->is_regular_file(error) || !is_of_export(entries->path()))
      throw StoreFault(fmt::format("{} holds something else than an export ({}); name another folder", target.string(),
                                   entries->path().filename().string()));
  }
  if (error) throw StoreFault(fmt::format("cannot read {}: {}", target.string(), error.message()));
  return is_empty;
}

void check_target(const path& target, bool replace) {
  std::error_code error;
  if (!std::filesystem::exists(target, error)) return;
  if (!check_replaceable(target, target) && !replace) refuse_existing(target);
}

void sync_path(const path& place, int flags) {
  const int descriptor = ::open(place.c_str(), flags | O_CLOEXEC);
  const bool is_synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!is_synced) throw StoreFault(fmt::format("cannot sync {}: {}", place.string(), std::strerror(error)));
}

bool is_same_folder(int descriptor, const path& folder) {
  struct stat opened{};
  struct stat named{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(folder.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

[[noreturn]] void refuse_place(const path& target, int error) {
  throw StoreFault(fmt::format("cannot put {} in place: {}", target.string(), std::strerror(error)));
}

/// Both names change their places in one step.
void exchange(const path& draft, const path& target) {
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) return;
  const bool is_unknown = errno == EINVAL || errno == ENOSYS;  // as on NFS
  if (!is_unknown) refuse_place(target, errno);
  throw StoreFault(
      fmt::format("{} is on a file system that cannot replace a folder in one step; remove it first, or "
                  "name another folder",
                  target.string()));
}

/// A plain rename takes the place of nothing, or of an empty folder; every file system can do that.
void put_in_place(const path& draft, const path& target, bool replace) {
  if (::rename(draft.c_str(), target.c_str()) == 0) return;
  const int error = errno;
  if (error == ENOTDIR) throw StoreFault(fmt::format("{} is a file; name a folder", target.string()));
  if (error != EEXIST && error != ENOTEMPTY) refuse_place(target, error);
  if (!replace) refuse_existing(target);
  exchange(draft, target);
  try {
    check_replaceable(draft, target);  // what it is by now, and nobody finds it at its place any more
  } catch (const StoreFault&) {
    exchange(draft, target);
    throw;
  }
}

/// The deepest folder on the way that is there already.
path deepest_existing(path folder) {
  std::error_code error;
  while (folder.has_relative_path() && !std::filesystem::exists(folder, error)) folder = folder.parent_path();
  return folder;
}

void add_names(const path& folder, std::set<std::string>& names) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".parquet") names.insert(entry.path().stem().string());
  }
}

/// Unless a process writes it.
void remove_draft(const path& draft) {
  const int descriptor = ::open(draft.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  std::error_code ignored;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_same_folder(descriptor, draft))
    std::filesystem::remove_all(draft, ignored);
  ::close(descriptor);
}

bool is_partition(const std::filesystem::directory_entry& entry, const char* key) {
  std::error_code unreadable;
  return entry.path().filename().string().starts_with(key) && entry.is_directory(unreadable);
}

/// What is in a folder, as far as it can be read.
std::vector<std::filesystem::directory_entry> readable_entries(const path& folder) {
  std::vector<std::filesystem::directory_entry> entries;
  std::error_code error;
  std::filesystem::directory_iterator next(folder, error);
  for (; !error && next != std::filesystem::directory_iterator(); next.increment(error)) entries.push_back(*next);
  return entries;
}

}  // namespace

Draft::Draft(const path& target, bool replace)
    : target_(whole_path(target)),
      folder_(draft_of(target_)),
      replace_(replace),
      known_(deepest_existing(target_.parent_path())) {
  check_target(target_, replace);
  std::error_code error;
  std::filesystem::create_directories(target_.parent_path(), error);
  if (error) throw StoreFault(fmt::format("cannot make {}: {}", target_.parent_path().string(), error.message()));
  take();
  for (const auto& left : std::filesystem::directory_iterator(folder_)) std::filesystem::remove_all(left.path(), error);
}

Draft::~Draft() {
  std::error_code ignored;
  if (!is_finished_) std::filesystem::remove_all(folder_, ignored);
  ::close(descriptor_);
}

/// The lock goes with the process, however it ends. Between the opening and the lock another may have put the folder in
/// its place: then it is not the draft any more.
void Draft::take() {
  for (;;) {
    if (::mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST)
      throw StoreFault(fmt::format("cannot make {}: {}", folder_.string(), std::strerror(errno)));
    descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0 && errno == ENOENT) continue;
    if (descriptor_ < 0) throw StoreFault(fmt::format("cannot open {}: {}", folder_.string(), std::strerror(errno)));
    const bool is_locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    if (is_locked && is_same_folder(descriptor_, folder_)) return;
    ::close(descriptor_);
    if (!is_locked) throw StoreFault(fmt::format("another export into {} is under way", target_.string()));
  }
}

void Draft::finish() {
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) sync_path(entry.path(), O_RDONLY);
  sync_path(folder_, O_RDONLY | O_DIRECTORY);
  put_in_place(folder_, target_, replace_);
  is_finished_ = true;
  for (path above = target_; above != known_;) {  // each folder that is new has its name in the one above
    above = above.parent_path();
    sync_path(above, O_RDONLY | O_DIRECTORY);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);  // the old one, if there was one
}

void remove_left_drafts(const path& folder) {
  for (const auto& date : readable_entries(folder)) {
    if (!is_partition(date, "date=")) continue;
    for (const auto& entry : readable_entries(date.path())) {
      if (is_partition(entry, ".at=") && entry.path().extension() == ".draft") remove_draft(entry.path());
    }
  }
}

std::vector<FoundTable> tables_in(const path& folder) {
  std::set<std::string> names;
  add_names(folder, names);
  const bool is_by_time = names.empty();
  if (is_by_time) {
    for (const auto& date : std::filesystem::directory_iterator(folder)) {
      if (!is_partition(date, "date=")) continue;
      for (const auto& time : std::filesystem::directory_iterator(date.path())) {
        if (is_partition(time, "at=")) add_names(time.path(), names);
      }
    }
  }
  std::vector<FoundTable> tables;
  const std::string between = is_by_time ? "date=*/at=*" : "";
  for (const std::string& name : names)
    tables.push_back({name, (folder / between / (name + ".parquet")).string(), is_by_time});
  return tables;
}

}  // namespace semel::parquet
