#pragma once
#include <filesystem>
#include <string>
#include <vector>

/// The folder of an export: one file a table, and export.json, which says what it is. Exports by time are folders
/// date=2026-11-17/at=05-00-00Z in one.
namespace semel::parquet {

inline constexpr const char* manifest_name = "export.json";

/// A folder that is written beside its place, and put there when it is whole. One process at a time writes it; what a
/// process that was killed has left is written over by the next.
class Draft {
 public:
  /// Throws StoreFault with what to do: when the target is there and may not be replaced, when it is something else
  /// than an export, when the place cannot be written, or another process is at it.
  Draft(const std::filesystem::path& target, bool replace);
  /// Unless it was finished, nothing stays.
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  /// Everything is on the disk, and under its name, when this returns. Throws StoreFault: also when something has
  /// appeared there meanwhile that may not be replaced.
  void finish();

 private:
  void take();

  const std::filesystem::path target_;
  const std::filesystem::path folder_;
  const bool replace_;
  const std::filesystem::path known_;  // the deepest folder above that was there before
  int descriptor_ = -1;                // of the folder, locked
  bool is_finished_ = false;
};

/// Removes what exports by time have left that were killed: nobody will write to the same place again.
void remove_left_drafts(const std::filesystem::path& folder);

struct FoundTable {
  std::string name;
  std::string files;        // a path, or a pattern of paths
  bool is_by_time = false;  // the path says date and time
};

/// The tables of an export, or of a folder with exports by time. None where there is no export.
std::vector<FoundTable> tables_in(const std::filesystem::path& folder);

}  // namespace semel::parquet
