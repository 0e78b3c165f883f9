#include "engine/dispatcher.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "domain/dispatch_token.hpp"
#include "engine/dispatch_answer.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

constexpr std::size_t claim_max = 100;
constexpr int take_max = 200;
constexpr int take_max_at_first = 1'000;
constexpr Duration everything_ahead = 24h;
constexpr Duration poll_time = 60s;
constexpr Duration looked_after = 5s;       // at what other servers have left
constexpr Duration hold_beside_send = 30s;  // until it is sent, and until what follows is written

std::pair<std::string, std::string> place_of(const Lease& lease) {
  return {lease.execution.spec.tenant, lease.execution.spec.queue};
}

}  // namespace

void Dispatcher::start(std::string callback_url) {
  const std::lock_guard lock(mutex_);
  callback_url_ = std::move(callback_url);
  loop_.emplace("dispatch", [this] { return pass(); });
}

void Dispatcher::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_stopping_, true)) return;
  }
  if (loop_) loop_->stop();
  options_.targets->close();
}

void Dispatcher::wake() {
  const std::lock_guard lock(mutex_);
  if (loop_) loop_->wake();
}

void Dispatcher::see(const std::string& tenant, const std::string& queue) {
  if (!engine_.queues_.has_targets()) return;
  {
    const std::lock_guard lock(mutex_);
    if (!has_begun_ || lanes_.contains({tenant, queue})) return;
  }
  if (engine_.queues_.settings(tenant, queue).target) add_lane(tenant, queue);
}

void Dispatcher::look_again() {
  {
    const std::lock_guard lock(mutex_);
    must_look_ = true;
  }
  wake();
}

void Dispatcher::expect(Time) { wake(); }

/// Looks for queues, takes what is due, and sleeps until something will be. What the only server of a store finds when
/// it starts, nobody else can be sending: it need not wait for that.
Duration Dispatcher::pass() {
  try {
    const std::optional<Time> next = engine_.store_.next_dispatch();
    const bool is_first = begins();
    const bool takes_all = is_first && next && !engine_.store_.is_shared();
    if (takes_all) take_due({take_max_at_first, hold_for_all(), everything_ahead});
    find_lanes();
    const Duration rest = engine_.store_.is_shared() ? looked_after : Loop::until_woken;
    if (!next || takes_all) return rest;  // taken() looks again
    const Duration left = *next - engine_.store_.now();
    if (left > Duration{0}) return std::min(left, rest);
    take_due({take_max, hold_for_all()});
    return rest;
  } catch (const StoreFault& fault) {
    log::warn("dispatches cannot be read, trying again soon: {}", fault.what());
    const std::lock_guard lock(mutex_);
    must_look_ = true;  // queues may not have been found
    return 1s;
  }
}

/// Whether it is the first pass. From then on, queues are looked at.
bool Dispatcher::begins() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(has_begun_, true);
}

/// Of all tenants: what they have said themselves, and where they have tasks in queues of the configuration.
void Dispatcher::find_lanes() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(must_look_, false)) return;
  }
  if (!engine_.queues_.has_targets()) return;
  for (const StoredQueue& each : engine_.store_.queues()) {
    if (!each.tenant.empty()) see(each.tenant, each.name);
  }
  for (const QueueDepth& depth : engine_.store_.queue_depths()) see(depth.tenant, depth.queue);
}

void Dispatcher::add_lane(const std::string& tenant, const std::string& queue) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_ || !lanes_.try_emplace({tenant, queue}).second) return;
  }
  poll({tenant, queue});
}

/// Longer than a send takes: else two would send the same.
Duration Dispatcher::hold_for(Duration target_timeout) const {
  return target_timeout + options_.targets->overhead_max() + hold_beside_send;
}

/// Whatever queue it is of.
Duration Dispatcher::hold_for_all() const { return hold_for(engine_.queues_.longest_target_timeout()); }

void Dispatcher::take_due(const TakeDispatches& take) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_ || std::exchange(takes_, true)) return;
  }
  engine_.commit<Claimed>(take, [this](Result<Claimed> claimed) { taken(std::move(claimed)); });
}

