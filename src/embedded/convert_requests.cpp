#include <algorithm>

#include "api/codec/code_values.hpp"
#include "api/codec/error.hpp"
#include "api/codec/moments.hpp"
#include "api/codec/submission_draft.hpp"
#include "api/codec/work_values.hpp"
#include "domain/names.hpp"
#include "domain/workflow/code/names.hpp"
#include "embedded/convert.hpp"

namespace semel::embedded {
namespace {

using codec::SubmissionDraft;

static_assert(static_cast<int>(Status::timed_out) == static_cast<int>(domain::State::timed_out));
static_assert(static_cast<int>(ReusePolicy::allow_duplicate) == static_cast<int>(domain::Reuse::allow_duplicate));
static_assert(static_cast<int>(OnDuplicate::return_existing) == static_cast<int>(domain::OnDuplicate::return_existing));
static_assert(static_cast<int>(Retry::Backoff::fibonacci) == static_cast<int>(domain::Backoff::fibonacci));

/// The first that is refused is what is told.
class Checks {
 public:
  Checks& operator()(const Result<void>& result) {
    if (result_ && !result) result_ = result;
    return *this;
  }
  const Result<void>& result() const { return result_; }

 private:
  Result<void> result_{};
};

void set_context(SubmissionDraft& draft, const std::string& text, std::string_view field, Checks& check) {
  std::string canonical;
  const Result<std::string_view> value = codec::read_value(field, text, canonical);
  if (!value) check(pass_on(value.error()));
  else check(draft.set_context(*value, std::move(canonical)));
}

/// A time or a duration, put in its place.
template <typename Moment>
void set_moment(std::string_view field, const std::optional<Moment>& moment, std::optional<Moment>& to, Checks& check) {
  if (moment) check(codec::check_moment(field, *moment));
  to = moment;
}

void set_ttl(SubmissionDraft& draft, const std::optional<Duration>& ttl, Checks& check) {
  if (!ttl) return;
  check(codec::check_moment("idempotency_key_ttl_seconds", *ttl));
  check(draft.set_ttl_seconds(std::chrono::ceil<std::chrono::seconds>(*ttl).count()));
}

/// What a promise has, inside a workflow or outside.
void set_promise(SubmissionDraft& draft, const sdk::MakePromise& promise, Checks& check) {
  if (promise.key) check(draft.set_idempotency_key(*promise.key));
  set_ttl(draft, promise.key_ttl, check);
  if (promise.timeout) check(draft.set_timeout_ms(promise.timeout->count()));
}

void set_identity(SubmissionDraft& draft, const detail::IdentitySettings& identity, Checks& check) {
  domain::Submission& submission = draft.submission();
  if (identity.key) check(draft.set_idempotency_key(*identity.key));
  set_ttl(draft, identity.ttl, check);
  if (identity.reuse) submission.reuse = static_cast<domain::Reuse>(*identity.reuse);
  if (identity.on_duplicate) submission.on_duplicate = static_cast<domain::OnDuplicate>(*identity.on_duplicate);
  else if (submission.key) submission.on_duplicate = domain::OnDuplicate::return_existing;
  if (identity.ignores_payload) submission.on_payload_mismatch = domain::OnMismatch::ignore;
}

domain::RetrySettings retry_of(const detail::TaskSettings& settings) {
  domain::RetrySettings retry;
  retry.max_attempts = settings.max_attempts;
  if (!settings.retry) return retry;
  retry.backoff = static_cast<domain::Backoff>(settings.retry->backoff());
  retry.base = settings.retry->base();
  retry.cap = settings.retry->cap();
  retry.jitter_percent = settings.retry->jitter_percent();
  return retry;
}

void set_task(SubmissionDraft& draft, const detail::TaskSettings& settings, Checks& check) {
  domain::Submission& submission = draft.submission();
  if (!settings.queue.empty()) check(draft.set_queue(settings.queue));
  if (settings.priority) check(draft.set_priority(*settings.priority));
  if (settings.head_start)
    check(draft.set_priority_seconds(std::chrono::floor<std::chrono::seconds>(*settings.head_start).count()));
  submission.retry = retry_of(settings);
  if (settings.max_attempts) check(draft.set_max_attempts(*settings.max_attempts));
  if (settings.timeout) check(draft.set_timeout_ms(settings.timeout->count()));
  set_moment("deadline", settings.deadline, submission.deadline, check);
  set_moment("deadline_after", settings.deadline_after, submission.deadline_after, check);
  set_moment("run_at", settings.run_at, submission.run_at, check);
  set_moment("delay", settings.delay, submission.delay, check);
  check(codec::check_deadline(submission));
  if (!settings.concurrency_key.empty()) check(draft.set_concurrency_key(settings.concurrency_key));
  for (const auto& [name, value] : settings.labels) check(draft.add_label(name, value));
}

Result<domain::Submission> finish(SubmissionDraft&& draft, const Checks& check) {
  if (!check.result()) return pass_on(check.result().error());
  return std::move(draft).finish(std::nullopt);
}

domain::code::KeyConflict conflict_of(OnKeyConflict act) {
  switch (act) {
    case OnKeyConflict::attach: return domain::code::KeyConflict::attach;
    case OnKeyConflict::fail: return domain::code::KeyConflict::fail;
    case OnKeyConflict::warn_and_create: break;
  }
  return domain::code::KeyConflict::warn_and_create;
}

Result<domain::code::ScheduleTask> read_order(const sdk::ScheduleTask& order) {
  SubmissionDraft draft;
  Checks check;
  check(draft.set_handler(order.handler));
  set_context(draft, order.context, "context", check);
  if (order.key) check(draft.set_idempotency_key(*order.key));
  set_task(draft, order.settings, check);
  set_ttl(draft, order.key_ttl, check);
  Result<domain::Submission> submission = finish(std::move(draft), check);
  if (!submission) return pass_on(submission.error());
  const Duration head_start = submission->head_start;
  Result<domain::code::ScheduleTask> task = codec::step_of(*std::move(submission));
  if (!task) return task;
  task->on_conflict = conflict_of(order.key_conflict);
  if (order.settings.head_start) task->head_start = head_start;
  task->priority = order.settings.priority;
  return task;
}

Result<domain::code::StartTimer> read_order(const sdk::StartTimer& order) {
  const Duration after = order.after.value_or(Duration{0});
  Checks check;
  if (order.fire_at) check(codec::check_moment("fire_at", *order.fire_at));
  check(codec::check_moment("after", after));
  if (!check.result()) return pass_on(check.result().error());
  return domain::code::StartTimer{order.fire_at, after};
}

Result<domain::code::StartChild> read_order(const sdk::StartChild& order) {
  SubmissionDraft draft;
  domain::Submission& submission = draft.submission();
  Checks check;
  check(domain::check_name("kind", order.kind));
  Result<std::string> input = codec::read_payload("input", order.input);
  if (!input) check(pass_on(input.error()));
  if (order.workflow_id) check(domain::check_key("workflow_id", *order.workflow_id));
  if (!order.queue.empty()) check(draft.set_queue(order.queue));
  set_moment("deadline_after", order.deadline_after, submission.deadline_after, check);
  check(codec::check_deadline(submission));
  set_ttl(draft, order.key_ttl, check);
  if (!check.result()) return pass_on(check.result().error());
  domain::code::StartChild child;
  child.kind = order.kind;
  child.workflow_id = order.workflow_id;
  child.input = *std::move(input);
  child.queue = submission.queue;
  child.on_conflict = conflict_of(order.key_conflict);
  child.abandon = order.abandon;
  child.deadline_after = submission.deadline_after;
  child.ttl = submission.ttl;
  return child;
}

Result<domain::code::CreatePromise> read_order(const sdk::MakePromise& order) {
  SubmissionDraft draft;
  Checks check;
  set_promise(draft, order, check);
  if (!check.result()) return pass_on(check.result().error());
  const domain::Submission& said = draft.submission();
  return domain::code::CreatePromise{said.key, said.ttl, conflict_of(order.key_conflict), said.timeout};
}

Result<domain::code::RecordMarker> read_order(const sdk::Record& order) {
  if (Result<void> fits = domain::check_key("name", order.name); !fits) return pass_on(fits.error());
  Result<std::string> value = codec::read_payload("value", order.value);
  if (!value) return pass_on(value.error());
  return domain::code::RecordMarker{order.name, *std::move(value)};
}

Result<domain::code::CancelEarlier> read_order(const sdk::CancelWhat& order) {
  return domain::code::CancelEarlier{static_cast<std::int64_t>(order.target)};
}

Result<void> add_command(const sdk::Command& command, std::vector<domain::code::Command>& to) {
  return std::visit(
      [&](const auto& order) -> Result<void> {
        auto read = read_order(order);
        if (!read) return pass_on(read.error());
        to.push_back({static_cast<std::int64_t>(command.number), *std::move(read)});
        return {};
      },
      command.order);
}

}  // namespace

Result<domain::Submission> read_task(const sdk::Submission& submission) {
  SubmissionDraft draft;
  Checks check;
  check(draft.set_task_uuid(submission.task_uuid));
  draft.submission().requested_at = submission.requested_at;
  if (submission.template_) {
    check(draft.set_namespace(submission.template_->namespace_name()))(draft.set_name(submission.template_->name()));
    if (!submission.template_->version().empty()) check(draft.set_version(submission.template_->version()));
  } else {
    check(draft.set_handler(submission.handler));
  }
  set_context(draft, submission.context, "context", check);
  set_identity(draft, submission.options.identity(), check);
  set_task(draft, submission.options.settings(), check);
  if (!submission.options.traceparent().empty()) check(draft.set_traceparent(submission.options.traceparent()));
  return finish(std::move(draft), check);
}

Result<domain::Submission> read_workflow(const sdk::WorkflowStart& start) {
  SubmissionDraft draft;
  Checks check;
  check(draft.set_task_uuid(start.execution_id))(domain::check_name("kind", start.kind));
  check(domain::check_key("workflow_id", start.workflow_id));
  domain::Submission& submission = draft.submission();
  submission.kind = domain::Kind::workflow;
  submission.requested_at = start.requested_at;
  submission.handler = domain::code::handler_of_workflow(start.kind);
  set_context(draft, start.input, "input", check);
  submission.key = start.workflow_id;
  set_identity(draft, start.options.identity(), check);
  if (!start.options.queue().empty()) check(draft.set_queue(start.options.queue()));
  set_moment("deadline", start.options.deadline(), submission.deadline, check);
  return finish(std::move(draft), check);
}

Result<domain::Submission> read_promise(const sdk::PromiseRequest& request) {
  SubmissionDraft draft;
  Checks check;
  check(draft.set_task_uuid(request.promise_id));
  domain::Submission& submission = draft.submission();
  submission.kind = domain::Kind::promise;
  submission.requested_at = request.requested_at;
  submission.handler.emplace(domain::code::promise_handler);
  set_promise(draft, request.promise, check);
  if (submission.key) submission.on_duplicate = domain::OnDuplicate::return_existing;
  submission.deadline_after = std::exchange(submission.timeout, std::nullopt);
  return finish(std::move(draft), check);
}

Result<domain::code::Answer> read_answer(const sdk::ActivationEnd& end) {
  domain::code::Answer answer;
  answer.seen = static_cast<std::int64_t>(end.seen);
  for (const sdk::Command& command : end.commands) {
    if (Result<void> added = add_command(command, answer.commands); !added) return pass_on(added.error());
  }
  if (end.status) {
    Result<std::string> status = codec::read_payload("status", *end.status);
    if (!status) return pass_on(status.error());
    answer.status = *std::move(status);
  }
  if (!end.end) return answer;
  if (const auto* with = std::get_if<sdk::EndWith>(&*end.end)) {
    answer.conclusion = domain::code::Complete{with->result};
    if (with->result) {
      if (Result<std::string> fits = codec::read_payload("result", *with->result); !fits) return pass_on(fits.error());
    }
  } else if (const auto* failed = std::get_if<sdk::FailWith>(&*end.end)) {
    Result<std::string> error = codec::read_payload("error", failed->error);
    if (!error) return pass_on(error.error());
    answer.conclusion = domain::code::Fail{*std::move(error)};
  } else {
    const auto& again = std::get<sdk::ContinueWith>(*end.end);
    Result<std::string> input = codec::read_payload("input", again.input);
    if (!input) return pass_on(input.error());
    domain::code::ContinueAsNew next{*std::move(input), {}};
    for (const sdk::UnreadSignal& unread : again.signals) {
      Result<domain::code::Signal> signal = codec::read_signal(unread.name, unread.value);
      if (!signal) return pass_on(signal.error());
      next.signals.push_back(*std::move(signal));
    }
    answer.conclusion = std::move(next);
  }
  return answer;
}

}  // namespace semel::embedded
