#include <cmath>

#include "api/codec/error.hpp"
#include "domain/workflow/code/names.hpp"
#include "embedded/convert.hpp"
#include "sdk/worker/progress.hpp"

namespace semel::embedded {

sdk::Refusal refusal_of(const Error& error) {
  const bool again = error.code == ErrorCode::unavailable || error.code == ErrorCode::outcome_unknown ||
                     error.code == ErrorCode::tenant_limit;
  return {std::string(codec::wire_name(error.code)), error.message, again};
}

sdk::Reply<sdk::Submitted> submitted_of(const engine::SubmitAnswer& answer) {
  const tl::expected<codec::Submitted, codec::Refusal> settled = codec::settle(answer);
  if (settled) return sdk::Submitted{settled->id.text(), settled->created, status_of(settled->status)};
  return tl::unexpected(refusal_of({settled.error().code, settled.error().message}));
}

domain::Progress progress_of(const std::string& json) {
  constexpr double whole = 1'000'000;
  sdk::SaidProgress said = sdk::read_progress(json);
  domain::Progress progress;
  if (said.done) progress.millionths = static_cast<int>(std::lround(*said.done * whole));
  progress.message = std::move(said.message);
  return progress;
}

sdk::Event event_of(const HistoryEntry& entry) {
  return {static_cast<std::uint64_t>(entry.sequence), entry.at, std::string(name_of(entry.event.kind)),
          entry.event.task_key, entry.event.detail};
}

namespace {

sdk::Activation activation_of(const Lease& lease) {
  const Activation& given = *lease.activation;
  sdk::Activation activation;
  activation.kind = domain::code::kind_of_workflow(lease.execution.spec.handler);
  activation.workflow_id = lease.execution.task_id();
  activation.input = lease.execution.spec.context;
  activation.from = static_cast<std::uint64_t>(given.first_event);
  activation.seen = static_cast<std::uint64_t>(given.seen);
  activation.history_length = static_cast<std::uint64_t>(given.history_length);
  activation.last_command = static_cast<std::uint64_t>(given.last_command);
  for (const HistoryEntry& entry : given.events) activation.events.push_back(event_of(entry));
  return activation;
}

}  // namespace

sdk::Lease lease_of(const Lease& lease) {
  const domain::ExecutionSpec& spec = lease.execution.spec;
  sdk::Lease made;
  made.attempt_id = lease.attempt_id.text();
  made.task_uuid = spec.id.text();
  made.handler = spec.handler;
  made.queue = spec.queue;
  made.attempt = lease.execution.attempt;
  made.context = lease.input ? lease.input->context : spec.context;
  made.effect_key = spec.id.text();
  made.labels.insert(spec.labels.begin(), spec.labels.end());
  made.lease_until = lease.lease_until;
  if (lease.activation) made.activation = activation_of(lease);
  return made;
}

}  // namespace semel::embedded
