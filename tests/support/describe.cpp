#include "tests/support/describe.hpp"

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "domain/workflow/steps_text.hpp"

namespace semel::test {

std::string describe(Time time) { return fmt::format("{}", to_ms(time)); }

std::string describe(const Uuid& uuid) { return uuid.text(); }

std::string describe(const Hash32& hash) { return to_hex(hash).substr(0, 16); }

std::string describe(bool value) { return value ? "yes" : "no"; }

std::string describe(domain::State state) { return std::string(name_of(state)); }

std::string describe(const std::string& text) {
  if (text.size() <= 200) return "\"" + text + "\"";
  return fmt::format("\"{}…\"({} bytes, {})", text.substr(0, 20), text.size(), describe(sha256(text)));
}

std::string describe(const domain::StepOf& step) {
  return fmt::format("{}/{} item={}", describe(step.run), step.task_key, describe(step.item));
}

std::string describe(const domain::Upstream& upstream) {
  return fmt::format("upstream[{} {} result={} error={}]", upstream.step, shown_state(upstream.state),
                     describe(upstream.result), describe(upstream.error));
}

std::string describe(const domain::StepInput& input) {
  std::string text =
      fmt::format("input[{} index={}", describe(input.context), input.index ? std::to_string(*input.index) : "-");
  for (const domain::Upstream& upstream : input.upstream) text += " " + describe(upstream);
  return text + "]";
}

std::string describe(const HistoryEntry& entry) {
  return fmt::format("{} {} {} {} {}", entry.sequence, describe(entry.at), name_of(entry.event.kind),
                     entry.event.task_key, describe(entry.event.detail));
}

std::string describe(const Activation& activation) {
  std::string text = fmt::format("activation[from={} seen={} length={} last_command={}", activation.first_event,
                                 activation.seen, activation.history_length, activation.last_command);
  for (const HistoryEntry& entry : activation.events) text += " " + describe(entry);
  return text + "]";
}

std::string describe(const StoredWorkflow& workflow) {
  const domain::code::Facts& facts = workflow.facts;
  std::string text = fmt::format(
      "workflow[phase={} length={} bytes={} first_event={} seen={} last_command={} first_command={} open={}",
      static_cast<int>(facts.phase), facts.history_length, facts.history_bytes, facts.first_event, facts.seen,
      facts.last_command, facts.first_command, facts.open_children);
  text += " status=" + describe(workflow.status);
  for (const OpenTimer& timer : workflow.timers) text += fmt::format(" {}@{}", timer.command, describe(timer.fire_at));
  return text + "]";
}

std::string describe(const domain::StepOutcome& outcome) {
  return fmt::format("outcome[{} result={} error={}]", outcome.step, describe(outcome.result), describe(outcome.error));
}

std::string describe(const StoredRun& run) {
  std::string text = fmt::format("run[{} {} history={}", domain::encode_steps(run.graph->steps()),
                                 domain::encode_facts(run.facts), run.history_length);
  for (const domain::StepOutcome& outcome : run.outcomes) text += " " + describe(outcome);
  return text + "]";
}

std::string describe(const domain::Window& window) {
  return fmt::format("{}/{}ms", static_cast<int>(window.kind), window.length.count());
}

std::string describe(const domain::NamedTask& task) {
  return fmt::format("{} {}/{}@{}#{}", task.uuid.text(), task.namespace_, task.name, task.version, task.revision);
}

std::string describe(const domain::Identity& identity) {
  return fmt::format("{}/{}/{}/{}/{}", static_cast<int>(identity.mode), static_cast<int>(identity.strategy),
                     static_cast<int>(identity.scope), identity.bucket ? std::to_string(*identity.bucket) : "-",
                     identity.mode == domain::Mode::none ? "-" : describe(identity.hash));
}

std::string describe(const domain::ExecutionSpec& spec) {
  std::string labels;
  for (const auto& [name, value] : spec.labels) labels += fmt::format("{}={};", name, value);
  return fmt::format(
      "tenant={} id={} client_made={} kind={} named_task={} handler={} queue={} priority={} head_start={} "
      "context={} "
      "identity={} key={} fingerprint={} window={} created_by={} labels={} traceparent={} "
      "retry={}/{}/{}/{}/{} timeout={} concurrency_key={} step={}",
      spec.tenant, describe(spec.id), spec.client_made_id, static_cast<int>(spec.kind), describe(spec.named_task),
      spec.handler, spec.queue, spec.priority, spec.head_start.count(), describe(spec.context), describe(spec.identity),
      describe(spec.key), describe(spec.fingerprint), describe(spec.window), spec.created_by, labels, spec.traceparent,
      spec.retry.max_attempts, static_cast<int>(spec.retry.backoff), spec.retry.base.count(), spec.retry.cap.count(),
      spec.retry.jitter_percent, spec.timeout ? spec.timeout->count() : -1, spec.concurrency_key.value_or("-"),
      describe(spec.step));
}

std::string describe(const domain::Execution& execution) {
  return fmt::format(
      "execution[{} state={} created={} run_at={} started={} closed={} result={} error={} previous={} "
      "released={} "
      "attempt={}-{} cancel_requested={} deadline={} progress={}/{}]",
      describe(execution.spec), describe(execution.state), describe(execution.created_at), describe(execution.run_at),
      describe(execution.started_at), describe(execution.closed_at), describe(execution.result),
      describe(execution.error), describe(execution.previous), describe(execution.released_at), execution.attempt,
      execution.uncounted_attempts, execution.cancel_requested, describe(execution.deadline),
      execution.progress ? execution.progress->millionths : -1, execution.progress ? execution.progress->message : "");
}

std::string describe(const domain::Holder& holder) {
  return fmt::format(
      "holder[id={} kind={} named_task={} handler={} state={} created={} closed={} window={} fingerprint={} "
      "created_by={} released={} tombstone={}]",
      describe(holder.id), static_cast<int>(holder.kind), describe(holder.named_task), holder.handler,
      describe(holder.state), describe(holder.created_at), describe(holder.closed_at), describe(holder.window),
      describe(holder.fingerprint), holder.created_by, describe(holder.released_at), holder.tombstone);
}

std::string describe(const domain::Attempt& attempt) {
  return fmt::format(
      "attempt[{} of {} number={} worker={} started={} lease_until={} ended={} {} error={} stale={} beat={}]",
      describe(attempt.id), describe(attempt.execution_id), attempt.number, attempt.worker,
      describe(attempt.started_at), describe(attempt.lease_until), describe(attempt.ended_at), name_of(attempt.outcome),
      describe(attempt.error), attempt.stale_results, describe(attempt.last_heartbeat_at));
}

std::string describe(const StoredTemplate& stored) {
  return fmt::format("template[{} {}/{}@{}#{} {}]", stored.tenant, stored.namespace_, stored.name, stored.version,
                     stored.revision, describe(stored.document));
}

std::string describe(const DuplicateTally& tally) {
  std::string text = fmt::format("duplicates[{} {} count={}", tally.tenant, describe(tally.id), tally.count);
  for (const DuplicateHit& hit : tally.last)
    text += fmt::format(" ({},{},{})", describe(hit.at), hit.key_id, hit.answer);
  return text + "]";
}

std::string describe(const Created& created) {
  return fmt::format("Created {} at={} run_at={} ready={} previous={}", describe(created.id),
                     describe(created.created_at), describe(created.run_at), created.ready, describe(created.previous));
}

std::string describe(const Held& held) {
  return fmt::format("Held by_id={} {} {}", held.by_id, describe(held.holder), describe(held.execution));
}

std::string describe(const domain::Dispatch& dispatch) {
  return fmt::format(
      "dispatch[{} of {} number={} repair={} {} {} {} sends={} created={} due={} accepted={} next={} {}]",
      describe(dispatch.attempt_id), describe(dispatch.execution_id), dispatch.attempt, dispatch.repair,
      dispatch.ids.internal, dispatch.ids.external, name_of(dispatch.state), dispatch.sends,
      describe(dispatch.created_at), describe(dispatch.due_at), describe(dispatch.accepted_at),
      describe(dispatch.next_send_at), dispatch.answer);
}

std::string describe(const Claimed& claimed) {
  std::string text = "Claimed";
  for (const Lease& lease : claimed.leases) {
    text += fmt::format(" {} until={} {} {} {} {}", describe(lease.attempt_id), describe(lease.lease_until),
                        describe(lease.execution), describe(lease.input), describe(lease.activation),
                        describe(lease.dispatch));
  }
  for (const HeldBack& held : claimed.held_back)
    text += fmt::format(" held back {}:{} {} until={}", held.tenant, held.queue, held.handler, describe(held.until));
  return text;
}

std::string describe(const AttemptAnswer& answer) {
  const bool known = answer.state.has_value();
  return fmt::format("AttemptAnswer {} of={} state={} lease_until={} should_cancel={}", static_cast<int>(answer.kind),
                     known ? describe(answer.execution_id) : "-", describe(answer.state), describe(answer.lease_until),
                     answer.should_cancel);
}

std::string describe(const CancelAnswer& answer) {
  return fmt::format("CancelAnswer {} state={} created_by={}", static_cast<int>(answer.kind), describe(answer.state),
                     answer.created_by);
}

std::string describe(const GivenBack& back) { return fmt::format("GivenBack {}", back.count); }

std::string describe(const ReopenAnswer& answer) {
  return fmt::format("ReopenAnswer {} state={} holder={} {}", static_cast<int>(answer.kind), describe(answer.state),
                     describe(answer.holder), answer.refusal);
}

std::string describe(const RunAnswer& answer) {
  return fmt::format("RunAnswer {} state={} holder={} {}", static_cast<int>(answer.kind), describe(answer.state),
                     describe(answer.holder), answer.refusal);
}

std::string describe(const SignalAnswer& answer) {
  return fmt::format("SignalAnswer {} state={}", static_cast<int>(answer.kind), describe(answer.state));
}

std::string describe(const SettleAnswer& answer) {
  return fmt::format("SettleAnswer {} {} state={}", static_cast<int>(answer.kind), describe(answer.id),
                     describe(answer.state));
}

std::string describe(const LeasesExpired& expired) { return fmt::format("LeasesExpired more={}", expired.more); }

std::string describe(const Change& change) {
  return fmt::format("{}:{} {} queue={} handler={} of={}/{} attempt={} new={} took_over={} ready={} timer={}",
                     change.tenant, describe(change.id), name_of(change.state), change.queue, change.handler,
                     change.namespace_, change.name, change.attempt, change.is_new, change.took_over, change.is_ready,
                     describe(change.timer));
}

std::string describe(const Ready& ready) { return fmt::format("{}:{} {}", ready.tenant, ready.queue, ready.handler); }

std::string describe(const QueueDepth& depth) {
  return fmt::format("depth[{}:{} {} {} {} {}]", depth.tenant, depth.queue, depth.ready, depth.waiting, depth.blocked,
                     depth.running);
}

std::string describe(const Promoted& promoted) { return fmt::format("Promoted more={}", promoted.more); }

std::string describe(const Removed& removed) { return fmt::format("Removed {}", static_cast<int>(removed.kind)); }

std::string describe(const Swept& swept) {
  return fmt::format("Swept {} {} more={}", swept.executions, swept.tombstones, swept.more);
}

std::string describe(const Released& released) {
  return fmt::format("Released {} holder={}", static_cast<int>(released.kind), describe(released.holder));
}

std::string describe(const TemplateStored& stored) {
  return fmt::format("TemplateStored {} changed={}", stored.revision, stored.changed);
}

std::string describe(const TemplateRemoved& removed) { return fmt::format("TemplateRemoved {}", removed.count); }

std::string describe(const domain::QueueOptions& options) {
  const auto number = [](const auto& value) { return value ? static_cast<std::int64_t>(*value) : -1; };
  const auto milliseconds = [](const auto& value) { return value ? std::int64_t{value->count()} : -1; };
  return fmt::format(
      "options[retention={} rate={}/{} running={} per_key={} paused={} reuse={} window={}"
      " target={} timeout={} names={} heartbeat={} flight={}]",
      options.retention ? options.retention->count() : -1, options.rate_limit ? to_text(*options.rate_limit) : "-",
      options.rate_limit ? number(options.rate_limit->burst) : -1, number(options.max_running),
      number(options.max_running_per_key), number(options.paused), number(options.reuse),
      options.dedup_window
          ? fmt::format("{} {}", static_cast<int>(options.dedup_window->kind), options.dedup_window->length.count())
          : "-",
      options.target.value_or("-"), milliseconds(options.target_timeout), milliseconds(options.target_dedup_window),
      milliseconds(options.heartbeat_timeout), number(options.max_in_flight));
}

std::string describe(const StoredQueue& queue) {
  return fmt::format("queue[{}:{} {}]", queue.tenant, queue.name, describe(queue.options));
}

std::string describe(const QueueStored& stored) { return "QueueStored " + describe(stored.options); }

std::string describe(const QueueDefaultsSet&) { return "QueueDefaultsSet"; }

std::string describe(const domain::FiringRecord& firing) {
  return fmt::format("firing[{} at={} {} task={} error={}]", describe(firing.nominal), describe(firing.at),
                     name_of(firing.outcome), describe(firing.task), firing.error);
}

std::string describe(const domain::ScheduleRecord& schedule) {
  return fmt::format(
      "schedule[{}:{} id={} version={} document={} paused={} created={} changed={} by={} handled={} next={} last={}"
      " task={} counts={}/{}/{}]",
      schedule.tenant, schedule.name, schedule.id.text(), schedule.version, schedule.document, schedule.paused,
      describe(schedule.created_at), describe(schedule.changed_at), schedule.changed_by, describe(schedule.handled),
      describe(schedule.next), describe(schedule.last), describe(schedule.task), schedule.counts.submitted,
      schedule.counts.skipped, schedule.counts.refused);
}

std::string describe(const ScheduleStored& stored) {
  return fmt::format("ScheduleStored {} changed={}", describe(stored.schedule), stored.changed);
}

std::string describe(const ScheduleRemoved& removed) { return fmt::format("ScheduleRemoved {}", removed.existed); }

std::string describe(const ScheduleAdvanced& advanced) {
  std::string text = "ScheduleAdvanced " + describe(advanced.schedule);
  for (const domain::FiringRecord& firing : advanced.firings) text += " " + describe(firing);
  return text;
}

std::string describe(const DuplicatesRecorded&) { return "DuplicatesRecorded"; }

std::string describe(const domain::ApiKey& key) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", key.id, key.tenant, key.name, key.permissions,
                     describe(key.secret_hash), describe(key.created_at), key.created_by, describe(key.expires_at),
                     describe(key.revoked_at));
}