void Dispatcher::taken(Result<Claimed> claimed) {
  Sorted sorted;
  {
    const std::lock_guard lock(mutex_);
    takes_ = false;
    if (is_stopping_) return;  // whoever comes next takes them
    if (claimed) sorted = sort(std::move(claimed->leases));
  }
  for (const auto& [lease, pause] : sorted.later) put_off(lease, pause);
  for (Lease& lease : sorted.now) {
    const Place place = place_of(lease);
    send(place, std::move(lease));
  }
  if (claimed) wake();
  else engine_.timers_.after(1s, [this] { wake(); });
}

/// What is sent now, and what has to wait because as much is under way as the queue allows: as many at a time, a second
/// apart.
Dispatcher::Sorted Dispatcher::sort(std::vector<Lease> leases) {
  Sorted sorted;
  std::map<Place, int> waiting;
  for (Lease& lease : leases) {
    if (const auto sent = sending_.find(lease.attempt_id); sent != sending_.end()) {
      if (sent->second != lease.dispatch->repair) skipped_.insert_or_assign(lease.attempt_id, std::move(lease));
      continue;
    }
    const Place place = place_of(lease);
    const int most = engine_.queues_.settings(place.first, place.second).max_in_flight;
    Lane& lane = lanes_[place];
    if (lane.in_flight < most) {
      lane.in_flight += 1;
      sending_.emplace(lease.attempt_id, lease.dispatch->repair);
      sorted.now.push_back(std::move(lease));
    } else {
      sorted.later.emplace_back(std::move(lease), 1s * (1 + waiting[place]++ / most));
    }
  }
  return sorted;
}

/// It was taken, and is not sent now: nobody knows more of it than before.
void Dispatcher::put_off(const Lease& lease, Duration pause) {
  const domain::Dispatch& dispatch = *lease.dispatch;
  PostponeDispatch command{
      lease.execution.spec.tenant, lease.attempt_id, true, pause, dispatch.answer, dispatch.repair, false};
  engine_.tell_of_attempt(std::move(command), [this](const Result<AttemptAnswer>&) { wake(); });
}

/// Joins the workers that wait for the queue, when there is room for a good part of what may be under way.
void Dispatcher::poll(const Place& place) {
  const domain::QueueSettings settings = engine_.queues_.settings(place.first, place.second);
  Engine::PollRequest request;
  {
    const std::lock_guard lock(mutex_);
    const auto found = lanes_.find(place);
    if (found == lanes_.end() || is_stopping_ || engine_.stopping_) return;
    Lane& lane = found->second;
    const int free = settings.max_in_flight - lane.in_flight;
    if (!settings.target) {
      if (lane.in_flight == 0 && !lane.polls) lanes_.erase(found);
      return;
    }
    if (lane.polls || Steady::now() < lane.rests_until || free <= 0 || free * 4 < settings.max_in_flight) return;
    lane.polls = true;
    request.max = std::min(static_cast<std::size_t>(free), claim_max);
  }
  request.worker = domain::push_worker;
  request.queues = {place.second};
  request.wait = poll_time;
  request.lease = domain::unaccepted_lease;
  request.push = hold_for(settings.target_timeout);
  engine_.start_poll(place.first, std::move(request), {},
                     [this, place](Result<std::vector<Lease>> leases) { polled(place, std::move(leases)); });
}

void Dispatcher::polled(const Place& place, Result<std::vector<Lease>> leases) {
  std::vector<Lease> mine;
  if (leases) mine = *std::move(leases);
  bool is_over = false;
  {
    const std::lock_guard lock(mutex_);
    Lane& lane = lanes_[place];
    lane.polls = false;
    is_over = is_stopping_;
    if (!is_over) {
      lane.in_flight += static_cast<int>(mine.size());
      for (const Lease& lease : mine) sending_.emplace(lease.attempt_id, lease.dispatch->repair);
    }
  }
  if (is_over) {
    std::vector<domain::AttemptId> ids;
    for (const Lease& lease : mine) ids.push_back(lease.attempt_id);
    return engine_.commit_give_back({place.first, std::move(ids)});
  }
  for (Lease& lease : mine) send(place, std::move(lease));
  if (leases) return poll(place);
  engine_.timers_.after(1s, [this, place] { poll(place); });
}

