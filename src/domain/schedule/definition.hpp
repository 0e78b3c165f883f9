#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/schedule/record.hpp"
#include "domain/schedule/schedule.hpp"
#include "domain/submission.hpp"

namespace semel::domain {

/// A schedule with what it makes: all that its document says.
struct ScheduleDefinition {
  Schedule schedule;           // without its id
  Submission task;             // what each firing submits
  std::string task_document;   // the same, as it was written
  std::string document;        // the whole, to be kept
  std::optional<bool> paused;  // not part of the document: what a request wants it to be
};

/// Labels that every task of a schedule carries, so that its tasks can be listed.
inline constexpr std::string_view schedule_label = "semel.schedule";
inline constexpr std::string_view nominal_label = "semel.nominal_time";

/// Refuses what a task of a schedule cannot say: a firing is its own identity, and nobody waits for the answer.
Result<void> check_task(const Submission& task);

/// What is submitted for a firing.
Submission submission_for(const ScheduleDefinition& definition, const ScheduleRecord& record, Time nominal);

}  // namespace semel::domain
