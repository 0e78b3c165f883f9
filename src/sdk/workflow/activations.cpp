#include "sdk/workflow/activations.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace semel::sdk {
namespace {

constexpr int history_page_events = 1'000;

/// The events that came with the lease, if this run of the code begins among them.
std::vector<Event> whole_beginning(const Activation& activation) {
  std::vector<Event> events = activation.events;
  if (events.empty() || events.front().sequence > activation.from) return {};
  std::erase_if(events, [&](const Event& event) { return event.sequence < activation.from; });
  return events;
}

Answer failed_activation(const Lease& lease, std::string error) {
  return {lease.attempt_id, AttemptFailure{std::move(error), true, std::nullopt}};
}

}  // namespace

Activations::Activations(Backend& backend, const WorkflowFunctions& functions, std::size_t kept_max)
    : backend_(backend), functions_(functions), kept_max_(kept_max) {}

Answer Activations::answer(const Lease& lease) {
  std::unique_ptr<Instance> instance = take(lease);
  Reply<Turn> turn = advance(lease, instance);
  if (!turn) return failed_activation(lease, error_text("history_unavailable", turn.error().message));
  if (turn->fault) return failed_activation(lease, *std::move(turn->fault));
  ActivationEnd end{lease.task_uuid, instance->position(), std::move(turn->commands), std::move(turn->status),
                    std::move(turn->end)};
  if (!end.end) keep(lease, std::move(instance), end.commands.size());
  return {lease.attempt_id, std::move(end)};
}

Reply<Turn> Activations::advance(const Lease& lease, std::unique_ptr<Instance>& instance) {
  const Activation& activation = *lease.activation;
  if (instance) {
    Reply<std::vector<Event>> events = events_after(lease, activation.seen, activation.events);
    if (!events) return tl::unexpected(events.error());
    return instance->advance(*events, activation.last_command);
  }
  ++replays_;
  Reply<std::vector<Event>> events = events_after(lease, activation.from - 1, whole_beginning(activation));
  if (!events) return tl::unexpected(events.error());
  const auto function = functions_.find(activation.kind);
  if (function == functions_.end()) {
    Turn turn;
    turn.fault = error_text("unknown_workflow", fmt::format("this worker has no workflow '{}'", activation.kind));
    return turn;
  }
  const WorkflowIdentity identity{lease.task_uuid, activation.workflow_id, activation.kind, activation.from};
  instance = std::make_unique<Instance>(identity, function->second, activation.input);
  return instance->advance(*events, activation.last_command);
}

/// The events that came with the lease begin after `after`; what they leave out is read in pages.
Reply<std::vector<Event>> Activations::events_after(const Lease& lease, std::uint64_t after,
                                                    std::vector<Event> events) {
  while (true) {
    if (!events.empty()) after = events.back().sequence;
    if (after >= lease.activation->history_length) return events;
    Reply<HistoryPage> page = backend_.history(lease.task_uuid, after, history_page_events);
    if (!page) return tl::unexpected(page.error());
    if (page->events.empty()) return events;
    std::move(page->events.begin(), page->events.end(), std::back_inserter(events));
    if (!page->has_more) return events;
  }
}

std::unique_ptr<Instance> Activations::take(const Lease& lease) {
  const auto found = instances_.find(lease.task_uuid);
  if (found == instances_.end()) return nullptr;
  std::unique_ptr<Instance> instance = std::move(found->second.instance);
  const std::uint64_t written = instance->position() + found->second.sent;
  const bool is_next = lease.attempt == found->second.attempt + 1;
  order_.erase(found->second.place);
  instances_.erase(found);
  // Every activation is an attempt with a number of its own: if this is not the next one, somebody went on with it
  // elsewhere. After its last answer the server says that it has seen what it was told, or also what that answer has
  // written, if nothing else came between. If the answer was not taken, the server has seen less.
  const Activation& activation = *lease.activation;
  const bool has_seen = activation.seen == instance->position() || activation.seen == written;
  if (!is_next || !has_seen || instance->from() != activation.from) return nullptr;
  if (instance->last_number() != activation.last_command) return nullptr;
  instance->skip_to(activation.seen);
  return instance;
}

void Activations::keep(const Lease& lease, std::unique_ptr<Instance> instance, std::size_t sent) {
  if (kept_max_ == 0) return;
  if (instances_.size() >= kept_max_) {
    instances_.erase(order_.front());
    order_.pop_front();
  }
  order_.push_back(lease.task_uuid);
  instances_.emplace(lease.task_uuid, Kept{std::move(instance), sent, lease.attempt, std::prev(order_.end())});
}

}  // namespace semel::sdk
