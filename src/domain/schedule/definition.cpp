#include "domain/schedule/definition.hpp"

#include "domain/names.hpp"

namespace semel::domain {
namespace {

constexpr std::size_t labels_of_firings = 2;

/// The first member that has no place in a schedule, and why.
Result<void> check_members(const Submission& task) {
  constexpr std::string_view own_identity = "each firing has an identity of its own";
  constexpr std::string_view own_time = "the schedule says when";
  constexpr std::string_view nobody = "nobody waits for the answer";
  const struct {
    bool is_given;
    std::string_view field;
    std::string_view why;
  } members[] = {
      {task.key.has_value(), "idempotency_key", own_identity},
      {task.ttl.has_value(), "idempotency_key_ttl_seconds", own_identity},
      {task.task_uuid.has_value(), "task_uuid", own_identity},
      {task.reuse.has_value(), "reuse", own_identity},
      {task.on_payload_mismatch.has_value(), "on_payload_mismatch", own_identity},
      {task.requested_at.has_value(), "requested_at", own_time},
      {task.run_at.has_value(), "run_at", own_time},
      {task.on_duplicate.has_value(), "on_duplicate", nobody},
      {task.wait.has_value(), "wait", nobody},
  };
  for (const auto& [is_given, field, why] : members) {
    if (is_given) return bad_request("task: {} is not allowed in a schedule: {}", field, why);
  }
  if (task.deadline) return bad_request("task: deadline must be a duration in a schedule, such as \"2h\"");
  return {};
}

}  // namespace

Result<void> check_task(const Submission& task) {
  if (Result<void> fits = check_members(task); !fits) return fits;
  if (task.labels.size() + labels_of_firings > limits::labels_max) {
    return bad_request("task: at most {} labels are allowed in a schedule, which adds {} of its own",
                       limits::labels_max - labels_of_firings, labels_of_firings);
  }
  for (const auto& [name, value] : task.labels) {
    if (name == schedule_label || name == nominal_label)
      return bad_request("task: the schedule sets the label {}", name);
  }
  return {};
}

Submission submission_for(const ScheduleDefinition& definition, const ScheduleRecord& record, Time nominal) {
  Submission submission = definition.task;
  submission.firing = FiringOrigin{record.id, nominal};
  submission.labels.emplace_back(schedule_label, record.name);
  submission.labels.emplace_back(nominal_label, to_rfc3339(nominal));
  return submission;
}

}  // namespace semel::domain
