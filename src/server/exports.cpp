#include "server/exports.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "parquet/export.hpp"

namespace semel::server {
namespace {

/// How long a server that does not lead waits before it asks itself again, which costs nothing.
constexpr Duration follower_pause = 5s;
/// How long until a folder that could not be read is looked at again.
constexpr Duration unreadable_pause = 1min;

}  // namespace

Time export_due(std::optional<Time> newest, std::optional<Time> tried, Duration every, Time now) {
  Time due = now;
  if (newest) due = *newest + every;
  if (tried) due = std::max(due, *tried + every);
  return due;
}

ExportJob export_job(const std::filesystem::path& folder, std::optional<Time> newest, Time now) {
  ExportJob job{folder / parquet::place_of(now), std::nullopt};
  if (newest) job.since = *newest - export_overlap;
  return job;
}

Exports::Exports(ExportSettings settings, Asked asked, ExportRunner& runner)
    : settings_(std::move(settings)),
      asked_(std::move(asked)),
      runner_(runner),
      loop_("exports", [this] { return pass(); }) {}

Exports::~Exports() {
  runner_.cancel();
  loop_.stop();
}

/// What is wrong with the folder is most likely so for long: it is said when it begins.
Duration Exports::pass() {
  if (!asked_.leads()) return std::min(settings_.every, follower_pause);
  try {
    const Duration pause = export_if_due();
    said_.clear();
    return pause;
  } catch (const std::exception& fault) {
    if (said_ != fault.what()) log::error("no export to {}, trying again: {}", settings_.folder, fault.what());
    said_ = fault.what();
    return std::min(settings_.every, unreadable_pause);
  }
}

Duration Exports::export_if_due() {
  const Time now = asked_.now();
  const std::optional<Time> newest = parquet::newest_export(settings_.folder);
  const Time due = export_due(newest, tried_, settings_.every, now);
  if (due > now) return std::min(due - now, Loop::until_woken);
  tried_ = now;
  parquet::remove_left_drafts(settings_.folder);
  const ExportJob job = export_job(settings_.folder, newest, now);
  const Result<void> done = runner_.run(job);
  if (done) log::info("exported to {}", job.folder.string());
  else log::error("no export to {}, the next one will have it: {}", job.folder.string(), done.error().message);
  return settings_.every;
}

}  // namespace semel::server
