#include "semel/client.hpp"

#include "sdk/client_core.hpp"
#include "sdk/schedule_document.hpp"
#include "sdk/workflow/failure.hpp"

namespace semel {

Client::Made Client::submit_text(std::string_view handler, std::string context, const SubmitOptions& options) {
  const sdk::Submitted made = core_->submit({{}, {}, std::string(handler), std::nullopt, std::move(context), options});
  return {made.task_uuid, made.is_new};
}

Client::Made Client::submit_named(const NamedTask& name, std::string context, const SubmitOptions& options) {
  const sdk::Submitted made = core_->submit({{}, {}, {}, name, std::move(context), options});
  return {made.task_uuid, made.is_new};
}

Client::Made Client::start_text(std::string_view kind, std::string_view workflow_id, std::string input,
                                const WorkflowOptions& options) {
  const sdk::Submitted made =
      core_->start_workflow({{}, {}, std::string(kind), std::string(workflow_id), std::move(input), options});
  return {made.task_uuid, made.is_new};
}

Client::Made Client::make_promise(std::string_view key, const PromiseOptions& options) {
  sdk::PromiseRequest request;
  if (!key.empty()) request.promise.key.emplace(key);
  request.promise.key_ttl = options.ttl();
  request.promise.timeout = options.timeout();
  request.promise.key_conflict = options.key_conflict();
  const sdk::Submitted made = core_->create_promise(std::move(request));
  return {made.task_uuid, made.is_new};
}

bool Client::signal_text(std::string_view workflow_id, std::string_view name, std::string value, std::string_view key) {
  return core_->signal({{{}, std::string(workflow_id)}, std::string(name), std::move(value), std::string(key)});
}

bool Client::settle(std::string_view id, std::string_view key, std::string value, const Failure* why) {
  sdk::Settlement settlement{{std::string(id), std::string(key)}, sdk::EndWith{std::move(value)}};
  if (why) settlement.how = sdk::FailWith{sdk::failure_text(*why)};
  return core_->settle_promise(settlement);
}

void Client::configure_queue(std::string_view name, const QueueSettings& settings) {
  core_->configure_queue(std::string(name), settings);
}

void Client::put_schedule(std::string_view name, const Schedule& schedule, std::string_view handler,
                          std::string_view context) {
  core_->put_schedule(std::string(name), sdk::schedule_document(schedule, handler, context));
}

void Client::remove_schedule(std::string_view name) { core_->remove_schedule(std::string(name)); }

void Client::pause_schedule(std::string_view name) { core_->pause_schedule(std::string(name), true); }

void Client::resume_schedule(std::string_view name) { core_->pause_schedule(std::string(name), false); }

std::optional<std::string> Client::status_text(std::string_view workflow_id) const {
  return core_->custom_status({{}, std::string(workflow_id)});
}

Client::Made Client::fire(std::string_view name, std::optional<Time> nominal) {
  return {core_->run_schedule(std::string(name), nominal), false};
}

namespace detail {

Status HandleBase::status() const { return core_->status(id_); }

std::optional<std::string> HandleBase::custom_status_text() const { return core_->custom_status({id_, {}}); }

Status HandleBase::cancel(bool force) const { return core_->cancel({{id_, {}}, force, {}}); }

Closing HandleBase::await() const { return core_->await(id_, std::nullopt).value(); }

std::optional<Closing> HandleBase::await_for(Duration time) const { return core_->await(id_, time); }

void HandleBase::send_signal(std::string_view name, std::string value, std::string_view key) const {
  core_->signal({{id_, {}}, std::string(name), std::move(value), std::string(key)});
}

}  // namespace detail
}  // namespace semel
