#include "store/sqlite/backup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/inspect.hpp"
#include "store/sqlite/lock_file.hpp"
#include "store/sqlite/no_traces.hpp"

namespace semel::store::sqlite {
namespace {

using std::filesystem::path;

constexpr int pages_a_step = 1'000;

path beside(const path& file, const char* suffix) { return file.string() + suffix; }

void remove_files(const path& file, std::initializer_list<const char*> suffixes) {
  std::error_code ignored;
  for (const char* suffix : suffixes) std::filesystem::remove(beside(file, suffix), ignored);
}

/// A file that goes with this object unless it was moved to its place.
class Draft {
 public:
  explicit Draft(const path& target) : file_(fmt::format("{}.{}.tmp", target.string(), ::getpid())) { clear(); }
  ~Draft() { clear(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const path& file() const { return file_; }

 private:
  void clear() { remove_files(file_, {"", "-journal", "-wal", "-shm"}); }

  path file_;
};

void sync(const path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw StoreFault(fmt::format("cannot sync {}: {}", file.string(), std::strerror(error)));
}

void copy_pages(Connection& from, Connection& to, const CopyProgress& progress) {
  sqlite3_backup* copy = sqlite3_backup_init(to.raw(), "main", from.raw(), "main");
  if (copy == nullptr) throw StoreFault(fmt::format("cannot begin to copy: {}", sqlite3_errmsg(to.raw())));
  int code = SQLITE_OK;
  while (code == SQLITE_OK) {
    code = sqlite3_backup_step(copy, pages_a_step);
    const int total = sqlite3_backup_pagecount(copy);
    if (progress && (code == SQLITE_OK || code == SQLITE_DONE)) {
      progress(total - sqlite3_backup_remaining(copy), total);
    }
  }
  sqlite3_backup_finish(copy);
  if (code != SQLITE_DONE) throw StoreFault(fmt::format("cannot copy: {}", sqlite3_errstr(code)));
}

/// All in one snapshot: SQLite would begin anew whenever somebody writes between two steps.
void copy_store(const path& from, const path& to, const CopyProgress& progress, bool is_lasting = true) {
  const NoTraces traces(from);
  Connection source(from, Connection::Access::read_only);
  Snapshot snapshot(source);
  check_is_store(source, from);
  Connection target(to, Connection::Access::read_write);
  if (!is_lasting) target.execute("PRAGMA synchronous = OFF");
  copy_pages(source, target, progress);
  target.execute("PRAGMA journal_mode = DELETE");  // one file, which can also be read where nothing may be written
}

void check_copy(const path& file) {
  Connection connection(file, Connection::Access::read_only);
  const std::string found = check_integrity(connection);
  if (found != "ok") throw StoreFault(fmt::format("the data is damaged ({})", found));
}

void put_in_place(const path& draft, const path& target, const path& from) {
  std::error_code error;
  std::filesystem::permissions(draft, std::filesystem::status(from).permissions(), error);
  sync(draft);
  std::filesystem::rename(draft, target, error);
  if (error) throw StoreFault(fmt::format("cannot put {} in place: {}", target.string(), error.message()));
  const path folder = target.parent_path();
  sync(folder.empty() ? path(".") : folder);
}

void check_target(const path& from, const path& target, bool overwrite) {
  std::error_code ignored;
  if (!std::filesystem::exists(from)) throw StoreFault(fmt::format("there is no file {}", from.string()));
  if (std::filesystem::equivalent(from, target, ignored))
    throw StoreFault(fmt::format("{} and {} are the same file", from.string(), target.string()));
  if (std::filesystem::is_directory(target))
    throw StoreFault(fmt::format("{} is a folder; name a file in it", target.string()));
  if (!overwrite && std::filesystem::exists(target))
    throw StoreFault(
        fmt::format("{} exists already; name another file, or overwrite it with --force", target.string()));
}

/// Lets SQLite bring the log of the store that will be replaced into its file, so that a crash at any moment leaves a
/// whole store: the old or the new. A damaged one has nothing to lose.
void settle(const path& store) {
  if (!std::filesystem::exists(store)) return;
  try {
    Connection connection(store, Connection::Access::read_write);
    check_is_store(connection, store);
    connection.checkpoint(true);
    connection.execute("PRAGMA journal_mode = DELETE");
  } catch (const StoreFault&) {
  }
}

}  // namespace

void backup_store(const path& store, const path& target, const CopyOptions& options) {
  check_target(store, target, options.overwrite);
  if (const std::optional<std::string> pid = lock_holder(target)) {
    throw StoreFault(
        fmt::format("{} is the store of the process with pid {}; name another file", target.string(), *pid));
  }
  const Draft draft(target);
  copy_store(store, draft.file(), options.progress);
  try {
    check_copy(draft.file());
  } catch (const StoreFault& fault) {
    throw StoreFault(
        fmt::format("no backup was written: {}; run semel doctor --store sqlite:{}", fault.what(), store.string()));
  }
  put_in_place(draft.file(), target, store);
}

void copy_for_reading(const path& store, const path& target, const CopyProgress& progress) {
  check_target(store, target, false);
  copy_store(store, target, progress, false);
}

void restore_store(const path& backup, const path& store, const CopyOptions& options) {
  check_target(backup, store, options.overwrite);
  const LockFile lock(store);
  const Draft draft(store);
  try {
    copy_store(backup, draft.file(), options.progress);
    check_copy(draft.file());
  } catch (const StoreFault& fault) {
    throw StoreFault(fmt::format("{} cannot be restored, and nothing was changed: {}", backup.string(), fault.what()));
  }
  settle(store);
  remove_files(store, {"-wal", "-shm", "-journal"});
  put_in_place(draft.file(), store, backup);
}

}  // namespace semel::store::sqlite
