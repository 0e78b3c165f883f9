#pragma once
#include <optional>
#include <string>

#include "domain/execution.hpp"
#include "domain/holder.hpp"
#include "domain/principal.hpp"
#include "domain/queue.hpp"
#include "domain/template.hpp"
#include "domain/workflow/run_plan.hpp"

namespace semel::domain {

namespace limits {
inline constexpr std::size_t violations_max = 20;  // of its template's input_schema that a context is told of
}  // namespace limits

/// The firing of a schedule that a task is made for.
struct FiringOrigin {
  ScheduleId schedule;
  Time nominal;
};

/// A request to create a task, decoded and checked field by field, before it is known what it means. A workflow that is
/// written as code and a promise are asked for likewise: of a workflow, `handler` is that of its kind and the key its
/// workflow_id (domain/workflow/code/names.hpp).
struct Submission {
  Kind kind = Kind::task;
  std::string namespace_ = "default";
  std::optional<std::string> name;
  std::optional<std::string> version;
  std::optional<std::string> handler;
  std::string context = "{}";            // as written
  std::string canonical_context = "{}";  // the same, canonical
  std::optional<std::string> key;
  std::optional<Duration> ttl;
  std::optional<ExecutionId> task_uuid;
  std::optional<std::string> queue;
  int priority = 0;
  Duration head_start{0};
  std::optional<Time> run_at;
  std::optional<Duration> delay;
  RetrySettings retry;
  std::optional<Duration> timeout;
  std::optional<Time> deadline;
  std::optional<Duration> deadline_after;
  std::optional<std::string> concurrency_key;
  std::optional<Reuse> reuse;
  std::optional<OnDuplicate> on_duplicate;
  std::optional<OnMismatch> on_payload_mismatch;
  std::optional<Time> requested_at;
  std::string traceparent;
  Labels labels;
  std::optional<Duration> wait;
  std::optional<FiringOrigin> firing{};  // never said by a request: the firing itself identifies the task
};

/// A submission with every question answered: what to create, and how to answer a duplicate.
struct Plan {
  ExecutionSpec spec;
  Reuse reuse = Reuse::allow_duplicate_failed_only;
  OnDuplicate on_duplicate = OnDuplicate::reject;
  OnMismatch on_payload_mismatch = OnMismatch::reject;
  std::optional<RunPlan> run{};  // of a template with steps
  std::size_t step_count = 1;
  std::string material;     // for explain
  std::string scope_value;  // for explain

  Claimant claimant() const;
};

struct PlanInput {
  const Principal& principal;
  const Template* template_ = nullptr;  // of the submission's name, null for an ad-hoc task
  QueueSettings queue;
  ExecutionId fresh_id;
  Time now;
  RetryPolicy retry{};  // where neither the template nor the submission says otherwise
};

/// The queue that a submission goes to: request > template > "default".
std::string choose_queue(const Submission& submission, const Template* template_);

/// Applies DESIGN §3.1–§3.4 to a submission. Moves the context out of it.
Result<Plan> plan(Submission&& submission, const PlanInput& input);

}  // namespace semel::domain
