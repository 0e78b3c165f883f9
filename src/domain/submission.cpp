#include "domain/submission.hpp"

#include "base/sha256.hpp"
#include "domain/schedule/firing.hpp"

namespace semel::domain {
namespace {

/// A locked template's identity is not for requests to change.
Result<void> check_lock(const Submission& submission, const Template& template_) {
  if (!template_.identity.locked || submission.firing) return {};
  const bool key_overrides = submission.key && template_.identity.strategy != Strategy::caller_provided;
  std::string_view field;
  if (submission.reuse) field = "reuse";
  else if (submission.on_payload_mismatch) field = "on_payload_mismatch";
  else if (submission.ttl) field = "idempotency_key_ttl_seconds";
  else if (key_overrides) field = "idempotency_key";
  else return {};
  return bad_request("{} is not allowed: the identity of template {}/{} is locked", field, template_.namespace_,
                     template_.name);
}

Result<void> check_context(const Submission& submission, const Template& template_) {
  if (!template_.input_schema) return {};
  std::vector<Violation> found = template_.input_schema->check(submission.canonical_context, limits::violations_max);
  if (found.empty()) return {};
  const std::string where = found.front().pointer.empty() ? "it" : found.front().pointer;
  Error error{ErrorCode::invalid_context,
              fmt::format("the context does not fit the input_schema of template {}/{} {}: {} {}", template_.namespace_,
                          template_.name, template_.version, where, found.front().what)};
  error.violations = std::move(found);
  return pass_on(std::move(error));
}

Result<Identified> identify_submission(const Submission& submission, const PlanInput& input, std::string_view queue) {
  IdentityRequest request;
  request.tenant = input.principal.tenant;
  if (submission.key) request.key = *submission.key;
  request.template_ = input.template_;
  request.queue = queue;
  request.canonical_context = submission.canonical_context;
  request.requested_at = submission.requested_at;
  request.now = input.now;
  if (submission.firing) request.schedule = submission.firing->schedule;
  return identify(request);
}

/// Absent where neither an identity nor a client-made id can ever be met again.
Result<std::optional<Hash32>> fingerprint_of(const Submission& submission, const Template* template_, Mode mode) {
  if (mode == Mode::none && !submission.task_uuid) return std::nullopt;
  if (template_ == nullptr || (template_->identity.fields.empty() && template_->identity.ignore.empty())) {
    return sha256(submission.canonical_context);
  }
  const Result<std::string> reduced = reduce_context(submission.canonical_context, template_->identity);
  if (!reduced) return pass_on(reduced.error());
  return sha256(*reduced);
}

void choose_policies(Plan& plan, const Submission& submission, const PlanInput& input) {
  const IdentitySettings none;
  const IdentitySettings& of_template = input.template_ != nullptr ? input.template_->identity : none;
  plan.reuse = submission.reuse    ? *submission.reuse
               : of_template.reuse ? *of_template.reuse
                                   : input.queue.reuse.value_or(Reuse::allow_duplicate_failed_only);
  plan.on_duplicate =
      submission.on_duplicate ? *submission.on_duplicate : of_template.on_duplicate.value_or(OnDuplicate::reject);
  plan.on_payload_mismatch = submission.on_payload_mismatch
                                 ? *submission.on_payload_mismatch
                                 : of_template.on_payload_mismatch.value_or(OnMismatch::reject);
  const Duration retention = retention_of(input.queue, plan.spec.kind);
  plan.spec.window = choose_window({submission.ttl, of_template.dedup_window, input.queue.dedup_window, retention});
  if (!submission.firing) return;
  // A firing makes one task, whatever becomes of it and whatever was said of other submissions.
  plan.reuse = Reuse::reject_duplicate;
  plan.spec.window = choose_window({std::nullopt, std::nullopt, std::nullopt, retention});
}

RetrySettings all_of(const RetryPolicy& policy) {
  return {policy.max_attempts, policy.backoff, policy.base, policy.cap, policy.jitter_percent};
}

/// The steps of a run with every question answered: request > step > template > `usual`. What the template says stands
/// in its steps already. A later change of the template, or of the server's settings, does not reach the run.
std::vector<Step> answered_steps(const Submission& submission, const Template& template_, const RetryPolicy& usual) {
  std::vector<Step> steps = template_.steps;
  for (Step& step : steps) {
    if (submission.queue) step.queue = *submission.queue;
    step.retry = all_of(apply_settings(apply_settings(usual, step.retry), submission.retry));
    if (submission.timeout) step.timeout = submission.timeout;
  }
  return steps;
}

void fill_spec(ExecutionSpec& spec, Submission&& submission, const PlanInput& input) {
  spec.tenant = input.principal.tenant;
  spec.id = submission.task_uuid.value_or(input.fresh_id);
  spec.client_made_id = submission.task_uuid.has_value();
  spec.created_by = input.principal.key_id;
  spec.handler = input.template_ != nullptr ? input.template_->handler : *std::move(submission.handler);
  if (const Template* named = input.template_) {
    spec.named_task = NamedTask{named_task_uuid(spec.tenant, named->namespace_, named->name), named->namespace_,
                                named->name, named->version, named->revision};
  }
  spec.retry = input.retry;
  if (input.template_ != nullptr) spec.retry = apply_settings(spec.retry, input.template_->retry);
  spec.retry = apply_settings(spec.retry, submission.retry);
  spec.timeout = submission.timeout;
  if (!spec.timeout && input.template_ != nullptr) spec.timeout = input.template_->timeout;
  spec.concurrency_key = std::move(submission.concurrency_key);
  spec.priority = submission.priority;
  spec.head_start = submission.head_start;
  spec.context = std::move(submission.context);
  spec.key = std::move(submission.key);
  spec.labels = std::move(submission.labels);
  spec.traceparent = std::move(submission.traceparent);
}

}  // namespace

Claimant Plan::claimant() const {
  Claimant claimant;
  claimant.kind = spec.kind;
  if (spec.named_task) claimant.named_task = spec.named_task->uuid;
  claimant.handler = spec.handler;
  claimant.fingerprint = spec.fingerprint;
  claimant.on_payload_mismatch = on_payload_mismatch;
  claimant.on_duplicate = on_duplicate;
  return claimant;
}

std::string choose_queue(const Submission& submission, const Template* template_) {
  if (submission.queue) return *submission.queue;
  return template_ != nullptr ? template_->queue : "default";
}

Result<Plan> plan(Submission&& submission, const PlanInput& input) {
  if (input.template_ != nullptr) {
    if (Result<void> allowed = check_lock(submission, *input.template_); !allowed) return pass_on(allowed.error());
    if (Result<void> fits = check_context(submission, *input.template_); !fits) return pass_on(fits.error());
  }
  if (submission.firing) submission.key = firing_key(submission.firing->schedule, submission.firing->nominal);
  Plan plan;
  plan.spec.queue = choose_queue(submission, input.template_);
  Result<Identified> identified = identify_submission(submission, input, plan.spec.queue);
  if (!identified) return pass_on(identified.error());
  plan.spec.identity = identified->identity;
  plan.material = std::move(identified->material);
  plan.scope_value = std::move(identified->scope_value);
  if (submission.ttl && plan.spec.identity.mode == Mode::none) {
    return bad_request("idempotency_key_ttl_seconds needs something to identify: send an idempotency_key");
  }
  Result<std::optional<Hash32>> fingerprint = fingerprint_of(submission, input.template_, plan.spec.identity.mode);
  if (!fingerprint) return pass_on(fingerprint.error());
  plan.spec.fingerprint = *fingerprint;
  if (input.template_ != nullptr && input.template_->is_workflow()) {
    plan.spec.kind = Kind::workflow;
    plan.run = plan_of_run(answered_steps(submission, *input.template_, input.retry));
    plan.step_count = input.template_->steps.size();
  }
  if (submission.kind != Kind::task) plan.spec.kind = submission.kind;
  choose_policies(plan, submission, input);
  fill_spec(plan.spec, std::move(submission), input);
  return plan;
}

}  // namespace semel::domain
