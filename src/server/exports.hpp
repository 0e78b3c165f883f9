#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/loop.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace semel::server {

/// `[export]` of the configuration.
struct ExportSettings {
  Duration every{0};                 // 0 = never
  std::string folder = "./exports";  // of folders date=…/at=…
  std::string duckdb{};              // the library; empty = wherever it is found
};

/// One export: where it goes, and from when on.
struct ExportJob {
  std::filesystem::path folder{};
  std::optional<Time> since{};

  bool operator==(const ExportJob&) const = default;
};

/// Does an export, and waits for it.
class ExportRunner {
 public:
  virtual ~ExportRunner() = default;
  virtual Result<void> run(const ExportJob& job) = 0;
  /// From another thread: what runs is given up, and nothing runs any more.
  virtual void cancel() = 0;
};

/// What happened shortly before an export may have been committed after it: the next begins so much earlier.
inline constexpr Duration export_overlap = 5min;

/// When the next one is due: after the newest that is there, and after the last that was tried.
Time export_due(std::optional<Time> newest, std::optional<Time> tried, Duration every, Time now);
ExportJob export_job(const std::filesystem::path& folder, std::optional<Time> newest, Time now);

/// Exports the store now and then, if this server leads. Each export has what happened since the one before; if one
/// fails, the next has that too.
class Exports {
 public:
  /// What is asked of the store: whether this server leads, and its time.
  struct Asked {
    std::function<bool()> leads;
    std::function<Time()> now;
  };
  /// What is asked, and the runner, must outlive it.
  Exports(ExportSettings settings, Asked asked, ExportRunner& runner);
  ~Exports();
  Exports(const Exports&) = delete;
  Exports& operator=(const Exports&) = delete;

 private:
  /// How long to wait for the next.
  Duration pass();
  /// The same, of a leader. Throws when the folder cannot be read.
  Duration export_if_due();

  const ExportSettings settings_;
  const Asked asked_;
  ExportRunner& runner_;
  std::optional<Time> tried_{};  // by the loop's thread alone, as what follows
  std::string said_{};           // of what went wrong last
  Loop loop_;                    // last: it uses all of the above
};

}  // namespace semel::server
