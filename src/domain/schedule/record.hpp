#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "domain/id.hpp"
#include "domain/schedule/firing.hpp"

namespace semel::domain {

/// What a firing came to.
struct FiringRecord {
  Time nominal;
  Time at;  // when it was really
  FiringOutcome outcome = FiringOutcome::submitted;
  std::optional<ExecutionId> task{};
  std::string error{};  // why it was refused

  bool operator==(const FiringRecord&) const = default;
};

struct FiringCounts {
  std::int64_t submitted = 0;  // tasks that were made
  std::int64_t skipped = 0;
  std::int64_t refused = 0;

  bool operator==(const FiringCounts&) const = default;
};

/// A schedule as it is kept: what was said of it, and how far it has come.
struct ScheduleRecord {
  std::string tenant{};
  std::string name{};
  ScheduleId id{};           // stays when it is changed, not when it is removed and made again
  std::int64_t version = 0;  // counts every change: who has seen an older one may change nothing
  std::string document{};    // what was said, as JSON
  bool paused = false;
  Time created_at{};
  Time changed_at{};           // when the document was
  std::string changed_by{};    // API key id; the tasks are created by it
  Time handled{};              // everything up to here is settled
  std::optional<Time> next{};  // when something is due; absent when it has ended
  std::optional<FiringRecord> last{};
  std::optional<ExecutionId> task{};  // that was made last
  FiringCounts counts{};

  bool operator==(const ScheduleRecord&) const = default;
};

/// What somebody says of a schedule.
struct ScheduleDraft {
  std::string document;
  Time handled;                  // from here on it counts
  std::optional<Time> next{};    // the first that is due after that
  std::optional<bool> paused{};  // absent: as it is
};

/// Puts the draft in force. False when that is what was said before: then it stays as far as it has come.
bool put(ScheduleRecord& record, const ScheduleDraft& draft, const std::string& by, Time now);

/// False when it is so already.
bool set_paused(ScheduleRecord& record, bool paused);

/// Adds what a firing came to; `is_new` says that a task was made for it.
void add(ScheduleRecord& record, const FiringRecord& firing, bool is_new);

namespace limits {
inline constexpr std::size_t schedules_max = 10'000;  // of one tenant
inline constexpr std::size_t schedule_bytes_max = 64 << 10;
inline constexpr std::size_t firing_error_bytes_max = 500;
}  // namespace limits

}  // namespace semel::domain