std::string describe(const KeyCreated& created) { return "KeyCreated " + describe(created.key); }

std::string describe(const KeyRevoked& revoked) { return "KeyRevoked " + describe(revoked.key); }

std::string describe(const Rejected& rejected) {
  return fmt::format("Rejected {} {}", static_cast<int>(rejected.error.code), rejected.error.message);
}

std::string describe(const RepairAnswer& repaired) {
  return fmt::format("RepairAnswer {} {}", static_cast<int>(repaired.kind), describe(repaired.dispatch));
}

std::string describe(const SecretKept& kept) { return "SecretKept " + describe(kept.value); }

std::string describe(const StoredDispatch& stored) {
  return fmt::format("{} queue={} handler={} open={}", describe(stored.dispatch), stored.queue, stored.handler,
                     stored.is_open);
}

std::string describe(const DispatchDepth& depth) {
  return fmt::format("dispatches[{}:{} {} {} {}]", depth.tenant, depth.queue, depth.unsent, depth.ambiguous,
                     depth.sent);
}

std::string describe(const Postponed& postponed) { return "Postponed until " + to_rfc3339(postponed.until); }

std::string describe(const Outcome& outcome) {
  return std::visit([](const auto& one) { return describe(one); }, outcome);
}

}  // namespace semel::test
