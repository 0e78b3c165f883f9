#include "connected/convert.hpp"

/// What the code of a workflow says.
namespace semel::connected {
namespace {

v1::KeyConflict conflict_of(OnKeyConflict act) {
  switch (act) {
    case OnKeyConflict::attach: return v1::KEY_CONFLICT_ATTACH;
    case OnKeyConflict::fail: return v1::KEY_CONFLICT_FAIL;
    case OnKeyConflict::warn_and_create: break;
  }
  return v1::KEY_CONFLICT_WARN_AND_CREATE;
}

void set_ttl(auto& to, const std::optional<Duration>& ttl) {
  if (ttl) to.set_idempotency_key_ttl_seconds(std::chrono::ceil<std::chrono::seconds>(*ttl).count());
}

void write_order(v1::Command& to, const sdk::ScheduleTask& order) {
  v1::ScheduleTaskCommand& task = *to.mutable_schedule_task();
  const detail::TaskSettings& settings = order.settings;
  task.set_kind(order.handler);
  task.set_input(order.context);
  if (order.key) task.set_idempotency_key(*order.key);
  set_ttl(task, order.key_ttl);
  task.set_key_conflict(conflict_of(order.key_conflict));
  if (!settings.queue.empty()) task.set_queue(settings.queue);
  if (settings.priority) task.set_priority(*settings.priority);
  if (settings.head_start) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*settings.head_start).count();
    task.set_priority_seconds(static_cast<std::int32_t>(seconds));
  }
  if (settings.max_attempts) task.set_max_attempts(*settings.max_attempts);
  if (settings.retry) write(*task.mutable_retry(), *settings.retry);
  if (settings.timeout) task.set_timeout_ms(settings.timeout->count());
  if (settings.delay) set_duration(task.mutable_delay(), *settings.delay);
  if (settings.deadline_after) set_duration(task.mutable_deadline_after(), *settings.deadline_after);
  if (!settings.concurrency_key.empty()) task.set_concurrency_key(settings.concurrency_key);
  for (const auto& [name, value] : settings.labels) (*task.mutable_labels())[name] = value;
}

void write_order(v1::Command& to, const sdk::StartTimer& order) {
  v1::StartTimerCommand& timer = *to.mutable_start_timer();
  if (order.fire_at) set_time(timer.mutable_fire_at(), *order.fire_at);
  else set_duration(timer.mutable_after(), order.after.value_or(Duration{0}));
}

void write_order(v1::Command& to, const sdk::StartChild& order) {
  v1::StartChildCommand& child = *to.mutable_start_child();
  child.set_kind(order.kind);
  child.set_input(order.input);
  if (order.workflow_id) child.set_workflow_id(*order.workflow_id);
  if (!order.queue.empty()) child.set_queue(order.queue);
  child.set_key_conflict(conflict_of(order.key_conflict));
  child.set_abandon(order.abandon);
  if (order.deadline_after) set_duration(child.mutable_deadline_after(), *order.deadline_after);
  set_ttl(child, order.key_ttl);
}

void write_order(v1::Command& to, const sdk::MakePromise& order) {
  v1::CreatePromiseCommand& promise = *to.mutable_create_promise();
  if (order.key) promise.set_idempotency_key(*order.key);
  set_ttl(promise, order.key_ttl);
  promise.set_key_conflict(conflict_of(order.key_conflict));
  if (order.timeout) promise.set_timeout_ms(order.timeout->count());
}

void write_order(v1::Command& to, const sdk::Record& order) {
  to.mutable_record_marker()->set_name(order.name);
  to.mutable_record_marker()->set_value(order.value);
}

void write_order(v1::Command& to, const sdk::CancelWhat& order) {
  to.mutable_cancel()->set_target(static_cast<std::int64_t>(order.target));
}

void write_end(v1::ActivationAnswer& to, const sdk::EndWith& end) {
  v1::CompleteWorkflow& complete = *to.mutable_complete();
  if (end.result) complete.set_result(*end.result);
}

void write_end(v1::ActivationAnswer& to, const sdk::FailWith& end) { to.mutable_fail()->set_error(end.error); }

void write_end(v1::ActivationAnswer& to, const sdk::ContinueWith& end) {
  v1::ContinueAsNew& again = *to.mutable_continue_as_new();
  again.set_input(end.input);
  for (const sdk::UnreadSignal& signal : end.signals) {
    v1::UnreadSignal& unread = *again.add_unread_signals();
    unread.set_name(signal.name);
    unread.set_value(signal.value);
  }
}

}  // namespace

void write(v1::ActivationAnswer& to, const sdk::ActivationEnd& end) {
  to.set_workflow_execution_id(end.workflow);
  to.set_seen(static_cast<std::int64_t>(end.seen));
  for (const sdk::Command& each : end.commands) {
    v1::Command& command = *to.add_commands();
    command.set_number(static_cast<std::int64_t>(each.number));
    std::visit([&](const auto& order) { write_order(command, order); }, each.order);
  }
  if (end.status) to.set_status(*end.status);
  if (end.end) std::visit([&](const auto& how) { write_end(to, how); }, *end.end);
}

}  // namespace semel::connected
