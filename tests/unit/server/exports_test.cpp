#include "server/exports.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <vector>

#include "parquet/export.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::server {
namespace {

using test::ManualClock;
constexpr Time noon = ManualClock::start;

TEST(ExportDue, IsNowWhenThereWasNone) { EXPECT_EQ(export_due({}, {}, 1h, noon), noon); }

TEST(ExportDue, IsAfterTheNewestAndTheLastThatWasTried) {
  EXPECT_EQ(export_due(noon - 20min, {}, 1h, noon), noon + 40min);
  EXPECT_EQ(export_due(noon - 3h, {}, 1h, noon), noon - 2h);
  EXPECT_EQ(export_due(noon - 3h, noon - 1min, 1h, noon), noon + 59min);
  EXPECT_EQ(export_due({}, noon - 1min, 1h, noon), noon + 59min);
}

TEST(ExportJob, BeginsABitBeforeTheNewest) {
  EXPECT_EQ(export_job("out", {}, noon), (ExportJob{"out/date=2026-01-20/at=12-00-00Z", std::nullopt}));
  EXPECT_EQ(export_job("out", noon - 1h, noon).since, noon - 1h - export_overlap);
}

/// Notes what it is asked to do, and says when it has been asked.
class FakeRunner final : public ExportRunner {
 public:
  explicit FakeRunner(bool fails = false) : fails_(fails) {}

  Result<void> run(const ExportJob& job) override {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
    changed_.notify_all();
    if (fails_) return refuse(ErrorCode::unavailable, "no room");
    return {};
  }
  void cancel() override { cancelled_ = true; }

  std::vector<ExportJob> wait_for_jobs(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.size() >= count; });
    return jobs_;
  }
  bool is_cancelled() const { return cancelled_; }
  std::size_t jobs() {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }

 private:
  const bool fails_;
  std::mutex mutex_;  // guards jobs_
  std::condition_variable changed_;
  std::vector<ExportJob> jobs_;
  std::atomic<bool> cancelled_ = false;
};

TEST(Exports, BeginAtOnceAndAreGivenUpWhenTheServerStops) {
  test::TempDir folder;
  FakeRunner runner;
  std::vector<ExportJob> jobs;
  {
    const Exports exports({1h, folder.path().string(), ""}, {[] { return true; }, [] { return noon; }}, runner);
    jobs = runner.wait_for_jobs(1);
  }

  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0], (ExportJob{folder / "date=2026-01-20/at=12-00-00Z", std::nullopt}));
  EXPECT_TRUE(runner.is_cancelled());
}

TEST(Exports, AreTriedAgainNextTimeWithAllThatIsMissing) {
  test::TempDir folder;
  const std::filesystem::path newest = folder.path() / parquet::place_of(noon - 3h);
  std::filesystem::create_directories(newest);
  std::ofstream(newest / "export.json") << "{}";
  FakeRunner runner(true);
  std::atomic<int> minutes = 0;
  const auto now = [&] { return noon + minutes.fetch_add(1) * 1min; };

  const Exports exports({1ms, folder.path().string(), ""}, {[] { return true; }, now}, runner);
  const std::vector<ExportJob> jobs = runner.wait_for_jobs(2);

  EXPECT_EQ(jobs[0].since, noon - 3h - export_overlap);
  EXPECT_EQ(jobs[1].since, noon - 3h - export_overlap);
  EXPECT_NE(jobs[0].folder, jobs[1].folder);
}

/// Who is asked at the beginning of every pass whether this server leads.
class Leadership {
 public:
  explicit Leadership(bool leads) : leads_(leads) {}

  bool ask() {
    const std::lock_guard lock(mutex_);
    asked_ += 1;
    changed_.notify_all();
    return leads_;
  }
  void wait_for_questions(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_ >= count; });
  }

 private:
  const bool leads_;
  std::mutex mutex_;  // guards asked_
  std::condition_variable changed_;
  int asked_ = 0;
};

TEST(Exports, AreLeftToTheLeader) {
  test::TempDir folder;
  FakeRunner runner;
  Leadership leadership(false);
  {
    const Exports exports({1ms, folder.path().string(), ""}, {[&] { return leadership.ask(); }, [] { return noon; }},
                          runner);
    leadership.wait_for_questions(3);
  }

  EXPECT_EQ(runner.jobs(), 0u);
}

TEST(Exports, WaitUntilTheirFolderCanBeRead) {
  test::TempDir folder;
  const std::filesystem::path loop = folder / "date=2026-01-20";
  std::filesystem::create_symlink(loop.filename(), loop);  // leads nowhere but to itself
  FakeRunner runner;
  Leadership leadership(true);
  std::atomic<int> minutes = 0;
  const auto now = [&] { return noon + minutes.fetch_add(1) * 1min; };

  const Exports exports({1ms, folder.path().string(), ""}, {[&] { return leadership.ask(); }, now}, runner);
  leadership.wait_for_questions(3);
  const std::size_t before = runner.jobs();
  std::filesystem::remove(loop);
  const std::vector<ExportJob> jobs = runner.wait_for_jobs(1);

  EXPECT_EQ(before, 0u);
  EXPECT_EQ(jobs[0].since, std::nullopt);
}

}  // namespace
}  // namespace semel::server
