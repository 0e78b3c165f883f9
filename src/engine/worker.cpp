#include <algorithm>
#include <mutex>

#include "domain/workflow/code/names.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

tl::unexpected<Error> stale_attempt() {
  return refuse(ErrorCode::stale_attempt, "this attempt is unknown or has ended; its answer does not count");
}

}  // namespace

/// One poll of one worker: claims, and waits for ready tasks between claims until it got some or its time is over. It
/// joins the waiters before each claim, so that a task that becomes ready in between is not missed. What the worker
/// brought along is committed with the first claim, and so before anything waits.
class Polling final : public Engine::Poll, public std::enable_shared_from_this<Polling> {
 public:
  Polling(Engine& engine, std::string tenant, Engine::PollRequest request, std::vector<CommitQueue::Entry> brought,
          Answer<Result<std::vector<Lease>>> answer)
      : engine_(engine),
        tenant_(std::move(tenant)),
        request_(std::move(request)),
        deadline_(std::chrono::steady_clock::now() + request_.wait),
        answer_(std::move(answer)),
        brought_(std::move(brought)) {}

  void start() {
    if (request_.wait > Duration{0} && !engine_.stopping_) join_waiters();
    claim();
  }

  /// The worker has gone: what would be claimed from now on would be lost with it.
  void abandon() override {
    ReadyWaiters::Token token = 0;
    {
      const std::lock_guard lock(mutex_);
      abandoned_ = true;
      if (phase_ != Phase::waiting) return;
      phase_ = Phase::over;
      token = std::exchange(token_, 0);
    }
    engine_.ready_waiters_.cancel(token);
    answer_(std::vector<Lease>{});
  }

 private:
  enum class Phase : std::uint8_t { claiming, waiting, over };
  enum class Signal : std::uint8_t { none, ready, time_over };

  Duration time_left() const {
    return std::max(Duration{0}, std::chrono::ceil<Duration>(deadline_ - std::chrono::steady_clock::now()));
  }

  void join_waiters() {
    const std::lock_guard lock(mutex_);  // so that a wake-up at once finds the token
    signal_ = Signal::none;
    token_ = engine_.ready_waiters_.add({tenant_, request_.queues, request_.handlers}, time_left(),
                                        [self = shared_from_this()](bool maybe_ready) { self->wake(maybe_ready); });
  }

  void claim() {
    std::vector<CommitQueue::Entry> entries = std::exchange(brought_, {});
    entries.push_back({engine_.claim_for(tenant_, request_), [self = shared_from_this()](Committed committed) {
                         if (!committed.outcome) return self->claimed(pass_on(committed.outcome.error()));
                         self->claimed(std::get<Claimed>(*std::move(committed.outcome)));
                       }});
    if (engine_.commits_.push(std::move(entries))) return;
    for (const CommitQueue::Entry& each : entries) each.done({engine_.store_.now(), pass_on(overloaded())});
  }

  void wake(bool maybe_ready) {
    std::unique_lock lock(mutex_);
    token_ = 0;
    const Phase phase = phase_;
    if (phase == Phase::claiming) signal_ = maybe_ready ? Signal::ready : Signal::time_over;
    if (phase == Phase::waiting) phase_ = maybe_ready ? Phase::claiming : Phase::over;
    lock.unlock();
    if (phase == Phase::waiting && maybe_ready) start();
    else if (phase == Phase::waiting) answer_(std::vector<Lease>{});
    else if (phase == Phase::over && maybe_ready) pass_on_wake_up();
  }

  void claimed(Result<Claimed> claimed) {
    const bool got = !claimed || !claimed->leases.empty();
    std::unique_lock lock(mutex_);
    const Signal signal = std::exchange(signal_, Signal::none);
    const bool abandoned = abandoned_;
    const bool goes_on = !got && !abandoned_ && signal != Signal::time_over && (token_ != 0 || signal == Signal::ready);
    if (goes_on && signal == Signal::none) {
      phase_ = Phase::waiting;
      return;
    }
    if (!goes_on) phase_ = Phase::over;
    const ReadyWaiters::Token token = std::exchange(token_, 0);
    lock.unlock();
    if (goes_on) return start();                           // a task became ready while the claim found none
    if (token != 0) engine_.ready_waiters_.cancel(token);  // if it is too late for that, wake() passes the wake-up on
    if (signal == Signal::ready) pass_on_wake_up();
    if (!claimed) return answer_(pass_on(claimed.error()));
    if (abandoned) give_back(std::exchange(claimed->leases, {}));
    answer_(std::move(claimed->leases));
  }

  /// The worker went while its claim was being committed.
  void give_back(const std::vector<Lease>& leases) {
    std::vector<domain::AttemptId> attempts;
    for (const Lease& lease : leases) attempts.push_back(lease.attempt_id);
    engine_.commit_give_back({tenant_, std::move(attempts)});
  }

  /// A wake-up that this poll no longer needs belongs to somebody else.
  void pass_on_wake_up() {
    for (const std::string& queue : request_.queues) engine_.ready_waiters_.ready(tenant_, queue, std::nullopt);
  }

