#include "engine/commit_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hpp"

namespace semel::engine {
namespace {

std::size_t bytes_of(const AdvanceSchedule& advance) {
  std::size_t bytes = 512;
  for (const Firing& firing : advance.firings) bytes += firing.submit ? firing.submit->spec.context.size() + 512 : 128;
  return bytes;
}

/// What the code of a workflow said, however much that is.
struct BytesSaid {
  std::size_t operator()(const domain::code::ScheduleTask& task) const { return task.context.size(); }
  std::size_t operator()(const domain::code::StartChild& child) const { return child.input.size(); }
  std::size_t operator()(const domain::code::RecordMarker& marker) const { return marker.value.size(); }
  std::size_t operator()(const domain::code::Complete& complete) const { return complete.result.value_or("").size(); }
  std::size_t operator()(const domain::code::Fail& fail) const { return fail.error.size(); }
  std::size_t operator()(const domain::code::ContinueAsNew& again) const {
    std::size_t bytes = again.input.size();
    for (const domain::code::Signal& signal : again.signals) bytes += signal.value.size() + 128;
    return bytes;
  }
  std::size_t operator()(const auto& /*small*/) const { return 0; }
};

std::size_t bytes_of(const EndActivation& end) {
  const domain::code::Answer& answer = end.answer;
  std::size_t bytes = 512 + answer.status.value_or("").size();
  for (const domain::code::Command& command : answer.commands) bytes += std::visit(BytesSaid(), command.what) + 512;
  return answer.conclusion ? bytes + std::visit(BytesSaid(), *answer.conclusion) : bytes;
}

std::size_t bytes_of(const Command& command) {
  if (const auto* submit = std::get_if<Submit>(&command)) return submit->spec.context.size() + 512;
  if (const auto* complete = std::get_if<Complete>(&command)) return complete->result.value_or("").size() + 128;
  if (const auto* fail = std::get_if<Fail>(&command)) return fail->error.size() + 128;
  if (const auto* end = std::get_if<EndActivation>(&command)) return bytes_of(*end);
  if (const auto* signal = std::get_if<SignalWorkflow>(&command)) return signal->signal.value.size() + 256;
  if (const auto* settle = std::get_if<SettlePromise>(&command)) return settle->value.size() + 128;
  if (const auto* put = std::get_if<PutSchedule>(&command)) return put->draft.document.size() + 512;
  if (const auto* advance = std::get_if<AdvanceSchedule>(&command)) return bytes_of(*advance);
  return 128;
}

/// Whether a batch surely writes: who rides along is no reason to. Polls of empty queues write nothing, nor does a lone
/// submission that turns out to be a duplicate; several were looked for before they came here.
bool may_carry_rider(const std::vector<CommitQueue::Entry>& entries) {
  std::size_t submissions = 0;
  for (const CommitQueue::Entry& entry : entries) {
    const Command& command = entry.command;
    if (std::holds_alternative<Submit>(command)) submissions += 1;
    else if (!std::holds_alternative<Claim>(command) && !std::holds_alternative<ExpireLeases>(command) &&
             !std::holds_alternative<PromoteDue>(command))
      return true;
  }
  return submissions > 1;
}

/// Set while a herald runs: what it pushes is taken by the thread that it runs on.
thread_local bool is_heralding = false;

void fail_all(std::vector<CommitQueue::Entry>& entries, Time now, const Error& error) {
  for (CommitQueue::Entry& entry : entries) entry.done({now, tl::unexpected<Error>(error)});
}

}  // namespace

struct CommitQueue::Applier {
  explicit Applier(CommitQueue& queue) : loop("commit", [this, &queue] { return queue.apply_waiting(*this); }) {}

  bool rests = false;  // nothing is left to apply: it sleeps until it is woken, or is about to
  Loop loop;           // last: uses the above
};

CommitQueue::CommitQueue(Store& store, CommitQueueOptions options, Metrics& metrics, Rider rider, Observer observer,
                         Herald herald, Later later)
    : store_(store),
      options_(options),
      rider_(std::move(rider)),
      observer_(std::move(observer)),
      herald_(std::move(herald)),
      later_(std::move(later)),
      metrics_(metrics) {
  for (int i = 0; i < store.appliers(); ++i) appliers_.push_back(std::make_unique<Applier>(*this));
}

CommitQueue::~CommitQueue() { close(); }

void CommitQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  for (const auto& applier : appliers_) applier->loop.wake();  // a loop finishes the pass that it was woken for,
  for (const auto& applier : appliers_) applier->loop.stop();  // and a pass ends only when nothing waits
}

bool CommitQueue::push(Command command, Done done) {
  std::vector<Entry> entries;
  entries.push_back({std::move(command), std::move(done)});
  return push(std::move(entries));
}

