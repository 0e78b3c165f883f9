#include "sdk/workflow/failure.hpp"
#include "sdk/workflow/replay.hpp"
#include "semel/workflow_context.hpp"

namespace semel {

detail::CellPointer WorkflowContext::schedule(std::string_view handler, std::string context,
                                              const StepOptions& options) {
  return replay_->begin(sdk::ScheduleTask{std::string(handler), std::move(context), options.settings(), options.key(),
                                          options.ttl(), options.key_conflict()});
}

detail::CellPointer WorkflowContext::start_timer(Duration time) {
  return replay_->begin(sdk::StartTimer{std::nullopt, time});
}

detail::CellPointer WorkflowContext::start_timer_at(Time time) {
  return replay_->begin(sdk::StartTimer{time, std::nullopt});
}

detail::CellPointer WorkflowContext::make_promise(std::optional<std::string> key, const PromiseOptions& options) {
  return replay_->begin(sdk::MakePromise{std::move(key), options.ttl(), options.timeout(), options.key_conflict()});
}

detail::CellPointer WorkflowContext::receive(std::string_view name) { return replay_->receive(name); }

detail::CellPointer WorkflowContext::start_child(std::string_view kind, std::string input,
                                                 const ChildOptions& options) {
  return replay_->begin(sdk::StartChild{std::string(kind), std::move(input), options.workflow_id(), options.queue(),
                                        options.key_conflict(), options.is_abandoned(), options.deadline_after(),
                                        options.ttl()});
}

std::optional<detail::Closing> WorkflowContext::begin_run(std::string_view name) { return replay_->begin_run(name); }

detail::Closing WorkflowContext::end_run(std::string_view name, detail::Closing closing) {
  return replay_->end_run(name, std::move(closing));
}

detail::Closing WorkflowContext::failure_of(const std::exception& error) {
  return {Status::failed, std::nullopt, sdk::failure_text(error)};
}

int WorkflowContext::version(std::string_view change, int min, int max) { return replay_->version(change, min, max); }

void WorkflowContext::set_status_text(std::string json) { replay_->set_status(std::move(json)); }

void WorkflowContext::continue_with(std::string input) { replay_->continue_with(std::move(input)); }

Time WorkflowContext::now() const { return replay_->now(); }

std::string WorkflowContext::uuid() { return replay_->uuid(); }

std::uint64_t WorkflowContext::random() { return replay_->random(); }

std::string WorkflowContext::idempotency_key(std::string_view name) const {
  return std::string(id()).append(":").append(name);
}

const std::string& WorkflowContext::id() const { return replay_->identity().execution_id; }

const std::string& WorkflowContext::workflow_id() const { return replay_->identity().workflow_id; }

bool WorkflowContext::is_replaying() const { return replay_->is_replaying(); }

}  // namespace semel