  Engine& engine_;
  const std::string tenant_;
  const Engine::PollRequest request_;
  const std::chrono::steady_clock::time_point deadline_;
  const Answer<Result<std::vector<Lease>>> answer_;
  std::vector<CommitQueue::Entry> brought_;  // until the first claim
  std::mutex mutex_;                         // guards what follows
  Phase phase_ = Phase::claiming;
  Signal signal_ = Signal::none;   // what came during the claim
  ReadyWaiters::Token token_ = 0;  // while it is among the waiters
  bool abandoned_ = false;
};

std::shared_ptr<Engine::Poll> Engine::poll(const domain::Principal& principal, PollRequest request,
                                           Answer<Result<std::vector<Lease>>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::workers); !allowed) {
    answer(pass_on(allowed.error()));
    return nullptr;
  }
  if (Result<void> fits = check_pollable(principal.tenant, request); !fits) {
    answer(pass_on(fits.error()));
    return nullptr;
  }
  return begin_poll(principal, std::move(request), {}, std::move(answer));
}

/// A worker waits until it is answered; the poll itself may be kept for longer.
std::shared_ptr<Engine::Poll> Engine::begin_poll(const domain::Principal& principal, PollRequest request,
                                                 std::vector<CommitQueue::Entry> brought,
                                                 Answer<Result<std::vector<Lease>>> answer) {
  std::shared_ptr<void> waits =
      workers_.asks(principal.tenant, {request.worker, request.queues, request.handlers}, store_.now());
  return start_poll(principal.tenant, std::move(request), std::move(brought),
                    [waits = std::move(waits), answer = std::move(answer)](Result<std::vector<Lease>> leases) mutable {
                      waits.reset();
                      answer(std::move(leases));
                    });
}

std::shared_ptr<Engine::Poll> Engine::start_poll(const std::string& tenant, PollRequest request,
                                                 std::vector<CommitQueue::Entry> brought,
                                                 Answer<Result<std::vector<Lease>>> answer) {
  auto polling = std::make_shared<Polling>(*this, tenant, std::move(request), std::move(brought), std::move(answer));
  polling->start();
  return polling;
}

Result<std::vector<WorkerRegistry::Seen>> Engine::workers(const domain::Principal& principal) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  return workers_.list(principal.tenant, store_.now());
}

/// Whoever would wait in vain is told so. Of a queue with a target, workers may have activations of workflows.
Result<void> Engine::check_pollable(const std::string& tenant, const PollRequest& request) const {
  if (request.worker == domain::push_worker) return bad_request("no worker may be called '{}'", request.worker);
  if (!queues_.has_targets()) return {};
  const bool wants_activations =
      request.handlers && std::ranges::any_of(*request.handlers, domain::code::is_workflow_handler);
  for (const std::string& queue : request.queues) {
    if (wants_activations || !queues_.settings(tenant, queue).target) continue;
    return bad_request("the tasks of queue '{}' are pushed to its target: no worker can poll for them", queue);
  }
  return {};
}

void Engine::commit_give_back(GiveBack command) {
  if (!command.attempt_ids.empty()) commit<GivenBack>(std::move(command), [](const Result<GivenBack>&) {});
}

void Engine::give_back(const domain::Principal& principal, std::vector<domain::AttemptId> attempts) {
  if (require(principal, domain::Permission::workers)) commit_give_back({principal.tenant, std::move(attempts)});
}

Claim Engine::claim_for(const std::string& tenant, const PollRequest& request) {
  Claim command{tenant, request.worker, request.queues, request.weights, request.handlers, request.lease,
                {},     request.push};
  const Time now = store_.now();
  for (std::size_t i = 0; i < request.max; ++i) command.attempt_ids.push_back({ids_.next(now)});
  return command;
}

/// Turns a stale answer into its refusal.
Result<AttemptAnswer> Engine::attempt_answer(Result<Outcome> outcome) {
  if (!outcome) return pass_on(outcome.error());
  AttemptAnswer answer = std::get<AttemptAnswer>(*std::move(outcome));
  if (answer.kind == AttemptAnswer::Kind::stale) return stale_attempt();
  return answer;
}

void Engine::tell_of_attempt(Command command, Answer<Result<AttemptAnswer>> answer) {
  const auto shared = std::make_shared<Answer<Result<AttemptAnswer>>>(std::move(answer));
  const bool queued = commits_.push(
      std::move(command), [shared](Committed committed) { (*shared)(attempt_answer(std::move(committed.outcome))); });
  if (!queued) (*shared)(pass_on(overloaded()));
}

void Engine::complete(const domain::Principal& principal, domain::AttemptId id, std::optional<std::string> result,
                      Answer<Result<AttemptAnswer>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::workers); !allowed)
    return answer(pass_on(allowed.error()));
  tell_of_attempt(Complete{principal.tenant, id, std::move(result)}, std::move(answer));
}

void Engine::fail(const domain::Principal& principal, domain::AttemptId id, Failure failure,
                  Answer<Result<AttemptAnswer>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::workers); !allowed)
    return answer(pass_on(allowed.error()));
  tell_of_attempt(Fail{principal.tenant, id, std::move(failure.error), failure.retryable, failure.retry_after},
                  std::move(answer));
}

void Engine::heartbeat(const domain::Principal& principal, domain::AttemptId id, Duration lease,
                       std::optional<domain::Progress> progress, Answer<Result<AttemptAnswer>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::workers); !allowed)
    return answer(pass_on(allowed.error()));
  tell_of_attempt(Heartbeat{principal.tenant, id, lease, std::move(progress)}, std::move(answer));
}

}  // namespace semel::engine