bool CommitQueue::push(std::vector<Entry>&& entries) {
  std::size_t bytes = 0;
  for (const Entry& entry : entries) bytes += bytes_of(entry.command);
  Applier* resting = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // What is over the limit by itself is taken when nothing else waits: it would never be done.
    const bool is_heavy = waiting_bytes_ > 0 && waiting_bytes_ + bytes > options_.bytes_max;
    const bool full = is_heavy || waiting_.size() + entries.size() > options_.commands_max;
    if (full) metrics_.turned_away(entries.size());
    if (closed_ || full) return false;
    waiting_bytes_ += bytes;
    std::move(entries.begin(), entries.end(), std::back_inserter(waiting_));
    resting = find_resting();
  }
  if (resting != nullptr) resting->loop.wake();
  return true;
}

/// The first of those that rest, as one that does not rest any more: the others are spared when little is to do.
/// Nothing when all are at work: they look for more before they rest.
CommitQueue::Applier* CommitQueue::find_resting() {
  if (is_heralding) return nullptr;
  for (const auto& applier : appliers_) {
    if (std::exchange(applier->rests, false)) return applier.get();
  }
  return nullptr;
}

std::size_t CommitQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

bool CommitQueue::is_idle() const {
  const std::lock_guard lock(mutex_);
  const auto rests = [](const auto& applier) { return applier->rests; };
  return waiting_.empty() && std::any_of(appliers_.begin(), appliers_.end(), rests);
}

Duration CommitQueue::apply_waiting(Applier& applier) {
  while (true) {
    std::vector<Entry> entries = take();
    if (!entries.empty()) {
      apply(std::move(entries));
      continue;
    }
    if (tidy_up()) continue;
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty()) continue;
    applier.rests = true;
    return Loop::until_woken;
  }
}

std::vector<CommitQueue::Entry> CommitQueue::take() {
  std::vector<Entry> entries;
  if (take_waiting(entries)) {
    is_heralding = true;
    for (const Entry& entry : entries) herald_(entry.command);
    is_heralding = false;
    take_waiting(entries);
  }
  if (!may_carry_rider(entries)) return entries;
  if (std::optional<Entry> rider = rider_()) entries.push_back(*std::move(rider));
  return entries;
}

/// False when more is left.
bool CommitQueue::take_waiting(std::vector<Entry>& entries) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = std::min(waiting_.size(), options_.batch_max);
  entries.reserve(entries.size() + count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    waiting_bytes_ -= bytes_of(waiting_.front().command);
    entries.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return waiting_.empty();
}

void CommitQueue::apply(std::vector<Entry> entries) {
  std::vector<Command> commands;
  commands.reserve(entries.size());
  for (Entry& entry : entries) commands.push_back(std::move(entry.command));
  Applied applied;
  const auto begun = std::chrono::steady_clock::now();
  try {
    applied = store_.apply(commands);
  } catch (const OutcomeUnknown& fault) {
    log::error("the outcome of a commit of {} commands is unknown: {}", commands.size(), fault.what());
    metrics_.commit_failed();
    fail_all(entries, store_.now(), outcome_unknown());
    return;
  } catch (const StoreFault& fault) {
    if (const std::size_t count = refusals_.next(std::chrono::steady_clock::now()); count > 0)
      log::error("the store refused {} commits, the last of {} commands: {}", count, commands.size(), fault.what());
    metrics_.commit_failed();
    fail_all(entries, store_.now(), nothing_changed());
    return;
  }
  metrics_.applied(applied, std::chrono::steady_clock::now() - begun);
  observer_(applied);
  // Leases first: their workers could be at work already.
  for (const bool is_turn_of_claims : {true, false}) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (std::holds_alternative<Claim>(commands[i]) != is_turn_of_claims) continue;
      entries[i].command = std::move(commands[i]);
      finish(std::move(entries[i]), applied.now, std::move(applied.outcomes[i]));
    }
  }
}

void CommitQueue::finish(Entry entry, Time now, Outcome outcome) {
  if (auto* rejected = std::get_if<Rejected>(&outcome))
    return entry.done({now, tl::unexpected<Error>(std::move(rejected->error))});
  const auto* postponed = std::get_if<Postponed>(&outcome);
  if (postponed == nullptr) return entry.done({now, std::move(outcome)});
  if (!later_) return entry.done({now, tl::unexpected<Error>(nothing_changed())});
  later_(std::move(entry), std::max<Duration>(postponed->until - now, 1ms));
}

bool CommitQueue::tidy_up() {
  try {
    return store_.tidy_up();
  } catch (const StoreFault& fault) {
    log::warn("the store's housekeeping failed and will be tried again: {}", fault.what());
    return false;
  }
}

}  // namespace semel::engine
