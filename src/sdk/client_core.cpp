#include "sdk/client_core.hpp"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <utility>

namespace semel::sdk {
namespace {

constexpr std::size_t submissions_a_batch_max = 500;
/// One more than is on its way, so that the next batch fills while one is committed.
constexpr std::size_t submit_senders_max = 2;
constexpr Duration first_pause = 50ms;
constexpr Duration longest_pause = 2s;
constexpr Duration longest_wait = 30s;

}  // namespace

ClientWorld machine_world() {
  return {[] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); },
          [](Duration time) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable().wait_for(lock, time, [] { return false; });
          }};
}

ClientCore::ClientCore(std::shared_ptr<Backend> backend, const ClientOptions& options, ClientWorld world)
    : backend_(std::move(backend)),
      options_(options),
      world_(std::move(world)),
      ids_(secure_random),
      submits_(submissions_a_batch_max, submit_senders_max,
               [this](std::span<const Submission> submissions) { return backend_->submit(submissions); }) {}

std::string ClientCore::next_id() { return ids_.next(world_.now()).text(); }

template <typename T>
T ClientCore::insist(const std::function<Reply<T>()>& ask) {
  Duration waited{0};
  Duration pause = first_pause;
  while (true) {
    Reply<T> answer = ask();
    if (answer) {
      if constexpr (std::is_void_v<T>) return;
      else return *std::move(answer);
    }
    const Refusal& refusal = answer.error();
    if (!refusal.may_be_asked_again) throw RequestRefused(refusal.code, refusal.message);
    if (waited >= options_.retry_for()) throw ServerUnavailable(refusal.message);
    world_.pause(pause);
    waited += pause;
    pause = std::min(pause * 2, longest_pause);
  }
}

Submitted ClientCore::submit(Submission submission) {
  submission.task_uuid = next_id();
  submission.requested_at = world_.now();
  // A request with a key wants that one thing, whoever has made it.
  if (submission.options.identity().key && !submission.options.identity().on_duplicate) {
    submission.options.on_duplicate(OnDuplicate::return_existing);
  }
  return insist<Submitted>([&] { return submits_.call(submission); });
}

Submitted ClientCore::start_workflow(WorkflowStart start) {
  start.execution_id = next_id();
  start.requested_at = world_.now();
  if (!start.options.identity().on_duplicate) start.options.on_duplicate(OnDuplicate::return_existing);
  return insist<Submitted>([&] { return backend_->start_workflow(start); });
}

Submitted ClientCore::create_promise(PromiseRequest request) {
  request.promise_id = next_id();
  request.requested_at = world_.now();
  return insist<Submitted>([&] { return backend_->create_promise(request); });
}

Reply<State> ClientCore::await_once(const std::string& id, Duration wait) {
  // Shared with the callback, which may still be at work on it when this has returned.
  const auto answered = std::make_shared<std::promise<Reply<State>>>();
  backend_->await_result(id, wait, [answered](Reply<State> state) { answered->set_value(std::move(state)); });
  return answered->get_future().get();
}

std::optional<detail::Closing> ClientCore::await(const std::string& id, std::optional<Duration> time) {
  Duration left = time.value_or(longest_wait);
  while (true) {
    const Duration wait = std::min(left, longest_wait);
    State state = insist<State>([&] { return await_once(id, wait); });
    if (is_closed(state.status)) return std::move(state.closing);
    if (!time) continue;
    left -= wait;
    if (left <= Duration::zero()) return std::nullopt;
  }
}

Status ClientCore::status(const std::string& id) {
  return insist<State>([&] { return await_once(id, Duration::zero()); }).status;
}

std::optional<std::string> ClientCore::custom_status(const Target& workflow) {
  return insist<std::optional<std::string>>([&] { return backend_->custom_status(workflow); });
}

/// One without a key gets one of its own, so that trying again does not tell it twice.
bool ClientCore::signal(SignalRequest request) {
  const bool has_key = !request.key.empty();
  if (!has_key) request.key = next_id();
  const bool is_first = insist<bool>([&] { return backend_->signal(request); });
  return is_first || !has_key;
}

bool ClientCore::settle_promise(const Settlement& settlement) {
  return insist<bool>([&] { return backend_->settle_promise(settlement); });
}

/// What is cancelled cannot be cancelled again: where the answer to an earlier try was lost, that one has done it.
Status ClientCore::cancel(const CancelRequest& request) {
  bool is_repeated = false;
  return insist<Status>([&]() -> Reply<Status> {
    Reply<Status> answer = backend_->cancel(request);
    const bool was_first = !std::exchange(is_repeated, true);
    if (answer || was_first || request.execution.id.empty() || answer.error().code != "NOT_CANCELLABLE") return answer;
    const Reply<State> state = await_once(request.execution.id, Duration::zero());
    if (state && state->status == Status::cancelled) return Status::cancelled;
    return answer;
  });
}

void ClientCore::configure_queue(const std::string& name, const QueueSettings& settings) {
  insist<void>([&] { return backend_->configure_queue(name, settings); });
}

void ClientCore::put_schedule(const std::string& name, const std::string& document) {
  insist<void>([&] { return backend_->put_schedule(name, document); });
}

/// What is gone cannot be removed again: where the answer to an earlier try was lost, that one has done it.
void ClientCore::remove_schedule(const std::string& name) {
  bool is_repeated = false;
  insist<void>([&]() -> Reply<void> {
    Reply<void> answer = backend_->remove_schedule(name);
    const bool was_first = !std::exchange(is_repeated, true);
    if (!answer && !was_first && answer.error().code == "NOT_FOUND") return {};
    return answer;
  });
}

void ClientCore::pause_schedule(const std::string& name, bool paused) {
  insist<void>([&] { return backend_->pause_schedule(name, paused); });
}

/// Now is one time for all tries: a firing whose answer was lost is not made again.
std::string ClientCore::run_schedule(const std::string& name, std::optional<Time> nominal) {
  const Time time = nominal.value_or(world_.now());
  return insist<std::string>([&]() -> Reply<std::string> {
    const Reply<Fired> fired = backend_->run_schedule(name, time);
    if (!fired) return tl::unexpected(fired.error());
    if (!fired->task_uuid.empty()) return fired->task_uuid;
    return refused("BAD_REQUEST",
                   "no task was made: " + (fired->why_not.empty() ? "its last one is not over" : fired->why_not));
  });
}

}  // namespace semel::sdk