void Dispatcher::send(const Place& place, Lease lease) {
  const domain::QueueSettings settings = engine_.queues_.settings(place.first, place.second);
  if (!settings.target) {  // no longer: it is for workers
    leave(place, lease.attempt_id, true);
    engine_.commit_give_back({place.first, {lease.attempt_id}});
    return poll(place);  // forgets the queue, unless it has a target again
  }
  if (lease.execution.cancel_requested) return answered(place, lease, SendRefused{0, "the task was cancelled", ""});
  const domain::ExecutionSpec& spec = lease.execution.spec;
  const Time now = engine_.store_.now();
  const Duration silence = lease_of_accepted(settings);
  DispatchOrder order;
  order.target = *settings.target;
  order.ids = lease.dispatch->ids;
  order.callback_url = callback_url_ + "/v1/dispatches/" + order.ids.external;
  order.token = domain::make_dispatch_token(
      *engine_.callback_key_,
      {spec.tenant, spec.id, lease.attempt_id, now + std::max(options_.token_lifetime, 2 * silence)});
  order.due = lease.execution.run_at;
  order.answer_time = settings.target_timeout;
  order.lease = lease;
  order.lease.lease_until = lease_end(lease.execution, lease.dispatch->created_at, now, silence);
  options_.targets->send(std::move(order), [this, place, lease = std::move(lease)](SendAnswer answer) {
    answered(place, lease, std::move(answer));
  });
}

/// Who looks for a task that did not arrive finds it by either of its names. A target that is down would fill the log:
/// a line a second tells of it, and how many it stands for.
void Dispatcher::tell(const Lease& lease, const SendAnswer& answer) {
  const std::string_view trouble = trouble_of(answer);
  const log::Level level = trouble.empty() ? log::Level::debug : log::Level::warn;
  if (!log::enabled(level)) return;
  const bool tells_all = log::enabled(log::Level::debug);
  const std::size_t times = tells_all ? 1 : troubles_.next(Steady::now());
  if (times == 0) return;
  log::write(level, "dispatch",
             {{"dispatch_id", lease.dispatch->ids.internal},
              {"external_id", lease.dispatch->ids.external},
              {"answer", name_of(answer)},
              {"why", trouble},
              {"times", std::to_string(times)}});
}

void Dispatcher::answered(const Place& place, const Lease& lease, SendAnswer answer) {
  const std::string_view kind = name_of(answer);
  engine_.metrics_.dispatched(place.first, place.second, kind);
  tell(lease, answer);
  settle(lease, answer);
  leave(place, lease.attempt_id,
        !std::holds_alternative<SendLater>(answer) && !std::holds_alternative<SendUnknown>(answer));
  poll(place);
}

/// What the answer means is written; where that fails, the dispatch stays ambiguous, and is sent again.
void Dispatcher::settle(const Lease& lease, const SendAnswer& answer) {
  const domain::ExecutionSpec& spec = lease.execution.spec;
  const Duration beats = lease_of_accepted(engine_.queues_.settings(spec.tenant, spec.queue));
  Command command = what_follows(lease, answer, {beats, options_.again});
  const bool is_later = std::holds_alternative<PostponeDispatch>(command);
  engine_.tell_of_attempt(std::move(command), [this, is_later](const Result<AttemptAnswer>& told) {
    if (is_later) wake();
    if (told && told->lease_until) engine_.expect_timer(*told->lease_until);
  });
}

void Dispatcher::leave(const Place& place, domain::AttemptId id, bool arrived) {
  std::optional<Duration> rest;
  std::map<domain::AttemptId, Lease>::node_type skipped;
  {
    const std::lock_guard lock(mutex_);
    sending_.erase(id);
    skipped = skipped_.extract(id);
    Lane& lane = lanes_[place];
    lane.in_flight -= 1;
    lane.failures = arrived ? 0 : lane.failures + 1;
    if (!arrived) {
      rest = domain::jittered_pause_after(options_.again, lane.failures, id);
      lane.rests_until = Steady::now() + *rest;
    } else {
      lane.rests_until = {};
    }
  }
  if (skipped) put_off(skipped.mapped(), Duration{0});  // it is free now
  if (rest) engine_.timers_.after(*rest + Duration{1}, [this, place] { poll(place); });
}

}  // namespace semel::engine
