#include "connected/convert.hpp"
#include "connected/refusal.hpp"

namespace semel::connected {
namespace {

using Kind = sdk::AnswerOutcome::Kind;

/// A lease that has ended is no refusal: the worker has only to know it.
sdk::Reply<sdk::AnswerOutcome> not_taken(const v1::Error& error) {
  if (error.code() == "STALE_ATTEMPT") return sdk::AnswerOutcome{Kind::stale, false};
  return tl::unexpected(refusal_of(error));
}

sdk::Event event_of(const v1::HistoryEvent& event) {
  return {static_cast<std::uint64_t>(event.sequence()), time_of(event.at()), event.kind(), event.task_key(),
          event.detail()};
}

sdk::Activation activation_of(const v1::Lease& lease) {
  const v1::Activation& given = lease.activation();
  sdk::Activation activation;
  activation.kind = lease.handler();  // of a workflow, that is its kind
  activation.workflow_id = lease.task_id();
  activation.input = lease.context();
  activation.from = static_cast<std::uint64_t>(given.first_event());
  activation.seen = static_cast<std::uint64_t>(given.seen());
  activation.history_length = static_cast<std::uint64_t>(given.history_length());
  activation.last_command = static_cast<std::uint64_t>(given.last_command());
  activation.events.reserve(static_cast<std::size_t>(given.events_size()));
  for (const v1::HistoryEvent& event : given.events()) activation.events.push_back(event_of(event));
  return activation;
}

}  // namespace

Time time_of(const google::protobuf::Timestamp& time) {
  constexpr std::int32_t nanos_in_ms = 1'000'000;
  return Time(std::chrono::seconds(time.seconds()) + Duration(time.nanos() / nanos_in_ms));
}

/// A status that this version does not know is open: whoever waits asks again.
Status status_of(v1::TaskStatus status) {
  const bool is_known = status > v1::TASK_STATUS_UNSPECIFIED && status <= v1::TASK_STATUS_TIMED_OUT;
  return is_known ? static_cast<Status>(static_cast<int>(status) - 1) : Status::pending;
}

sdk::Submitted submitted_of(const v1::SubmitTaskResponse& response) {
  return {response.task_uuid(), response.created(), status_of(response.status())};
}

sdk::Submitted submitted_of(const v1::StartWorkflowResponse& response) {
  return {response.workflow_execution_id(), response.created(), status_of(response.status())};
}

sdk::Submitted submitted_of(const v1::CreatePromiseResponse& response) {
  return {response.promise_id(), response.created(), status_of(response.status())};
}

sdk::Reply<sdk::Submitted> submitted_of(const v1::SubmitTaskResult& result) {
  if (result.has_task()) return submitted_of(result.task());
  return tl::unexpected(refusal_of(result.error()));
}

sdk::State state_of(const v1::AwaitResultResponse& response) {
  const Status status = status_of(response.status());
  sdk::State state{status, {status, std::nullopt, response.error()}};
  if (response.has_result()) state.closing.result = response.result();
  return state;
}

sdk::HistoryPage page_of(const v1::GetHistoryResponse& response) {
  sdk::HistoryPage page;
  page.events.reserve(static_cast<std::size_t>(response.events_size()));
  for (const v1::HistoryEvent& event : response.events()) page.events.push_back(event_of(event));
  page.has_more = response.has_next_cursor();
  return page;
}

sdk::Lease lease_of(const v1::Lease& lease) {
  sdk::Lease made;
  made.attempt_id = lease.attempt_id();
  made.task_uuid = lease.task_uuid();
  made.handler = lease.has_activation() ? "workflow:" + lease.handler() : lease.handler();
  made.queue = lease.queue();
  made.attempt = lease.attempt();
  made.context = lease.context();
  made.effect_key = lease.effect_key();
  made.labels.insert(lease.labels().begin(), lease.labels().end());
  made.lease_until = time_of(lease.lease_expires_at());
  if (lease.has_activation()) made.activation = activation_of(lease);
  return made;
}

sdk::Reply<sdk::AnswerOutcome> outcome_of(const v1::OutcomeAnswer& answer) {
  if (answer.has_error()) return not_taken(answer.error());
  return sdk::AnswerOutcome{answer.recorded().already_recorded() ? Kind::already_recorded : Kind::recorded, false};
}

sdk::Reply<sdk::AnswerOutcome> outcome_of(const v1::HeartbeatAnswer& answer) {
  if (answer.has_error()) return not_taken(answer.error());
  return sdk::AnswerOutcome{Kind::recorded, answer.extended().should_cancel()};
}

}  // namespace semel::connected
